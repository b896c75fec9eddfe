"""Lists whose links change from run to run, by parameters that do not name the article."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing

import pytest

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.items import check_code
from tests.crawl.conftest import Crawler

pytestmark = pytest.mark.usefixtures("no_workbook")

PROFILE = """
name: odd
start_urls: ['http://odd.test/']
list: {entry: {css: ul.news > li}, link: ./a/@href, title: ./a, date: ./i}
article: {body: {css: div.text}}
"""
COUNT = 6


class ChangingSite:
    """Links of articles with ``query``, in which # stands for a number that never comes back."""

    def __init__(self, query: str) -> None:
        self.query = query
        self._number = 1000

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        html = f"<div class='text'>山东玉米收购价格的第{path}篇正文,企业按质论价,成交一般。</div>"
        if path == "/":
            rows = "".join(map(self._row, range(COUNT)))
            html = f"<ul class='news'>{rows}</ul>"
        return Response(
            200, {"Content-Type": "text/html; charset=utf-8"}, f"<html>{html}</html>".encode()
        )

    def _row(self, n: int) -> str:
        self._number += 1
        query = self.query.replace("#", str(self._number))
        return f"<li><a href='/a/{n}.html{query}'>玉米价格第{n}期</a><i>2024-03-{20 - n}</i></li>"


@pytest.fixture
def serve(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Callable[[str], ChangingSite]:
    """Serves the site, and writes its profile."""

    def start(query: str, profile: str = PROFILE) -> ChangingSite:
        site = ChangingSite(query)
        demo(days=1).sites["odd.test"] = site
        (crawl.folder / "odd.yaml").write_text(profile, "utf-8")
        crawl.spider = "list"
        return site

    return start


def counts(crawl: Crawler) -> tuple[int, int, int]:
    done = crawl("-a", "site=odd.yaml")
    assert done.code == 0, done.out + done.err
    return done.count("new"), done.count("changed"), done.count("unchanged")


def test_tracking_parameters_give_no_new_articles(
    crawl: Crawler, serve: Callable[[str], ChangingSite]
) -> None:
    serve("?spm=a.#&utm_source=list&utm_id=#&_t=#&from=x#")
    assert counts(crawl) == (COUNT, 0, 0)
    assert counts(crawl) == (0, 0, COUNT)
    urls = [url for (url,) in crawl.rows("select url from articles order by url")]
    assert urls == [f"http://odd.test/a/{n}.html" for n in range(COUNT)]


def test_a_database_of_links_with_tracking_parameters_goes_on(
    crawl: Crawler, serve: Callable[[str], ChangingSite]
) -> None:
    site = serve("")
    assert counts(crawl) == (COUNT, 0, 0)
    # Older versions stored the links as listed.
    with closing(sqlite3.connect(crawl.database)) as connection, connection:
        for md5, url in connection.execute("select url_md5, url from articles").fetchall():
            listed = f"{url}?from=list"
            change = "update articles set url = ?, url_md5 = ? where url_md5 = ?"
            connection.execute(change, (listed, check_code(listed), md5))
        # The chain has the keys of the links as stored.
        connection.execute("delete from crawl_state where key like 'coverage %'")
    site.query = "?from=list"
    assert counts(crawl) == (0, 0, COUNT)


def test_an_unknown_parameter_is_told_and_can_be_ignored(
    crawl: Crawler, serve: Callable[[str], ChangingSite]
) -> None:
    serve("?t=#")
    assert counts(crawl) == (COUNT, 0, 0)
    done = crawl("-a", "site=odd.yaml")
    assert done.code == 0
    assert (
        f"note      {COUNT} of {COUNT} new entries have title and date of a stored article"
        in done.out
    )
    assert "if t change at every run, write ignore_parameters: [t] in the profile" in done.out
    (crawl.folder / "odd.yaml").write_text(f"{PROFILE}ignore_parameters: [t]\n", "utf-8")
    # The stored copies are requested once more, since the list no longer has their addresses.
    assert counts(crawl)[:2] == (COUNT, 0)
    assert counts(crawl)[0] == 0
