"""Pages and runs that need too much: they end in order, are told, and take no other with them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.frontier import HostCounts, read_frontier
from tests.crawl.conftest import Crawler, Finished, OddSite

pytestmark = pytest.mark.usefixtures("no_workbook")

STATS = ("-L", "INFO", "-s", "MEMUSAGE_CHECK_INTERVAL_SECONDS=0.2")
FONTS = b"".join(b"<font size=%d><p>" % number for number in range(4000))
ATTRIBUTES = b"<p " + b" ".join(b"a%d" % number for number in range(75_000)) + b">"


def stat(run: Finished, name: str) -> int:
    found = re.search(rf"'{name}': (\d+)", run.err)
    assert found, run.err[-3000:]
    return int(found[1])


def body(text: str, before: bytes = b"") -> bytes:
    return (
        b"<title>" + text.encode() + b"</title>" + before + f"<div id='body'>{text}</div>".encode()
    )


def test_bombs_on_the_way_stop_no_other_article(crawl: Crawler, odd: Callable[..., str]) -> None:
    names = ["good", "fonts", "attributes", "large", "better"]
    links = "".join(f"<li><a href='{name}.htm'>山东玉米{name}</a></li>" for name in names)
    pages = {f"/{name}.htm": body(f"玉米 {name}") for name in ("good", "better")}
    pages["/fonts.htm"] = body("玉米", FONTS)
    pages["/attributes.htm"] = body("玉米", ATTRIBUTES)
    pages["/large.htm"] = body("玉米" * 2_000_000)
    site = odd({"/": f"<meta charset=utf-8><ul>{links}</ul>".encode(), **pages})
    run = crawl("-a", site, "-s", "FOCUSCRAWL_PAGE_SECONDS=3", *STATS)
    rows = dict(crawl.rows("select url, text from articles"))
    assert {url.rpartition("/")[2] for url, text in rows.items() if text} == {
        "good.htm", "better.htm",
    }  # fmt: skip
    assert stat(run, "focuscrawl/pages/unstructured") == 2
    assert stat(run, "memusage/max") < 600 << 20
    assert "page failed (too large): http://odd.test/large.htm" in run.err
    assert "markup too complex for a parser, read as plain text" in run.out
    assert "Traceback" not in run.err


@pytest.fixture
def tunnel(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Crawler:
    crawl.spider = "tunnel"
    links = "".join(f"<a href=/{n}>玉米 {n}</a>" for n in range(200))
    pages = {f"/{n}": body(f"玉米 {n}") for n in range(200)}
    pages["/"] = f"<meta charset=utf-8>{links}".encode()
    demo(days=1).sites["odd.test"] = OddSite(pages)
    return crawl


def test_a_run_that_needs_too_much_memory_ends_in_order_and_the_next_goes_on(
    tunnel: Crawler,
) -> None:
    seeds = f"seeds={quote('http://odd.test/', safe=':/')}"
    arguments = ("-a", "topic=security", "-a", seeds, "-a", "mode=best-first")
    tight = ("-s", "MEMUSAGE_LIMIT_MB=20", "-s", "MEMUSAGE_CHECK_INTERVAL_SECONDS=0.3")
    run = tunnel(*arguments, *tight)
    assert run.code == 3, run.out + run.err
    assert "memusage_exceeded" in run.out
    assert "the crawler exceeded 20 MB of memory and was closed" in run.out
    assert "Traceback" not in run.err
    with read_frontier(tunnel.folder / "data" / "frontier-tunnel-security.sqlite") as frontier:
        assert frontier.counts().total() == HostCounts(waiting=1)
    last = tunnel(*arguments)
    assert last.code == 0, last.out
    assert "judged    201 pages" in last.out


def test_a_page_that_is_alone_does_not_wait_for_others_to_fill_its_batch(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    odd({"/": body("玉米")})
    crawl.spider = "tunnel"
    arguments = ("-a", "topic=security", "-a", "seeds=http://odd.test/", "-a", "keep=all")
    run = crawl(*arguments, "-s", "FOCUSCRAWL_BATCH_AGE=3600")
    assert run.code == 0, run.out + run.err
    assert "1 new" in run.out


def test_an_article_whose_prices_take_too_long_is_kept_without_them(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    quotes = "".join(f"{1 + day % 28}日锦州港玉米价格{2000 + day}元/吨。" for day in range(6000))
    links = "<li><a href=long.htm>玉米价格长</a></li><li><a href=short.htm>玉米价格短</a></li>"
    page = f"<meta charset=utf-8><ul>{links}</ul>".encode()
    # Reading the prices of the long one takes seconds, parsing its page a twentieth of one.
    site = odd({"/": page, "/long.htm": body(quotes), "/short.htm": body(quotes[:100])})
    run = crawl("-a", site, "-s", "FOCUSCRAWL_PAGE_SECONDS=1")
    assert run.code == 3, run.out + run.err
    assert "reading takes over 1 s" in run.out
    assert "Traceback" not in run.err
    rows = dict(crawl.rows("select url, length(text) from articles"))
    assert rows["http://odd.test/long.htm"] > 100_000
    of_quotes = "select distinct url from articles join quotes on article_md5 = url_md5"
    assert crawl.rows(of_quotes) == [("http://odd.test/short.htm",)]
