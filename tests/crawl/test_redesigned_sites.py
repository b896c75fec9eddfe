"""A site that was redesigned is told from one without news, and from one that hides its list."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler, Finished, OddSite, one_line

PROFILE = """
name: odd
start_urls: ['http://odd.test/']
list: {entry: {css: ul.news > li}, link: ./a/@href, title: ./a}
article: {body: {css: div.text}}
"""
TITLES = [f"山东玉米收购价格第{n}期" for n in range(8)]
ARTICLE = "<html><h1>{0}</h1><div class='text'>{0}。山东各地玉米收购价格有涨有跌,企业按质论价,成交一般,货源不多。</div></html>"
MENU = "".join(f'<li><a href="/c{n}/">栏目{n}</a></li>' for n in range(8))


def listing(name: str = "news", numbers: range = range(8)) -> str:
    rows = (f'<li><a href="/a/{n}.html">{TITLES[n]}</a> 2024-03-{20 - n}</li>' for n in numbers)
    return f'<html><ul class="nav">{MENU}</ul><ul class="{name}">{"".join(rows)}</ul></html>'


@pytest.fixture
def again(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Callable[[str], Finished]:
    """Crawls the list, replaces its page, and crawls it again."""

    def change(html: str) -> Finished:
        pages = {f"/a/{n}.html": ARTICLE.format(TITLES[n]).encode() for n in range(8)}
        site = OddSite({"/": listing().encode(), **pages})
        demo(days=1).sites["odd.test"] = site
        (crawl.folder / "odd.yaml").write_text(PROFILE, "utf-8")
        first = crawl("-a", "site=odd.yaml")
        assert (first.code, first.count("new")) == (0, 8), first.out + first.err
        site.pages["/"] = html.encode()
        return crawl("-a", "site=odd.yaml")

    return change


def test_a_list_of_another_shape_is_a_redesign(again: Callable[[str], Finished]) -> None:
    done = again(listing("articles"))
    line = one_line(done.err)
    assert "the site has probably been redesigned: the profile odd selects no entries" in line
    assert "http://odd.test/, 8 on " in line
    assert "run `scrapy newsite http://odd.test/`" in line
    assert done.code == 2


def test_a_list_that_is_kept_for_few_entries_is_a_redesign(
    again: Callable[[str], Finished],
) -> None:
    pinned = '<ul class="news"><li><a href="/a/0.html">置顶</a></li><li><a href="/a/1.html">公告</a></li></ul>'
    done = again(listing("articles").replace("</html>", f"{pinned}</html>"))
    assert "redesigned: the profile odd selects 2 entries on http://odd.test/, 8 on" in done.out
    assert done.code == 3


def test_the_same_entries_are_no_news(again: Callable[[str], Finished]) -> None:
    done = again(listing())
    assert done.code == 0, done.out + done.err
    assert (done.count("new"), done.count("unchanged")) == (0, 8)
    assert "redesigned" not in done.out


def test_a_shorter_list_is_no_redesign(again: Callable[[str], Finished]) -> None:
    done = again(listing(numbers=range(3)))
    assert "redesigned" not in done.out
    assert done.code == 0, done.out + done.err


def test_a_login_instead_of_the_list_is_told(again: Callable[[str], Finished]) -> None:
    done = again('<html><form><input name="u"><input type="password" name="p"></form></html>')
    line = one_line(done.err)
    assert "http://odd.test/ asks for a login" in line
    assert "the profile odd read a list there on " in line
    assert done.code == 2
