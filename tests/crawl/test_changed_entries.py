"""Entries of which a list shows another title or date than before: they are requested again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import Crawler, OddSite

pytestmark = pytest.mark.usefixtures("no_workbook")

PROFILE = """
name: odd
start_urls: [{}]
list: {{entry: {{css: li}}, link: ./a/@href, title: ./a, date: ./i}}
article: {{body: {{css: div.text}}}}
"""
HTML = {"Content-Type": "text/html; charset=utf-8"}
OLDER = {f"/a/{n}.html": (f"玉米周报第{n}期", f"2026-01-{30 - n}") for n in range(1, 8)}
TODAY = "/a/today.html"


class EditedSite(OddSite):
    """Lists of entries, by path; each article has its own text."""

    lists: Mapping[str, Mapping[str, tuple[str, str]]]

    def __init__(self) -> None:
        super().__init__({})
        self.asked: list[str] = []
        self.texts: dict[str, str] = {}
        self.broken = ""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        self.asked.append(path)
        if path in self.lists:
            rows = "".join(
                f"<li><a href='{url}'>{title}</a><i>{day}</i></li>"
                for url, (title, day) in self.lists[path].items()
            )
            return Response(200, HTML, f"<html><ul>{rows}</ul>".encode())
        if path == self.broken:
            return Response(500, {}, b"")
        text = self.texts.get(path, "行情平稳。")
        return Response(200, HTML, f"<html><div class=text>{path} {text}</div>".encode())


@pytest.fixture
def site(crawl: Crawler, demo: Callable[..., DemoWeb]) -> EditedSite:
    """A site with one list, and a profile of it."""
    crawl.spider = "list"
    (crawl.folder / "odd.yaml").write_text(PROFILE.format("'http://odd.test/list/'"), "utf-8")
    site = EditedSite()
    demo(days=1).sites["odd.test"] = site
    return site


def show(site: EditedSite, title: str, day: str) -> None:
    site.lists = {"/list/": {TODAY: (title, day)} | OLDER}


def stored(crawl: Crawler) -> dict[str, tuple[str, str, str]]:
    """Return title, date and text of each article, by its path."""
    rows = crawl.rows("select url, title, published, text from articles")
    return {
        url.removeprefix("http://odd.test"): (title, day, text) for url, title, day, text in rows
    }


BEFORE = ("今日行情第1期", "2026-02-01")
# Another title, another date, both, with or without another text.
EDITED = {
    "/a/both.html": ("今日行情第2期", "2026-02-02", "大幅上涨。"),
    "/a/title.html": ("今日行情第2期", "2026-02-01", "大幅上涨。"),
    "/a/date.html": ("今日行情第1期", "2026-02-02", "大幅上涨。"),
    "/a/title-only.html": ("今日行情第1期（更正）", "2026-02-01", "行情平稳。"),
    "/a/date-only.html": ("今日行情第1期", "2026-02-02", "行情平稳。"),
}


def test_entries_with_another_title_or_date_are_requested_once(
    crawl: Crawler, site: EditedSite
) -> None:
    site.lists = {"/list/": dict.fromkeys(EDITED, BEFORE) | OLDER}
    assert crawl("-a", "site=odd.yaml").code == 0
    site.lists = {
        "/list/": {path: (title, day) for path, (title, day, _) in EDITED.items()} | OLDER
    }
    site.texts = {path: text for path, (_, _, text) in EDITED.items()}
    for requested in ([*EDITED], []):
        site.asked.clear()
        assert crawl("-a", "site=odd.yaml").code == 0
        assert sorted(path for path in site.asked if path.startswith("/a/")) == sorted(requested)
    found = stored(crawl)
    for path, (title, day, text) in EDITED.items():
        assert found[path] == (title, day, f"{path} {text}")


def test_lists_with_titles_of_their_own_ask_for_nothing(crawl: Crawler, site: EditedSite) -> None:
    urls = "'http://odd.test/list/', 'http://odd.test/news/'"
    (crawl.folder / "odd.yaml").write_text(PROFILE.format(urls), "utf-8")
    show(site, "今日行情第1期", "2026-02-01")
    site.lists = {**site.lists, "/news/": {TODAY: ("要闻：今日行情", "2026-02-03")} | OLDER}
    assert crawl("-a", "site=odd.yaml").code == 0
    site.asked.clear()
    assert crawl("-a", "site=odd.yaml").code == 0
    assert TODAY not in site.asked


def test_what_was_incomplete_gets_the_title_of_the_list(crawl: Crawler, site: EditedSite) -> None:
    show(site, "今日行情第1期", "2026-02-01")
    site.broken = TODAY
    assert crawl("-a", "site=odd.yaml").code == 3
    site.broken = ""
    show(site, "今日行情第2期", "2026-02-02")
    assert crawl("-a", "site=odd.yaml").code == 0
    assert stored(crawl)[TODAY][:2] == ("今日行情第2期", "2026-02-02")


def test_a_refresh_takes_titles_from_all_pages_of_the_list(
    crawl: Crawler, site: EditedSite
) -> None:
    show(site, "今日行情第1期", "2026-02-01")
    assert crawl("-a", "site=odd.yaml").code == 0
    # As for a database whose lists have not remembered what they have shown.
    with closing(sqlite3.connect(crawl.database)) as connection, connection:
        connection.execute("delete from crawl_state")
    show(site, "今日行情第1期（更正）", "2026-02-02")
    assert crawl("-a", "site=odd.yaml", "-a", "refresh=all").code == 0
    assert stored(crawl)[TODAY][:2] == ("今日行情第1期（更正）", "2026-02-02")
