"""What a site's mistake gets: one sentence, or a completed article."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler, one_line

pytestmark = pytest.mark.usefixtures("no_workbook")

LIST = "<ul><li><a href='1.htm'>山东玉米</a></li></ul>".encode("gb18030")
BODY = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
NONSENSE = (
    "<base href='h://['>",
    "<base href='http://a:99999999/'>",
    "<base href='javascript:void(0)'>",
    "<meta http-equiv=refresh content='0;url=http://['>",
    "<meta http-equiv=refresh content='0;url=javascript:void(0)'>",
)


def next_link(url: str) -> bytes:
    return f"<a href='{url}'>下一页</a>".encode("gb18030")


def test_addresses_that_are_none_do_not_keep_a_page_from_being_read(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    entries = "".join(f"<li><a href='{n}.htm'>玉米{n}</a></li>" for n in range(len(NONSENSE)))
    pages = {"/": f"<head>{''.join(NONSENSE)}</head>{entries}".encode("gb18030")}
    for number, nonsense in enumerate(NONSENSE):
        text = f"<head>{nonsense}</head><div id='body'>潍坊0.{number}元/斤</div>"
        pages[f"/{number}.htm"] = text.encode("gb18030")
    run = crawl("-a", odd(pages))
    assert (run.code, run.err) == (0, "")
    texts = {text for (text,) in crawl.rows("select text from articles")}
    assert texts == {f"潍坊0.{number}元/斤" for number in range(len(NONSENSE))}


def test_a_list_page_that_redirects_to_no_address_is_named_as_such(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    run = crawl("-a", odd({"/": b"->http://a:x/"}), "-s", "RETRY_TIMES=0")
    assert run.code == 2
    assert "list page failed (invalid address)" in one_line(run.err)
    assert "run again" not in run.err


ENDLESS = {f"/p{n}": LIST + next_link(f"/p{n + 1}") for n in range(100)}


@pytest.mark.parametrize(
    ("following", "pages", "code", "sentence"),
    [
        ("/", {}, 0, "ends in a loop"),
        ("/more", {"/more": b"<p>nothing</p>"}, 3, "the list pages behind it are not known"),
        ("/p0", ENDLESS, 3, "the second page of the list is the first again: http://odd.test/p0"),
        # A site may do so while it is busy, or wants a login: the end of the list is not known.
        ("/more", {"/more": b"->/"}, 3, "the second page of the list is the first again: http://odd.test/"),
    ],
    ids=["the page itself", "no list", "lists without end", "sent back"],
)  # fmt: skip
def test_where_the_second_page_of_a_list_is_none(
    crawl: Crawler,
    odd: Callable[..., str],
    following: str,
    pages: dict[str, bytes],
    code: int,
    sentence: str,
) -> None:
    run = crawl("-a", odd({"/": LIST + next_link(following), "/1.htm": BODY, **pages}))
    assert (run.code, run.count("new")) == (code, 1), run.err
    assert sentence in run.out
    rest = "<ul><li><a href='2.htm'>山东玉米</a></li></ul>".encode("gb18030")
    repaired = {"/": LIST + next_link("/more"), "/more": rest, "/1.htm": BODY, "/2.htm": BODY}
    again = crawl("-a", odd(repaired))
    assert (again.code, again.count("new")) == (0, 1), again.out + again.err


@pytest.mark.parametrize("size", [1_000_000, pytest.param(7_900_000, marks=pytest.mark.exhaustive)])
def test_a_page_of_up_to_8_megabytes_is_kept_whole(
    crawl: Crawler, odd: Callable[..., str], size: int
) -> None:
    paragraph = "<p>今日市场平稳,成交一般,后市仍待观察。</p>".encode("gb18030")
    count = size // len(paragraph)
    run = crawl(
        "-a", odd({"/": LIST, "/1.htm": b"<div id='body'>" + paragraph * count + b"</div>"})
    )
    assert run.code == 0, run.err
    assert crawl.rows("select length(text) - length(replace(text, '后市', '')) from articles") == [
        (2 * count,)
    ]


def test_continuation_pages_end_by_a_circle_by_robots_txt_and_by_the_profile(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    entries = "".join(f"<li><a href='/{n}.htm'>玉米{n}</a></li>" for n in (1, 2, 3, 4))
    pages = {"/": entries.encode("gb18030")}
    pages["/robots.txt"] = b"User-agent: *\nDisallow: /3_2.htm\n"
    pages |= {"/1.htm": BODY + next_link("/1_2.htm"), "/1_2.htm": b"->/1.htm"}
    pages["/2.htm"] = pages[quote("/2_二.htm")] = BODY + next_link("/2_二.htm")
    pages["/3.htm"] = BODY + next_link("/3_2.htm")
    long = {f"/4_{n}.htm": BODY + next_link(f"/4_{n + 1}.htm") for n in range(2, 9)}
    pages |= {"/4.htm": BODY + next_link("/4_2.htm")} | long
    article = {"body": "//div[@id='body']", "next": "//a[.='下一页']/@href", "max_pages": 3}
    run = crawl("-a", odd(pages, article=article))
    assert run.count("incomplete") == 2
    assert "article.max_pages" in run.out
    rows = crawl.rows("select is_complete, text from articles order by url")
    assert [is_complete for is_complete, _ in rows] == [1, 1, 0, 0]
    assert max(len(text) for _, text in rows[:3]) < 40


def test_equal_urls_are_one_article(crawl: Crawler, odd: Callable[..., str]) -> None:
    links = ("1.htm", "http://ODD.test/1.htm", "http://odd.test:80/1.htm#top")
    entries = "".join(f"<li><a href='{link}'>玉米</a></li>" for link in links)
    run = crawl("-a", odd({"/": entries.encode("gb18030"), "/1.htm": BODY}))
    assert run.count("new") == 1


def test_a_list_page_that_fails_is_told_and_the_next_run_goes_on(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=10)
    web.broken_pages = frozenset({"/list/index_2.html"})
    run = crawl("-a", "site=demo")
    assert run.code == 3
    url = "http://bulletins.demo.test/list/index_2.html"
    assert f"not done  list page failed (HTTP 500): {url}" in run.out
    assert 0 < run.count("new") < len(web.truth())
    web.broken_pages = frozenset()
    assert crawl("-a", "site=demo").code == 0
    assert crawl.rows("select count(*) from articles") == [(len(web.truth()),)]


def test_robots_txt_is_obeyed_and_named(crawl: Crawler, odd: Callable[..., str]) -> None:
    rules = b"User-agent: *\nDisallow: /1.htm\n"
    run = crawl("-a", odd({"/": LIST, "/1.htm": b"", "/robots.txt": rules}))
    assert "1 robots.txt" in run.out
    run = crawl("-a", odd({"/": LIST, "/robots.txt": b"User-agent: *\nDisallow: /\n"}))
    assert run.code == 2
    assert "robots.txt forbids the list page http://odd.test/" in one_line(run.err)


def test_a_page_that_is_no_list_does_not_end_the_walk_of_others(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    lists = [f"http://odd.test/{path}" for path in ("broken", "closed", "")]
    pages = {"/": LIST, "/1.htm": BODY, "/broken": b"<p>under repair</p>", "/closed": b"<p>x</p>"}
    run = crawl("-a", odd(pages, start_urls=lists))
    assert run.code == 2
    assert run.count("new") == 1
    said = run.out + one_line(run.err)
    assert all(url in said for url in lists[:2])
