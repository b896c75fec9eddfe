"""Pages that are no articles, in whole crawls: nothing of them is stored as a complete text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import Crawler, OddSite

PROFILE = """
name: odd
start_urls: ['http://odd.test/list/']
list: {entry: {css: li}, link: ./a/@href, title: ./a}
article: {body: {css: div.text}}
"""
HTML = {"Content-Type": "text/html; charset=utf-8"}
WALL = "<div class=text>哎呀，小二忙不过来了</div>"
LIST = "".join(f"<li><a href='/a/{n}.html'>玉米价格第{n}期</a></li>" for n in range(8))


def text_of(number: int) -> str:
    return "山东各地玉米收购价格有涨有跌，企业按质论价。" * 2 + "行情平稳。" * (number + 1)


class WalledSite(OddSite):
    """Answers 4 of 8 articles with ``wall``: a page, or the target of a redirect."""

    wall: str | bytes = WALL

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path in ("/", "/list/"):
            return Response(200, HTML, f"<html><ul>{LIST}</ul>".encode())
        number = int("".join(filter(str.isdigit, path)) or 9)
        if self.wall and number % 2:
            if isinstance(self.wall, bytes):
                return Response(302, {"Location": self.wall.decode()}, b"")
            return Response(200, HTML, self.wall.encode())
        body = f"<h1>玉米价格第{number}期</h1><div class=text>{text_of(number)}</div>"
        return Response(200, HTML, f"<html>{body}".encode())


@pytest.fixture
def site(crawl: Crawler, demo: Callable[..., DemoWeb]) -> WalledSite:
    """A site whose articles are walled, and a profile of it."""
    crawl.spider = "list"
    (crawl.folder / "odd.yaml").write_text(PROFILE, "utf-8")
    site = WalledSite({})
    demo(days=1).sites["odd.test"] = site
    return site


def texts(crawl: Crawler, *, complete: bool = True) -> set[str]:
    rows = crawl.rows("select text, is_complete from articles")
    return {text for text, is_complete in rows if is_complete or not complete}


@pytest.mark.parametrize(
    ("wall", "reason"),
    [(WALL, "same text"), (b"/", "sent home"), (b"/list/", "sent to the list")],
)
def test_a_page_that_is_no_article_is_requested_again(
    crawl: Crawler, site: WalledSite, wall: str | bytes, reason: str
) -> None:
    site.wall = wall
    first = crawl("-a", "site=odd.yaml")
    assert first.code == 3, first.out + first.err
    assert f"4 of 8 entries gave a page that is no article ({reason})" in first.out
    assert texts(crawl) == {text_of(number) for number in range(0, 8, 2)}
    site.wall = ""
    assert crawl("-a", "site=odd.yaml").code == 0
    assert texts(crawl) == {text_of(number) for number in range(8)}


def test_a_wall_never_replaces_a_stored_text(crawl: Crawler, site: WalledSite) -> None:
    site.wall = ""
    assert crawl("-a", "site=odd.yaml").code == 0
    site.wall = WALL
    for code in (3, 3, 3, 3):
        assert crawl("-a", "site=odd.yaml", "-a", "refresh=all").code == code
    assert texts(crawl, complete=False) == {text_of(number) for number in range(8)}


def test_a_text_that_articles_share_for_good_is_stored(crawl: Crawler, site: WalledSite) -> None:
    site.wall = "<title>玉米价格第1期 第3期 第5期 第7期</title><div class=text>见附件</div>"
    assert [crawl("-a", "site=odd.yaml").code for _ in range(4)] == [3, 3, 0, 0]
    assert "见附件" in texts(crawl)
