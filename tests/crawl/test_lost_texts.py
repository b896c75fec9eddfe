"""Pages that are no articles or lead to others, and stored articles that are empty, cut or missing later."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import Crawler, OddSite

pytestmark = pytest.mark.usefixtures("no_workbook")

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
    """Eight articles; ``odd`` are pages, targets of redirects or codes in place of some, by number."""

    listed = range(1, 9)

    def __init__(self, web: DemoWeb) -> None:
        super().__init__({})
        self.web = web
        self.odd: dict[int, str | bytes | int] = {}
        self.title_of: dict[int, str] = {}

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path in ("/", "/list/"):
            rows = (
                f"<li><a href='/a/{n}.html'>{self.title_of.get(n, f'玉米价格第{n}期')}</a><i>2026-01-{30 - n}</i></li>"
                for n in self.listed
            )
            return Response(200, HTML, f"<html><ul>{''.join(rows)}</ul>".encode())
        number = int("".join(filter(str.isdigit, path)) or 0)
        odd = self.odd.get(number, page(number, text_of(number)))
        if isinstance(odd, bytes):
            return Response(302, {"Location": odd.decode()}, b"")
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
    web = demo(days=1)
    web.sites["odd.test"] = site = WeakSite(web)
    return site


def texts(crawl: Crawler) -> dict[int, str]:
    rows = crawl.rows("select url, text from articles")
    return {int(url.rpartition("/")[2].removesuffix(".html")): text for url, text in rows}


def complete(crawl: Crawler) -> dict[int, str]:
    incomplete = crawl.rows("select text from articles where not is_complete")
    return {number: text for number, text in texts(crawl).items() if (text,) not in incomplete}


ALL = {number: text_of(number) for number in range(1, 9)}


WALL = "<div class=text>哎呀，小二忙不过来了</div>"
WALLED = (1, 3, 5, 7)


@pytest.mark.parametrize(
    ("wall", "reason"),
    [(WALL, "same text"), (b"/", "sent home"), (b"/list/", "sent to the list")],
)
def test_a_page_that_is_no_article_is_requested_again(
    crawl: Crawler, site: WeakSite, wall: str | bytes, reason: str
) -> None:
    site.odd = dict.fromkeys(WALLED, wall)
    first = crawl(*ARGUMENTS)
    assert first.code == 3, first.out + first.err
    assert f"4 of 8 entries gave a page that is no article ({reason})" in first.out
    assert complete(crawl) == {number: text_of(number) for number in range(2, 9, 2)}
    site.odd = {}
    assert crawl(*ARGUMENTS).code == 0
    assert complete(crawl) == texts(crawl) == ALL


def test_a_wall_never_replaces_a_stored_text(crawl: Crawler, site: WeakSite) -> None:
    assert crawl(*ARGUMENTS).code == 0
    site.odd = dict.fromkeys(WALLED, WALL)
    # In the third run, a text that articles share is believed, but not where another one is stored.
    assert [crawl(*REFRESH).code for _ in range(4)] == [3, 3, 3, 3]
    assert texts(crawl) == ALL


def test_a_text_that_articles_share_for_good_is_stored(crawl: Crawler, site: WeakSite) -> None:
    page_of_all = "<title>玉米价格第1期 第3期 第5期 第7期</title><div class=text>见附件</div>"
    site.odd = dict.fromkeys(WALLED, page_of_all)
    assert [crawl(*ARGUMENTS).code for _ in range(4)] == [3, 3, 0, 0]
    assert "见附件" in complete(crawl).values()


def test_what_is_left_of_a_text_does_not_replace_it(crawl: Crawler, site: WeakSite) -> None:
    assert crawl(*ARGUMENTS).code == 0
    site.odd = {
        3: page(3, ""),
        4: page(4, "Microsoft VBScript 编译器错误 '800a0401' /a/3.asp，行 12"),
        5: page(5, text_of(5)[:20])[: -len("</div></html>")],
        6: "<html><div class=text>今日无内容</div></html>",
    }
    run = crawl(*REFRESH)
    assert run.code == 3
    assert "4 of 8 entries gave a page that is no article" in run.out
    assert "shorter than before" in run.out
    assert "error page" in run.out
    assert texts(crawl) == ALL
    # The next run asks again.
    site.odd = {number: page(number, "更正：" + text_of(number)[:30]) for number in site.odd}
    assert crawl(*ARGUMENTS).code == 0
    corrected = {number for number, text in texts(crawl).items() if text.startswith("更正")}
    assert corrected == {*site.odd}


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
    assert texts(crawl) == ALL


def test_404_for_a_few_articles_is_believed(crawl: Crawler, site: WeakSite) -> None:
    assert crawl(*ARGUMENTS).code == 0
    site.odd = dict.fromkeys(range(1, 5), 404)
    run = crawl(*REFRESH)
    assert (run.code, run.count("gone")) == (0, 4)


def test_the_next_article_is_no_page_of_the_one_before(crawl: Crawler, site: WeakSite) -> None:
    link = "<a href='/a/{}.html'>下一页</a>"
    # The last pages of two articles lead to one of the list, and to one that is not in it.
    for number, following in ((4, 5), (6, 99)):
        site.odd[number] = page(number, text_of(number), link.format(f"{number}_2"))
        site.odd[10 * number + 2] = page(number, f"完{number}。", link.format(following))
    site.odd[99] = page(99, text_of(99))
    run = crawl(*ARGUMENTS)
    assert run.code == 3
    assert "article.next leads to another article" in run.out
    assert texts(crawl) == ALL | {n: f"{text_of(n)}\n完{n}。" for n in (4, 6)}


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


# A topic that only the texts are about, not the titles.
TOPIC = (*ARGUMENTS, "-a", "topic=收购,按质论价,行情平稳,有涨有跌")
OFF = "棉花播种面积与上年持平，纺织企业开工率回升，进口纱线到港数量增加。" * 3


def relevant(crawl: Crawler) -> set[int]:
    rows = crawl.rows("select url from articles where relevance > 0.4")
    return {int(url.rpartition("/")[2].removesuffix(".html")) for (url,) in rows}


def test_a_wall_is_not_off_the_topic(crawl: Crawler, site: WeakSite) -> None:
    site.odd = dict.fromkeys(WALLED, WALL) | {2: page(2, OFF)}
    assert crawl(*TOPIC).code == 3
    assert complete(crawl) == {number: text_of(number) for number in (4, 6, 8)}
    site.odd = {2: page(2, OFF)}
    done = crawl(*TOPIC)
    assert done.code == 0
    assert complete(crawl) == texts(crawl) == {n: ALL[n] for n in ALL if n != 2}
    assert re.search(r"judged    4 articles, 4 relevant", done.out)


def test_an_article_is_judged_once_it_is_complete(crawl: Crawler, site: WeakSite) -> None:
    link = "<a href='/a/5_2.html'>下一页</a>"
    site.odd = {5: page(5, OFF, link), 52: 500}
    assert crawl(*TOPIC).code == 3
    site.odd[52] = page(5, text_of(5) * 5)
    assert crawl(*TOPIC).code == 0
    assert complete(crawl)[5].endswith(text_of(5) * 5)
    assert relevant(crawl) == {*ALL}


def test_a_stored_article_is_kept_up_to_date_off_the_topic(crawl: Crawler, site: WeakSite) -> None:
    assert crawl(*TOPIC).code == 0
    site.odd = {5: page(5, OFF)}
    done = crawl(*TOPIC, "-a", "refresh=all")
    assert (done.code, done.count("changed"), done.count("unchanged")) == (0, 1, 7)
    assert texts(crawl)[5] == OFF
    assert relevant(crawl) == {*ALL} - {5}


def test_an_article_that_was_not_modified_is_judged(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=3)
    stored = crawl("-a", "site=demo").count("new")
    web.log.clear()
    done = crawl("-a", "site=demo", "-a", "topic=小麦", "-a", "refresh=all")
    assert {one.status for one in web.log if "/news/" in one.url} == {304}
    assert done.count("unchanged") == stored
    assert f"judged    {stored} articles" in done.out
    assert crawl.rows("select count(*) from articles where relevance is null") == [(0,)]
    assert crawl.rows("select count(*) from articles where relevance > 0.4") != [(0,)]


def test_what_was_off_the_topic_is_remembered(crawl: Crawler, site: WeakSite) -> None:
    web = site.web
    site.odd = {number: page(number, OFF) for number in (2, 4)}

    def asked(*arguments: str) -> set[str]:
        web.log.clear()
        crawl(*TOPIC, *arguments)
        return {one.url for one in web.log if "/a/" in one.url}

    assert len(asked()) == 8
    # A run that ends before its start knows nothing of the others.
    assert crawl(*TOPIC, "-s", "FOCUSCRAWL_WHOLE_LIST_DAYS=-1").code == 2
    assert not asked()
    site.title_of[4] = "更正：收购价格第4期"
    assert asked() == {"http://odd.test/a/4.html"}


def test_a_list_with_nothing_on_the_topic_is_no_alarm(crawl: Crawler, site: WeakSite) -> None:
    site.odd = {number: page(number, OFF) for number in ALL}
    for _ in range(2):
        done = crawl(*TOPIC)
        assert (done.code, "alarm" in done.out) == (0, False)
        assert "8 off topic" in done.out
