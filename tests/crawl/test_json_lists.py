"""A crawl of a list that the site sends as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import NO_DELAYS, Crawler, one_line
from tests.servers import warm_scrapy

pytestmark = pytest.mark.usefixtures("no_workbook")

TITLES = [f"玉米价格第{n}期" for n in range(7)]
PROFILE = """
name: api
start_urls: ['http://api.test/list?page=1']
list:
  json:
    entries: data.rows
    link: http://api.test/a/{id}.html
    title: title
    date: time
    next: http://api.test/list?page={page}
article:
  body: {css: div.text}
"""


class ApiSite:
    """Three objects a page, newest first; ``last`` says what comes after the last page."""

    def __init__(self, last: str = "empty") -> None:
        self.last = last

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/list":
            number = int(parse_qs(query)["page"][0])
            number = min(number, 3) if self.last == "same" else number
            chosen = range(len(TITLES))[3 * (number - 1) : 3 * number]
            if not chosen and self.last == "404":
                return Response(404, {}, b"")
            rows = [{"id": n, "title": TITLES[n], "time": 1710900000 - 86400 * n} for n in chosen]
            is_null = not rows and self.last == "null"
            body = json.dumps({"code": 0, "data": {"rows": None if is_null else rows}})
            return Response(200, {"Content-Type": "application/json"}, body.encode())
        if path.startswith("/a/"):
            text = f"<html><div class='text'>{path} 的正文,山东玉米每吨2300元。</div></html>"
            return Response(200, {"Content-Type": "text/html; charset=utf-8"}, text.encode())
        return Response(404, {}, b"")


class ShortSite(ApiSite):
    """One page of three objects; the next one does not exist. ``total`` says how many there are."""

    def __init__(self, total: int, last: str) -> None:
        super().__init__(last)
        self.total = total

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        is_behind = path == "/list" and query != "page=1"
        response = super().respond(path, "page=9" if is_behind else query, headers)
        body = response.body.replace(b'"code": 0', b'"total": %d' % self.total)
        return replace(response, body=body)


@pytest.mark.parametrize(
    ("last", "total", "code"), [("empty", 3, 0), ("404", 7, 3), ("null", 7, 3)]
)
def test_a_list_of_one_page_is_whole_unless_it_says_more(
    crawl: Crawler, demo: Callable[..., DemoWeb], last: str, total: int, code: int
) -> None:
    demo(days=1).sites["api.test"] = ShortSite(total, last)
    (crawl.folder / "api.yaml").write_text(PROFILE, "utf-8")
    done = crawl("-a", "site=api.yaml")
    assert (done.code, done.count("new")) == (code, 3), done.out
    assert ("not done" in done.out) == bool(code)
    command = ["trysite", "api.yaml", *NO_DELAYS]
    tried = warm_scrapy.run(command, cwd=crawl.folder, env=os.environ | crawl.environment)
    assert tried.returncode == code, tried.stdout


@pytest.mark.parametrize("last", ["null", "same", "404"])
def test_the_pages_are_counted_until_one_has_nothing_new(
    crawl: Crawler, demo: Callable[..., DemoWeb], last: str
) -> None:
    web = demo(days=1)
    web.sites["api.test"] = ApiSite(last)
    (crawl.folder / "api.yaml").write_text(PROFILE, "utf-8")
    done = crawl("-a", "site=api.yaml")
    assert done.code == 0, done.out + done.err
    assert "not done" not in done.out
    assert "note" not in done.out
    assert done.count("new") == len(TITLES)
    assert crawl.rows("select title, published from articles order by published desc")[:2] == [
        (TITLES[0], "2024-03-20"),
        (TITLES[1], "2024-03-19"),
    ]
    web.log.clear()
    again = crawl("-a", "site=api.yaml")
    assert (again.code, again.count("new")) == (0, 0)
    # The first two pages, since one alone has too few entries to tell, and a look at one further down.
    assert sum("/list" in str(line) for line in web.log) <= 3


def test_an_empty_list_is_no_news(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=1).sites["api.test"] = ApiSite()
    text = PROFILE.replace("page=1']", "page=99']")
    (crawl.folder / "api.yaml").write_text(text, "utf-8")
    for _ in range(2):
        done = crawl("-a", "site=api.yaml")
        assert done.code == 0, done.out + done.err
        assert "note      the list is empty on http://api.test/list?page=99" in done.out


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        ("data.rows", "data.list", "list.json.entries (data.list) selects no array on"),
        ("list?page=1']", "a/1.html']", "http://api.test/a/1.html is not JSON; correct the URL"),
    ],
)
def test_what_is_no_list_is_an_error(
    crawl: Crawler, demo: Callable[..., DemoWeb], right: str, wrong: str, sentence: str
) -> None:
    demo(days=1).sites["api.test"] = ApiSite()
    (crawl.folder / "api.yaml").write_text(PROFILE.replace(right, wrong), "utf-8")
    done = crawl("-a", "site=api.yaml")
    assert done.code == 2
    assert sentence in one_line(done.err)


class CursorSite(ApiSite):
    """Three objects a page, each page with the mark of the next one."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path != "/list":
            return super().respond(path, query, headers)
        begin = int(parse_qs(query).get("cursor", ["0"])[0])
        end = min(begin + 3, len(TITLES))
        rows = [{"id": n, "title": TITLES[n], "time": 1710900000} for n in range(begin, end)]
        data = {"rows": rows, "cursor": end, "has_more": end < len(TITLES)}
        return Response(200, {"Content-Type": "application/json"}, json.dumps(data).encode())


CURSORS = (
    PROFILE.replace("data.rows", "rows")
    .replace("list?page=1'", "list'")
    .replace("next: http://api.test/list?page={page}", "next: /list?cursor={has_more && cursor}")
)


@pytest.mark.parametrize(
    ("right", "wrong", "count", "code", "sentence"),
    [
        ("", "", 7, 0, ""),
        ("has_more && ", "", 7, 0, ""),
        ("    next: /list?cursor={has_more && cursor}\n", "", 3, 0,
         "note      list.json.next is missing, but has_more is true"),
        ("&& cursor", "&& mark", 3, 3, "not done  list.json.next gives no next page, but has_more is true"),
        ("?cursor=", "?c=", 3, 3, "not done  the second page of the list is the first again, but has_more"),
    ],
)  # fmt: skip
def test_the_pages_are_followed_by_cursor(
    crawl: Crawler,
    demo: Callable[..., DemoWeb],
    right: str,
    wrong: str,
    count: int,
    code: int,
    sentence: str,
) -> None:
    demo(days=1).sites["api.test"] = CursorSite()
    assert right in CURSORS
    (crawl.folder / "api.yaml").write_text(CURSORS.replace(right, wrong), "utf-8")
    done = crawl("-a", "site=api.yaml")
    assert done.code == code, done.out + done.err
    assert done.count("new") == count
    assert sentence in done.out
