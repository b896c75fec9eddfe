"""What a user's mistake, or a site's, gets: one sentence, or a completed article."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import quote

import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler, one_line

LIST = "<ul><li><a href='1.htm'>山东玉米</a></li></ul>".encode("gb18030")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("-a", "tittle=x"), "choose from site, start_url, title"),
        (("-a", "since=2020-01-02", "-a", "until=2020-01-01"), "is after until"),
        (("-a", "site=/dev/zero"), "cannot read the site profile /dev/zero: larger than 64 MB"),
        (("-a", "site=nosuch"), "no site profile 'nosuch'; known: demo"),
        (("-s", "FOCUSCRAWL_STORES=oracle://host/db"), "oracle"),
        (("-s", "FOCUSCRAWL_READER=best"), "choose from rules, paper"),
        (("-s", "FOCUSCRAWL_DATA=/dev/null/x"), "FOCUSCRAWL_DATA"),
    ],
)
def test_a_mistake_gets_one_sentence_and_nothing_is_written(
    crawl: Crawler, arguments: tuple[str, ...], part: str
) -> None:
    run = crawl(*arguments)
    assert run.code == 2
    assert part in one_line(run.err)
    assert not crawl.database.exists()


def test_a_broken_xpath_in_a_profile(crawl: Crawler, odd: Callable[..., str]) -> None:
    run = crawl("-a", odd({}, article={"body": "//div["}))
    assert run.code == 2
    assert "article.body" in one_line(run.err)


@pytest.mark.parametrize(
    ("pages", "part"),
    [
        ({"/": b"<p>under repair</p>"}, "list.entry"),
        ({"/": LIST, "/1.htm": b"<p>captcha</p>"}, "article.body"),
    ],
)
def test_a_profile_that_selects_nothing_is_an_error(
    crawl: Crawler, odd: Callable[..., str], pages: dict[str, bytes], part: str
) -> None:
    run = crawl("-a", odd(pages))
    assert run.code == 2
    assert part in one_line(run.err)


@pytest.mark.parametrize(
    "nonsense",
    [
        "<base href='h://['>",
        "<base href='http://a:99999999/'>",
        "<base href='javascript:void(0)'>",
        "<meta http-equiv=refresh content='0;url=http://['>",
        "<meta http-equiv=refresh content='0;url=javascript:void(0)'>",
    ],
)
def test_addresses_that_are_none_do_not_keep_a_page_from_being_read(
    crawl: Crawler, odd: Callable[..., str], nonsense: str
) -> None:
    body = f"<head>{nonsense}</head><div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
    run = crawl("-a", odd({"/": f"<head>{nonsense}</head>".encode() + LIST, "/1.htm": body}))
    assert (run.code, run.err) == (0, "")
    assert crawl.rows("select text from articles") == [("潍坊0.8元/斤",)]


@pytest.mark.parametrize("location", ["http://[", "http://a:99999999/", "http://a:x/"])
def test_a_list_page_that_redirects_to_no_address_is_named_as_such(
    crawl: Crawler, odd: Callable[..., str], location: str
) -> None:
    run = crawl("-a", odd({"/": f"->{location}".encode()}), "-s", "RETRY_TIMES=0")
    assert run.code == 2
    assert "list page failed (invalid address)" in one_line(run.err)
    assert "run again" not in run.err


def test_a_list_page_that_links_to_itself_ends(crawl: Crawler, odd: Callable[..., str]) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
    run = crawl("-a", odd({"/": LIST + "<a href='/'>下一页</a>".encode("gb18030"), "/1.htm": body}))
    assert run.code == 0, run.err
    assert run.count("new") == 1
    assert "ends in a loop" in run.out


def test_a_last_list_page_that_links_to_itself_is_the_end(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
    more = "<a href='/more'>下一页</a>".encode("gb18030")
    rest = "<ul><li><a href='2.htm'>山东玉米</a></li></ul>".encode("gb18030") + more
    pages = {"/": LIST + more, "/more": rest, "/1.htm": body, "/2.htm": body}
    run = crawl("-a", odd(pages))
    assert run.code == 0, run.err
    assert run.count("new") == 2
    assert "ends in a loop" not in run.out


def test_gbk_only_characters_survive_a_gb2312_declaration(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    text = "堃镕粮库玉米0.8元/斤"
    page = f"<meta charset=gb2312><div id='body'>{text}</div>".encode("gb18030")
    assert crawl("-a", odd({"/": LIST, "/1.htm": page})).code == 0
    assert crawl.rows("select text from articles") == [(text,)]


def test_an_article_of_300000_characters_is_kept_whole(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    line = "潍坊寿光粮点玉米收购价格0.8元/斤。"
    text = line * (300_000 // len(line) + 1)
    run = crawl("-a", odd({"/": LIST, "/1.htm": f"<div id='body'>{text}</div>".encode("gb18030")}))
    assert run.code == 0, run.err
    assert crawl.rows("select text from articles") == [(text,)]


def test_a_page_of_nearly_8_megabytes_is_kept_whole(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    paragraph = "<p>今日市场平稳,成交一般,后市仍待观察。</p>".encode("gb18030")
    count = 7_900_000 // len(paragraph)
    run = crawl(
        "-a", odd({"/": LIST, "/1.htm": b"<div id='body'>" + paragraph * count + b"</div>"})
    )
    assert run.code == 0, run.err
    assert crawl.rows("select length(text) - length(replace(text, '后市', '')) from articles") == [
        (2 * count,)
    ]


def test_a_page_larger_than_allowed_is_an_incomplete_article(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    big = b"<div id='body'>" + b"x" * 2_000_000 + b"</div>"
    run = crawl("-a", odd({"/": LIST, "/1.htm": big}), "-s", "DOWNLOAD_MAXSIZE=1000000")
    assert run.count("incomplete") == 1
    assert "Traceback" not in run.err


def test_a_link_to_a_file_is_an_incomplete_article(crawl: Crawler, odd: Callable[..., str]) -> None:
    pages = {
        "/": b"<li><a href='1.htm'>a</a></li><li><a href='2.htm'>b</a></li>",
        "/1.htm": b"\x89PNG\r\n\x1a\n\0\0",
        "/2.htm": b"<div id='body'>b</div>",
    }
    run = crawl("-a", odd(pages))
    assert run.code == 0, run.err
    assert (run.count("new"), run.count("incomplete")) == (2, 1)


def test_two_runs_of_the_same_crawl_at_once(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=20, latency_ms=150)
    first = crawl.start("-a", "site=demo")
    lock = crawl.folder / "data" / "locks" / "maize-demo.lock"
    deadline = time.monotonic() + 30
    while not lock.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    second = crawl("-a", "site=demo")
    assert second.code == 2
    assert "maize-demo is already running" in one_line(second.err)
    _, err = first.communicate(timeout=120)
    assert first.returncode == 0, err


@pytest.mark.parametrize("target", ["folder.xlsx", "/dev/null/book.xlsx"])
def test_a_workbook_that_cannot_be_placed_ends_the_crawl_before_it_begins(
    crawl: Crawler, demo: Callable[..., DemoWeb], target: str
) -> None:
    web = demo(days=3)
    (crawl.folder / "folder.xlsx").mkdir()
    run = crawl("-a", "site=demo", "-s", f"FOCUSCRAWL_STORES=sqlite:///a.sqlite,excel:///{target}")
    assert run.code == 2
    assert target.rpartition("/")[2] in one_line(run.err)
    assert not web.log


def test_a_workbook_that_is_open_elsewhere_leaves_the_database_whole(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=3)
    book = crawl.folder / "book.xlsx"
    process = crawl.start(
        "-a",
        "site=demo",
        "-s",
        f"FOCUSCRAWL_STORES=sqlite:///data/focuscrawl.sqlite,excel:///{book}",
    )
    # While the crawl runs, something that cannot be replaced takes the workbook's place.
    while not crawl.database.exists():
        time.sleep(0.01)
    book.mkdir()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "book.xlsx" in one_line(err)
    assert crawl.rows("select count(*) from articles") == [(len(web.truth()),)]


@pytest.mark.parametrize(
    "setting",
    [
        "FOCUSCRAWL_BATCH_SIZE=0",
        "FOCUSCRAWL_BATCH_SIZE=abc",
        "FOCUSCRAWL_BATCH_AGE=x",
        "FOCUSCRAWL_STORE_RETRY=-1",
        "FOCUSCRAWL_RETRY_AFTER_MAX=soon",
    ],
)
def test_settings_that_are_no_numbers(crawl: Crawler, setting: str) -> None:
    run = crawl("-s", setting)
    assert run.code == 2
    assert setting.partition("=")[0] in one_line(run.err)


def test_a_site_that_cannot_be_reached(crawl: Crawler) -> None:
    run = crawl("-a", "site=demo")
    assert run.code == 2
    assert "list page failed" in one_line(run.err)


def test_a_page_without_any_link_to_the_list_is_no_end(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
    more = "<a href='/more'>下一页</a>".encode("gb18030")
    run = crawl("-a", odd({"/": LIST + more, "/more": b"<p>nothing</p>", "/1.htm": body}))
    assert (run.code, run.count("new")) == (3, 1), run.err
    assert "the list pages behind it are not known" in run.out


@pytest.mark.parametrize("next_url", ["/1_2.htm", "/第二页.htm"])
def test_continuation_pages_that_lead_in_a_circle_end(
    crawl: Crawler, odd: Callable[..., str], next_url: str
) -> None:
    body = f"<div id='body'>潍坊0.8元/斤</div><a href='{next_url}'>下一页</a>".encode("gb18030")
    pages = {"/": LIST, "/1.htm": body, "/1_2.htm": b"->/1.htm", quote("/第二页.htm"): body}
    run = crawl("-a", odd(pages))
    assert (run.code, run.count("new"), run.count("incomplete")) == (0, 1, 0), run.err
    assert len(crawl.rows("select text from articles")[0][0]) < 40


def test_an_article_longer_than_the_profile_allows_is_incomplete(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div><a href='/{}.htm'>下一页</a>"
    pages = {f"/{n}.htm": body.format(n + 1).encode("gb18030") for n in range(1, 9)}
    article = {"body": "//div[@id='body']", "next": "//a[.='下一页']/@href", "max_pages": 3}
    run = crawl("-a", odd({"/": LIST, **pages}, article=article))
    assert run.count("incomplete") == 1
    assert "article.max_pages" in run.out


def test_robots_txt_on_a_continuation_page_keeps_what_was_read(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div><a href='/2.htm'>下一页</a>".encode("gb18030")
    rules = b"User-agent: *\nDisallow: /2.htm\n"
    run = crawl("-a", odd({"/": LIST, "/1.htm": body, "/2.htm": body, "/robots.txt": rules}))
    assert (run.count("new"), run.count("incomplete")) == (1, 1)


def test_equal_urls_are_one_article(crawl: Crawler, odd: Callable[..., str]) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
    links = ("1.htm", "http://ODD.test/1.htm", "http://odd.test:80/1.htm#top")
    entries = "".join(f"<li><a href='{link}'>玉米</a></li>" for link in links)
    run = crawl("-a", odd({"/": entries.encode("gb18030"), "/1.htm": body}))
    assert run.count("new") == 1


def test_retry_after_is_honoured(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    web = demo(days=4, fail_every=3)
    # The same page may be the third again and again.
    run = crawl("-a", "site=demo", "-L", "INFO", "-s", "RETRY_TIMES=20")
    assert run.code == 0, run.err
    assert "'focuscrawl/retry_after'" in run.err
    assert run.count("new") == len(web.truth())


def test_titles_that_match_nothing_are_explained(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=3)
    run = crawl("-a", "site=demo", "-a", "title=没有这样的标题")
    assert run.code == 0
    assert "matched title=没有这样的标题" in run.out


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


def test_a_next_link_that_is_redirected_back_ends(crawl: Crawler, odd: Callable[..., str]) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
    more = "<a href='/more'>下一页</a>".encode("gb18030")
    run = crawl("-a", odd({"/": LIST + more, "/more": b"->/", "/1.htm": body}))
    # A site may do so while it is busy, or wants a login: the end of the list is not known.
    assert run.code == 3, run.err
    assert "not done  the second page of the list is the first again: http://odd.test/" in run.out
    assert run.count("new") == 1
    rest = "<ul><li><a href='2.htm'>山东玉米</a></li></ul>".encode("gb18030")
    run = crawl("-a", odd({"/": LIST + more, "/more": rest, "/1.htm": body, "/2.htm": body}))
    assert run.code == 0, run.err
    assert run.count("new") == 1


def test_a_list_without_end_is_given_up(crawl: Crawler, odd: Callable[..., str]) -> None:
    body = "<div id='body'>潍坊0.8元/斤</div>".encode("gb18030")
    pages = {"/": LIST + "<a href='/p0'>下一页</a>".encode("gb18030"), "/1.htm": body}
    for number in range(100):
        pages[f"/p{number}"] = LIST + f"<a href='/p{number + 1}'>下一页</a>".encode("gb18030")
    run = crawl("-a", odd(pages))
    assert run.code == 3, run.err
    assert "the second page of the list is the first again: http://odd.test/p0" in run.out


def test_robots_txt_is_obeyed_and_named(crawl: Crawler, odd: Callable[..., str]) -> None:
    rules = b"User-agent: *\nDisallow: /1.htm\n"
    run = crawl("-a", odd({"/": LIST, "/1.htm": b"", "/robots.txt": rules}))
    assert "1 robots.txt" in run.out
    run = crawl("-a", odd({"/": LIST, "/robots.txt": b"User-agent: *\nDisallow: /\n"}))
    assert run.code == 2
    assert "robots.txt forbids the list page http://odd.test/" in one_line(run.err)


def test_a_disk_that_fills_up_ends_the_crawl_and_the_next_goes_on(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=30)
    crawl.largest_file = 400_000
    run = crawl("-a", "site=demo")
    assert run.code == 2
    assert "disk" in one_line(run.err)
    assert 0 < crawl.rows("select count(*) from articles")[0][0] < len(web.truth())
    crawl.largest_file = 0
    assert crawl("-a", "site=demo").code == 0
    assert crawl.rows("select count(*), sum(is_complete) from articles") == [
        (len(web.truth()),) * 2
    ]


def test_a_page_that_is_no_list_does_not_end_the_walk_of_others(
    crawl: Crawler, odd: Callable[..., str]
) -> None:
    body = "<div id='body'>潍坊寿光玉米0.8元/斤</div>".encode("gb18030")
    lists = [f"http://odd.test/{path}" for path in ("broken", "closed", "")]
    pages = {"/": LIST, "/1.htm": body, "/broken": b"<p>under repair</p>", "/closed": b"<p>x</p>"}
    run = crawl("-a", odd(pages, start_urls=lists))
    assert run.code == 2
    assert run.count("new") == 1
    said = run.out + one_line(run.err)
    assert all(url in said for url in lists[:2])
