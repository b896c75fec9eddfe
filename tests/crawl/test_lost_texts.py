"""Stored articles whose pages are empty, cut or missing later, and pages that lead to other articles."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import Crawler, OddSite

PROFILE = """
name: odd
start_urls: ['http://odd.test/list/']
list: {entry: {css: li}, link: ./a/@href, title: ./a, date: ./i}
article: {body: {css: div.text}, next: "//a[.='下一页']/@href"}
"""
HTML = {"Content-Type": "text/html; charset=utf-8"}
ARGUMENTS = ("-a", "site=odd.yaml")
REFRESH = (*ARGUMENTS, "-a", "refresh=all")


class WeakSite(OddSite):
    """Eight articles; ``odd`` are answers in place of some of them, by number."""

    listed = range(1, 9)

    def __init__(self) -> None:
        super().__init__({})
        self.odd: dict[int, str | int] = {}

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/list/":
            rows = (
                f"<li><a href='/a/{n}.html'>玉米价格第{n}期</a><i>2026-01-{30 - n}</i></li>"
                for n in self.listed
            )
            return Response(200, HTML, f"<html><ul>{''.join(rows)}</ul>".encode())
        number = int("".join(filter(str.isdigit, path)) or 0)
        odd = self.odd.get(number, page(number, text_of(number)))
        return Response(odd, {}, b"") if isinstance(odd, int) else Response(200, HTML, odd.encode())


def text_of(number: int) -> str:
    return f"第{number}期：山东各地玉米收购价格有涨有跌，企业按质论价。" + "行情平稳。" * (
        number + 9
    )


def page(number: int, text: str, link: str = "") -> str:
    title = f"玉米价格第{number}期"
    return f"<html><h1>{title}</h1><div class=text>{text}</div>{link}</html>"


@pytest.fixture
def site(crawl: Crawler, demo: Callable[..., DemoWeb]) -> WeakSite:
    """A site, and a profile of it."""
    crawl.spider = "list"
    (crawl.folder / "odd.yaml").write_text(PROFILE, "utf-8")
    site = WeakSite()
    demo(days=1).sites["odd.test"] = site
    return site


def texts(crawl: Crawler) -> dict[int, str]:
    rows = crawl.rows("select url, text from articles")
    return {int(url.rpartition("/")[2].removesuffix(".html")): text for url, text in rows}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (page(3, ""), "shorter than before"),
        (page(3, "Microsoft VBScript 编译器错误 '800a0401' /a/3.asp，行 12"), "error page"),
        (page(3, text_of(3)[:20])[: -len("</div></html>")], "shorter than before"),
        ("<html><div class=text>今日无内容</div></html>", "shorter than before"),
    ],
)
def test_what_is_left_of_a_text_does_not_replace_it(
    crawl: Crawler, site: WeakSite, answer: str, reason: str
) -> None:
    assert crawl(*ARGUMENTS).code == 0
    site.odd = {3: answer}
    run = crawl(*REFRESH)
    assert run.code == 3
    assert f"gave a page that is no article ({reason})" in run.out
    assert texts(crawl)[3] == text_of(3)
    # The next run asks again.
    site.odd = {3: page(3, "更正：" + text_of(3)[:30])}
    assert crawl(*ARGUMENTS).code == 0
    assert texts(crawl)[3].startswith("更正")


def test_an_article_that_was_made_shorter_is_stored(crawl: Crawler, site: WeakSite) -> None:
    # The first page of several, in HTML without an end, is no shorter text.
    link = "<a href='/a/5_2.html'>下一页</a>"
    pages = {5: page(5, text_of(5), link).removesuffix("</html>"), 52: page(5, text_of(5)[::-1])}
    site.odd = pages
    assert crawl(*ARGUMENTS).code == 0
    site.odd = pages | {3: page(3, text_of(3)[:20])}
    assert crawl(*REFRESH).code == 0
    assert texts(crawl)[3] == text_of(3)[:20]


def test_404_for_most_articles_is_believed_in_the_next_run(crawl: Crawler, site: WeakSite) -> None:
    gone = "select count(*) from articles where gone_at is not null"
    assert crawl(*ARGUMENTS).code == 0
    site.odd = dict.fromkeys(range(1, 8), 404)
    run = crawl(*REFRESH)
    assert (run.code, crawl.rows(gone)) == (3, [(0,)])
    assert "7 stored articles answer 404" in run.out
    site.odd = dict.fromkeys(range(2, 8), 404)
    assert (crawl(*ARGUMENTS).code, crawl.rows(gone)) == (0, [(6,)])
    assert texts(crawl) == {number: text_of(number) for number in range(1, 9)}


def test_404_for_a_few_articles_is_believed(crawl: Crawler, site: WeakSite) -> None:
    assert crawl(*ARGUMENTS).code == 0
    site.odd = dict.fromkeys(range(1, 5), 404)
    run = crawl(*REFRESH)
    assert (run.code, run.count("gone")) == (0, 4)


@pytest.mark.parametrize("following", [5, 99])
def test_the_next_article_is_no_page_of_the_one_before(
    crawl: Crawler, site: WeakSite, following: int
) -> None:
    link = "<a href='/a/{}.html'>下一页</a>"
    site.odd = {
        4: page(4, text_of(4), link.format("4_2")),
        42: page(4, "完。", link.format(following)),
    }
    site.odd[99] = page(99, text_of(99))
    run = crawl(*ARGUMENTS)
    assert run.code == 3
    assert "article.next leads to another article" in run.out
    assert texts(crawl)[4] == f"{text_of(4)}\n完。"


def test_an_article_on_a_later_list_page_or_stored_is_not_appended(
    crawl: Crawler, site: WeakSite
) -> None:
    assert crawl(*ARGUMENTS).code == 0
    site.listed = range(0, 1)
    # Of the same title, so that only the stores tell.
    site.odd = {0: page(0, text_of(0), "<a href='/a/7.html'>下一页</a>"), 7: page(0, text_of(7))}
    assert crawl(*ARGUMENTS).code == 3
    assert texts(crawl)[0] == text_of(0)


def test_an_article_without_a_body_is_told_in_each_run(crawl: Crawler, site: WeakSite) -> None:
    site.odd = {2: "<html><h1>玉米价格第2期</h1></html>"}
    for asked in (8, 1):
        run = crawl(*ARGUMENTS)
        assert run.code == 3
        assert f"1 of {asked} entries gave no article" in run.out
