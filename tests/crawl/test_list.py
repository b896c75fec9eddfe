"""The spider ``list``: articles of any site, beside ``maize`` in one store."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import openpyxl
import pytest
import yaml

from focuscrawl.demo import DemoWeb
from focuscrawl.items import check_code
from focuscrawl.sites.site_profile import load_profile
from tests.crawl.conftest import TODAY, Crawler, one_line
from tests.crawl.test_incremental import is_quiet, quotes_read, requested
from tests.crawl.test_reread import reread
from tests.servers import warm_scrapy

HOME = "http://bulletins.demo.test/list/"
ROOT = "http://odd.test/"
POSTS = {
    "/": "<li><a href=/1>=1+1</a><li><a href=/2>素数定理</a>".encode(),
    "/1": "<div id=body>玉米2280元/吨,山东寿光金玉米1.15元/斤</div>".encode(),
    "/2": "<div id=body>素数有无穷多个,证明如下</div>".encode(),
}


@pytest.fixture
def listing(crawl: Crawler) -> Crawler:
    crawl.spider = "list"
    return crawl


def plain_profile(crawl: Crawler) -> str:
    """Write the demo profile without prices; return its argument."""
    profile = yaml.safe_load((files("focuscrawl.sites") / "demo.yaml").read_text("utf-8"))
    path = crawl.folder / "plain.yaml"
    path.write_text(yaml.safe_dump(profile | {"reader": "none"}), encoding="utf-8")
    return f"site={path}"


def run(crawl: Crawler, spider: str, site: str, *more: str) -> Any:
    crawl.spider = spider
    done = crawl("-a", site, *more)
    assert done.code == 0, done.err
    return done


def truth_of(web: DemoWeb) -> dict[str, int]:
    return {url: len(known.quotes) for url, known in web.truth().items()}


def quotes_stored(crawl: Crawler) -> dict[str, int]:
    counts = quotes_read(crawl)
    urls = crawl.rows("select url from articles where gone_at is null")
    return {url: counts[url].total() if url in counts else 0 for (url,) in urls}


def test_articles_of_any_text_are_stored_without_prices(
    listing: Crawler, odd: Callable[..., str]
) -> None:
    site = odd(POSTS)
    done = listing("-a", site)
    assert done.code == 0, done.err
    assert done.count("new") == 2
    assert "quotes" not in done.out
    assert listing.rows("select count(*) from quotes") == [(0,)]
    assert listing.rows("select key from crawl_state where key like 'coverage list-odd %'")
    again = reread(listing)
    assert again.stdout == (
        "0 articles read again, 0 with other quotes; 2 of crawls without prices left as they are\n"
    )
    report = warm_scrapy.run(
        ["report", "-o", "own.xlsx", "--store", "sqlite:///data/focuscrawl.sqlite"],
        cwd=listing.folder, env=os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"},
    )  # fmt: skip
    assert report.stdout == "own.xlsx: 2 articles without prices\n"
    book = openpyxl.load_workbook(listing.folder / "data" / "focuscrawl.xlsx")
    assert book.sheetnames == ["文章"]
    titles = book["文章"]["B"]
    assert {cell.value for cell in titles} == {"标题", "=1+1", "素数定理"}
    assert {cell.data_type for cell in titles} == {"s"}


def test_the_profile_turns_prices_on(listing: Crawler, demo: Callable[..., DemoWeb]) -> None:
    web = demo(days=10)
    done = run(listing, "list", "site=demo")
    assert done.count("read") == sum(truth_of(web).values()) > 0
    assert quotes_stored(listing) == truth_of(web)
    # Without prices nothing is read; once they are wanted, the whole list is walked for them.
    other = listing.folder / "other"
    other.mkdir()
    listing.folder = other
    site = plain_profile(listing)
    run(listing, "list", site)
    assert sum(quotes_stored(listing).values()) == 0
    run(listing, "list", "site=demo")
    assert quotes_stored(listing) == truth_of(web)


def test_a_site_is_needed(listing: Crawler) -> None:
    done = listing()
    assert done.code == 2
    sentence = one_line(done.err)
    for part in ("spider 'list' needs -a site=", "demo, feedtrade, yz88", "scrapy newsite URL"):
        assert part in sentence


def test_maize_reads_what_list_has_stored(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    web = demo(days=12)
    site = plain_profile(crawl)
    run(crawl, "maize", site)
    web.advance(1)
    run(crawl, "list", site)
    without = [url for url, count in quotes_stored(crawl).items() if count != truth_of(web)[url]]
    assert 0 < len(without) < len(web.truth())
    # Reading the texts again is for those whose prices were read.
    again = reread(crawl)
    assert again.returncode == 0, again.stderr
    assert any(quotes_stored(crawl)[url] != truth_of(web)[url] for url in without)
    requested(web)
    run(crawl, "maize", site)
    assert quotes_stored(crawl) == truth_of(web)
    assert {url for url in requested(web) if "/news/" in url} >= set(without)
    run(crawl, "maize", site)
    assert is_quiet(requested(web))


def test_list_keeps_the_quotes_of_maize_up_to_date(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=12)
    site = plain_profile(crawl)
    run(crawl, "maize", site)
    content = crawl.content()
    run(crawl, "list", site, "-a", "refresh=all")
    assert crawl.content() == content
    before = web.truth()
    web.advance(1)
    changed = {url for url, known in web.truth().items() if url in before and known != before[url]}
    assert changed
    done = run(crawl, "list", site)
    assert done.count("changed") == len(changed)
    stored = quotes_stored(crawl)
    assert {url: stored[url] for url in changed} == {url: truth_of(web)[url] for url in changed}
    book = openpyxl.load_workbook(crawl.folder / "data" / "focuscrawl.xlsx")
    assert (book.sheetnames[0], book.sheetnames[-1]) == ("今日摘要", "文章")
    new = len(web.truth().keys() - before.keys())
    assert book["文章"].max_row == 1 + new


def test_the_coverage_of_maize_has_the_key_of_earlier_versions(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=5)
    run(crawl, "maize", "site=demo", "-a", f"since={TODAY.isoformat()}")
    rules = load_profile("demo").list.model_dump_json()
    key = f"coverage maize-demo {check_code(f'{HOME}  {rules}')}"
    assert [row for row in crawl.rows("select key from crawl_state") if "coverage" in row[0]] == [
        (key,)
    ]


def test_long_urls_are_fetched_and_those_over_the_limit_counted(
    listing: Crawler, odd: Callable[..., str]
) -> None:
    long = "/1?q=" + "a" * 2500
    pages = POSTS | {"/": POSTS["/"].replace(b"/1", long.encode()), long: POSTS["/1"]}
    site = odd(pages)
    assert listing("-a", site).count("new") == 2
    done = listing("-a", site, "-a", "refresh=all", "-s", "URLLENGTH_LIMIT=2083")
    assert "  dropped   1 over URLLENGTH_LIMIT" in done.out


def test_articles_without_text_are_told_and_viewers_are_files(
    listing: Crawler, odd: Callable[..., str]
) -> None:
    body = b"<div id=body>%s</div>"
    home = "".join(f"<li><a href=/{n}>第{n}号</a>" for n in range(1, 5)).encode()
    pages = {"/": home, "/1": body % b"<img src=1.jpg>", "/2": POSTS["/2"]}
    pages["/3"] = body % b"<iframe src='/viewer.html?file=/3.pdf'></iframe>"
    pages["/4"] = body % "正在加载…".encode()
    site = odd(pages)
    done = listing("-a", site)
    assert done.code == 0, done.out
    assert "  files     1 PDF" in done.out
    assert "  note      2 articles have no text: pictures, a viewer or a script" in done.out
    assert listing.rows("select url from articles where not is_complete") == [(ROOT + "3",)]
    assert "have no text" not in listing("-a", site).out


@pytest.mark.parametrize(
    ("third", "is_told"),
    [("<div id=body>正文%s</div>", True), ("<div id=body></div>", False)],
    ids=["article", "no article"],
)
def test_articles_that_all_lack_a_date_are_told(
    listing: Crawler, odd: Callable[..., str], third: str, is_told: bool
) -> None:
    pages = {
        f"/{n}": f"<div id=body>各地玉米价格第{n}次上调，农户惜售。</div>".encode() for n in (1, 2)
    }
    pages["/3"] = third.replace("%s", "，东北玉米收购进度过半").encode()
    pages["/"] = "".join(f"<li><a href=/{n}>第{n}号</a>" for n in (1, 2, 3)).encode()
    said = "  note      no article has a date; give list.date or article.date in the profile"
    assert (said in listing("-a", odd(pages)).out) == is_told


def test_files_are_kept_as_links_and_not_requested_again(
    listing: Crawler, odd: Callable[..., str]
) -> None:
    pdf = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3 body <div id=body>x</div>"
    home = "<li><a href=/1>一</a><li><a href=/2>二</a><li><a href=/3>三</a>".encode()
    site = odd({"/": home, "/1": pdf, "/2": POSTS["/2"], "/3": b"\xff\xd8\xff" + bytes(99)})
    done = listing("-a", site)
    assert done.code == 0, done.out
    assert "  files     1 PDF, 1 picture, 1 without text" in done.out
    assert "  note      1 files have no text: damaged (http://odd.test/1)" in done.out
    query = "select url, length(text), is_complete, validators from articles where not is_complete order by url"
    kept = '{"file": ["%s", "", "tried"]}'
    assert listing.rows(query) == [
        (ROOT + "1", 0, 0, kept % "PDF"), (ROOT + "3", 0, 0, kept % "picture")
    ]  # fmt: skip
    again = listing("-a", site)
    # robots.txt, the list, and its end once more.
    assert (again.code, again.count("requests")) == (0, 3), again.out


def test_a_profile_says_which_prices_to_trust_unless_a_setting_does(
    listing: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=2)
    shipped = (files("focuscrawl.sites") / "demo.yaml").read_text("utf-8")
    strict = shipped.replace("name: demo", "name: strict").replace(": 0.79", ": 1")
    (listing.folder / "strict.yaml").write_text(strict, "utf-8")
    doubted = "select sum(flag like '可信度%'), count(*) from quotes"
    assert listing("-a", "site=strict.yaml").code == 0
    ((count, of_all),) = listing.rows(doubted)
    assert count == of_all > 0
    listing.database.unlink()
    assert listing("-a", "site=strict.yaml", "-s", "FOCUSCRAWL_PRICE_CONFIDENCE=0").code == 0
    assert listing.rows(doubted) == [(0, of_all)]
