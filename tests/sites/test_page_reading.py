from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from lxml import html

from focuscrawl.errors import ProfileError
from focuscrawl.sites.page_reading import ArticlePage, ListPage, read_article_page, read_list
from focuscrawl.sites.site_profile import SiteProfile
from tests.sites.stored import stored

TODAY = date(2017, 2, 22)
PROFILE = SiteProfile.model_validate(
    {
        "name": "mine",
        "start_urls": ["http://host/"],
        "list": {
            "entry": {"xpath": "//li"},
            "link": {"xpath": "./a/@href"},
            "title": {"css": "a"},
            "date": {"css": "i"},
            "stamp": {"xpath": "./a/@title", "re": r"更新(.*)"},
            "next": {"xpath": "//a[.='下一页']/@href"},
        },
        "article": {
            "body": {"css": "div.body"},
            "title": {"css": "h1"},
            "date": {"css": "span"},
            "next": {"xpath": "//a[.='下一页']/@href"},
            "remove": [
                {"xpath": "./p[@class='pager']"},
                {"xpath": "./text()[contains(., '编辑')]"},
            ],
        },
    }
)


def page_of(markup: str) -> html.HtmlElement:
    return html.document_fromstring(markup)


def lists(markup: str, url: str = "http://host/a/list.htm", today: date = TODAY) -> ListPage:
    return read_list(page_of(f"<html>{markup}</html>"), url, PROFILE, today)


def article(markup: str, url: str = "http://host/1.htm") -> ArticlePage:
    return read_article_page(page_of(markup), url, PROFILE, TODAY)


def test_parameters_that_alone_tell_articles_apart_are_kept() -> None:
    def urls(parameter: str, titles: str) -> list[str]:
        rows = (
            f"<li><a href='/v2/show?{parameter}={n}'>{t}</a></li>" for n, t in enumerate(titles)
        )
        return [one.url for one in lists(f"<ul>{''.join(rows)}</ul>").entries]

    assert urls("from", "一二") == ["http://host/v2/show?from=0", "http://host/v2/show?from=1"]
    assert urls("session_id", "一二三")[2] == "http://host/v2/show?session_id=2"
    # The same article twice.
    assert urls("spm", "一一") == ["http://host/v2/show"]


@pytest.mark.parametrize(
    ("before", "now", "has_changed"),
    [
        ("2017-02-21 周报", "2017-02-22 周报", True),
        ("02-21 周报", "02-22 周报", True),
        ("02-21 周报", "2017-02-21 周报", False),
        ("3小时前 周报", "昨天 周报", False),
        ("一周前 周报", "2017-02-20 周报", False),
        ("1个月前 周报", "2个月前 周报", False),
        (" 周报", "2017-02-22 周报", False),
        ("2017-02-21 第1期", "2017-02-21 第2期", True),
        ("2017-02-21 周报", "2017-02-21 周报（更正）", True),
        ("2017-02-21 周报", "2017-02-21  周 报", False),
        ("2017-02-21 周报", "2017-02-21 [置顶]周报(点击: 12)", False),
        ("2017-02-21 玉米价格周报…", "2017-02-21 玉米价格周报…", False),
        ("2017-02-21 全国玉米价格周…", "2017-02-21 全国玉米价格…", False),
    ],
)
def test_an_entry_has_changed_if_the_list_shows_so(
    before: str, now: str, *, has_changed: bool
) -> None:
    one, other = (
        lists(f"<ul><li><a href='1.htm'>{title}</a><i>{day}</i></li></ul>").entries[0]
        for day, _, title in (text.partition(" ") for text in (before, now))
    )
    title = "全国玉米价格周报" if before.endswith("…") else one.title
    assert other.has_changed(one.shown, stored(one, title=title)) is has_changed
    # A year later, a date without a year is read as another.
    markup = f"<ul><li><a href='1.htm'>周报</a><i>{before.partition(' ')[0]}</i></li></ul>"
    again = lists(markup, today=TODAY.replace(year=2018, month=3)).entries[0]
    assert not replace(again, title=one.title).has_changed(one.shown, stored(one, title=title))


@pytest.mark.parametrize(("text", "count"), [("1</a> 2 下一页 共9页", 0), ("玉米行情</a>", 1)])
def test_a_pager_inside_of_the_list_is_no_entry_that_lacks_a_link(text: str, count: int) -> None:
    pager = f"<li><a href=\"javascript:__doPostBack('list','Page$2')\">{text}</li>"
    page = html.fromstring(f"<ul><li><a href='/1'>山东玉米</a></li>{pager}</ul>")
    assert read_list(page, "http://host/", PROFILE, TODAY).unlinked == count


def test_entries_are_read_once_each_in_order() -> None:
    page = lists(
        "<ul><li><a href='1.htm#x' title='更新 3'>一</a><i>[02-20]</i></li>"
        "<li><a href='/2.htm'>2017年1月2日二</a><i>02-21</i></li>"
        "<li><a href='3.htm'>9999-12-31 玉米</a><i>[02-20]</i></li>"
        "<li><a href='\n/n/\t1.\nhtm '>一\n二</a><i>2017-02-01</i></li>"
        "<li><a href='1.htm'>一</a></li><li><a>无链接</a></li><li><a href='javascript:x()'>脚本</a></li>"
        "<li><a href='http://['>坏</a></li><li><a href='h://['>坏</a></li>"
        "<li><a href='http://x:99999999/'>坏</a></li><li><a href='http://x:y/'>坏</a></li>"
        "</ul><a href='?pa\tge=2'>下一页</a>"
    )
    assert [(one.url, one.title, one.published, one.stamp) for one in page.entries] == [
        ("http://host/a/1.htm", "一", date(2017, 2, 20), "3"),
        ("http://host/2.htm", "2017年1月2日二", date(2017, 1, 2), ""),
        # A title whose date cannot be leaves that of the list.
        ("http://host/a/3.htm", "9999-12-31 玉米", date(2017, 2, 20), ""),
        ("http://host/n/1.htm", "一 二", date(2017, 2, 1), ""),
    ]
    assert page.next_url == "http://host/a/list.htm?page=2"


@pytest.mark.parametrize(
    ("base", "url"),
    [("http://other/x/", "http://other/x/1")]
    # No URLs.
    + [(base, "http://host/a/1") for base in ("http://[", "http://x:99999999/", "//", "javascript:void(0)", " ")],
)  # fmt: skip
def test_the_base_of_a_page_counts(base: str, url: str) -> None:
    page = lists(f"<base href='{base}'><li><a href='1'>一</a></li>")
    assert page.entries[0].url == url


@pytest.mark.parametrize("inside", ["", "&nbsp;", "<img src=a.jpg alt=图>"])
def test_an_entry_without_a_title_is_no_less_an_entry(inside: str) -> None:
    rows = f"<li><a href=/s/1.htm>一</a></li><li><a href=/s/2.htm>{inside}</a></li>"
    # A heading to sort by; a picture beside the title of its article.
    rows += f"<li><a href='?sort=1'>{inside}</a></li><li><a href=/s/3.htm>{inside}</a></li><li><a href=/s/3.htm>三</a></li>"
    found = lists(rows)
    urls = [(one.url, one.title) for one in found.entries]
    assert urls == [
        ("http://host/s/1.htm", "一"),
        ("http://host/s/2.htm", ""),
        ("http://host/s/3.htm", "三"),
    ]
    assert found.unlinked == 0


@pytest.mark.parametrize(
    ("markup", "part"),
    [
        ("<p>维护中</p>", "list.entry"),
        ("<li>无</li>", "list.link"),
        ("<li><a href=1></a></li>", "list.title"),
    ],
)
def test_a_profile_that_selects_nothing_is_an_error_with_a_sentence(markup: str, part: str) -> None:
    with pytest.raises(
        ProfileError, match=f"profile mine: {part} .* selects nothing on http://host/a/list.htm"
    ):
        lists(markup)


def test_an_article_page_is_read_without_what_is_removed() -> None:
    page = article(
        "<title> 一\n_站</title><h1>标题</h1><span>2017-02-20</span><div class=body><p>一<b>二</b></p>"
        "<p class=pager><a href='\t2\n.htm'>下一页</a></p>尾 责任编辑:某</div>"
    )
    assert (page.text, page.title, page.window) == ("一二", "标题", "一 _站")
    assert (page.published, page.next_url) == (date(2017, 2, 20), "http://host/2.htm")


PAGER = "<p class=pager>x</p>"
LONG = "山东各地玉米收购价格有涨有跌，企业按质论价，成交一般，货源不多。" * 10


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (f"<div class=body>前{PAGER}后<p>段</p>{PAGER}终</div>", "前后\n段\n终"),
        # A body in another one is read once.
        (
            f"<div class=body>一<div class=body><p>二</p>{PAGER}三</div>四</div><div class=body>五</div>",
            "一\n二\n三\n四\n五",
        ),
        # Hidden copies are left out.
        ("<div class=body>一</div><div class=body style='display:none'>一</div>", "一"),
        (f"<div class=body hidden>{LONG}</div><div class=body>{LONG}</div>", LONG),
        (f"<div hidden><div class=body>{LONG}</div></div><div class=body>{LONG}</div>", LONG),
        # A tab, which a script shows.
        (f"<div class=body>一</div><div class=body hidden>{LONG}</div>", f"一\n{LONG}"),
        ("<div class=body></div><div class=body hidden>一</div>", "\n一"),
        ("<div class=body hidden>一</div>", "一"),
        # A text file.
        ("<pre>一\n二</pre>", "一\n二"),
    ],
)
def test_the_text_of_an_article(markup: str, text: str) -> None:
    assert article(markup).text == text


@pytest.mark.parametrize("character", ["\x0b", "\ufffe", "&#31;", "&#65534;"])
def test_control_characters_beside_a_removed_element_are_no_error(character: str) -> None:
    text = article(f"<div class=body>前{PAGER}{character}后</div>").text
    assert (text[0], text[-1]) == ("前", "后")


@pytest.mark.parametrize("markup", ["<p>验证码</p>", "<p>三<pre>一</pre>"])
def test_a_page_without_body_is_an_error_with_a_sentence(markup: str) -> None:
    with pytest.raises(ProfileError, match=r"article\.body"):
        article(markup)


def test_rules_that_match_are_named() -> None:
    pager, editor = PROFILE.article.remove
    assert article(f"<div class=body>文{PAGER}</div>").matched == {pager}
    page = article("<div class=body>文<br>编辑</div><a href=2.htm>下一页</a>")
    assert page.matched == {editor, PROFILE.article.next}


@pytest.mark.parametrize("route", ["#/article/{}", "?x#id={}"])
def test_entries_that_are_routes_of_one_page_need_a_script(route: str) -> None:
    entries = "".join(
        f'<li><a href="{route.format(n)}">标题{n}</a><i>2024-03-0{n}</i></li>' for n in range(1, 9)
    )
    with pytest.raises(ProfileError, match="and so on, which a script shows on one page") as caught:
        lists(f"<ul>{entries}</ul>")
    assert f"lead to {route.format(1)} " in str(caught.value)
