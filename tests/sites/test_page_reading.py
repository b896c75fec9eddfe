from __future__ import annotations

from datetime import date

import pytest
from lxml import html

from focuscrawl.errors import ProfileError
from focuscrawl.sites.page_reading import ListPage, read_article_page, read_list
from focuscrawl.sites.site_profile import SiteProfile

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


def lists(markup: str) -> ListPage:
    return read_list(page_of(f"<html>{markup}</html>"), "http://host/a/list.htm", PROFILE, TODAY)


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


def test_entries_are_read_once_each_in_order() -> None:
    page = read_list(
        page_of(
            "<ul><li><a href='1.htm#x' title='更新 3'>一</a><i>[02-20]</i></li>"
            "<li><a href='/2.htm'>2017年1月2日二</a><i>02-21</i></li>"
            "<li><a href='1.htm'>一</a></li><li><a>无链接</a></li><li><a href='javascript:x()'>脚本</a></li>"
            "<li><a href='http://[broken'>坏</a></li></ul><a href='?page=2'>下一页</a>"
        ),
        "http://host/a/list.htm", PROFILE, TODAY,
    )  # fmt: skip
    assert [(one.url, one.published, one.stamp) for one in page.entries] == [
        ("http://host/a/1.htm", date(2017, 2, 20), "3"),
        ("http://host/2.htm", date(2017, 1, 2), ""),
    ]
    assert page.next_url == "http://host/a/list.htm?page=2"


def test_a_title_whose_date_cannot_be_leaves_the_date_of_the_list() -> None:
    page = read_list(
        page_of("<li><a href='1'>9999-12-31 玉米</a><i>[02-20]</i></li>"),
        "http://host/",
        PROFILE,
        TODAY,
    )
    assert page.entries[0].published == date(2017, 2, 20)


def test_tabs_and_newlines_in_addresses_are_dropped() -> None:
    page = lists(
        "<li><a href='\n/n/\t1.\nhtm '>一\n二</a><i>2017-02-01</i></li><a href='li\tst2.htm'>下一页</a>"
    )
    assert [(one.url, one.title) for one in page.entries] == [("http://host/n/1.htm", "一 二")]
    assert page.next_url == "http://host/a/list2.htm"
    article = read_article_page(
        page_of("<div class=body>文</div><a href='\t1_\n2.htm'>下一页</a>"),
        "http://host/n/1.htm",
        PROFILE,
        TODAY,
    )
    assert article.next_url == "http://host/n/1_2.htm"


def test_base_href_counts() -> None:
    page = read_list(
        page_of("<base href='http://other/x/'><li><a href='1'>一</a></li>"),
        "http://host/",
        PROFILE,
        TODAY,
    )
    assert page.entries[0].url == "http://other/x/1"


@pytest.mark.parametrize(
    "base", ["http://[", "h://[", "http://x:99999999/", "//", "javascript:void(0)", "http://", " "]
)
def test_a_base_that_is_no_url_does_not_count(base: str) -> None:
    page = read_list(
        page_of(f"<base href='{base}'><li><a href='1'>一</a></li>"),
        "http://host/a/",
        PROFILE,
        TODAY,
    )
    assert page.entries[0].url == "http://host/a/1"


@pytest.mark.parametrize("href", ["http://[", "h://[", "http://x:99999999/", "http://x:y/"])
def test_an_entry_whose_link_is_no_url_is_passed_over(href: str) -> None:
    links = f"<li><a href='{href}'>一</a></li><li><a href='2'>二</a></li>"
    page = read_list(page_of(links), "http://host/a/", PROFILE, TODAY)
    assert [entry.url for entry in page.entries] == ["http://host/a/2"]


@pytest.mark.parametrize("inside", ["", " ", "&nbsp;", "<img src=a.jpg alt=图>", "<span></span>"])
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
    page = read_article_page(
        page_of(
            "<h1>标题</h1><span>2017-02-20</span><div class=body><p>一<b>二</b></p>"
            "<p class=pager><a href='2.htm'>下一页</a></p>尾 责任编辑:某</div>"
        ),
        "http://host/1.htm", PROFILE, TODAY,
    )  # fmt: skip
    assert page.text == "一二"
    assert (page.title, page.published, page.next_url) == (
        "标题",
        date(2017, 2, 20),
        "http://host/2.htm",
    )


def test_text_beside_a_removed_element_stays() -> None:
    page = read_article_page(
        page_of("<div class=body>前<p class=pager>x</p>后<p>段</p><p class=pager>y</p>终</div>"),
        "http://host/1.htm", PROFILE, TODAY,
    )  # fmt: skip
    assert page.text.replace("\n", "") == "前后段终"


@pytest.mark.parametrize("character", ["\x0b", "\x1f", "\ufffe", "&#11;", "&#31;", "&#65534;"])
def test_control_characters_beside_a_removed_element_are_no_error(character: str) -> None:
    page = read_article_page(
        page_of(f"<div class=body>前<p class=pager>x</p>{character}后</div>"),
        "http://host/1.htm", PROFILE, TODAY,
    )  # fmt: skip
    assert page.text.startswith("前")
    assert page.text.endswith("后")


def test_a_body_in_another_one_is_read_once() -> None:
    page = read_article_page(
        page_of(
            "<div class=body>一<div class=body><p>二</p><p class=pager>x</p>三</div>四</div>"
            "<div class=body>五</div>"
        ),
        "http://host/1.htm", PROFILE, TODAY,
    )  # fmt: skip
    assert page.text == "一\n二\n三\n四\n五"


def test_a_page_without_body_is_an_error_with_a_sentence() -> None:
    with pytest.raises(ProfileError, match=r"article\.body"):
        read_article_page(page_of("<p>验证码</p>"), "http://host/1.htm", PROFILE, TODAY)


def test_rules_that_match_are_named() -> None:
    pager, editor = PROFILE.article.remove
    page = read_article_page(
        page_of("<div class=body>文<p class=pager>1</p></div>"), "http://host/1.htm", PROFILE, TODAY
    )
    assert page.matched == {pager}
    page = read_article_page(
        page_of("<div class=body>文<br>编辑</div><a href=2.htm>下一页</a>"),
        "http://host/1.htm", PROFILE, TODAY,
    )  # fmt: skip
    assert page.matched == {editor, PROFILE.article.next}


@pytest.mark.parametrize("route", ["#/article/{}", "#!/a/{}", "/#/article/{}", "?x#id={}"])
def test_entries_that_are_routes_of_one_page_need_a_script(route: str) -> None:
    entries = "".join(
        f'<li><a href="{route.format(n)}">标题{n}</a><i>2024-03-0{n}</i></li>' for n in range(1, 9)
    )
    with pytest.raises(ProfileError, match="and so on, which a script shows on one page") as caught:
        lists(f"<ul>{entries}</ul>")
    assert f"lead to {route.format(1)} " in str(caught.value)
