"""The link to the next list page, by text, class, icon and number; addresses in links and buttons."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.paging.next_link import (
    is_disabled,
    is_scripted,
    leading_link,
    next_link,
    onward_link,
)
from tests.sites.induction.pages import LIST_URL, tree


@pytest.mark.parametrize(
    "following",
    [
        '<a href="p2.html">下一页</a>',
        '<a href="p2.html">后页</a>',
        '<a href="p2.html">Next &gt;&gt;</a>',
        '<a rel="next" href="p2.html">…</a>',
        '<a href="p2.html">早期文章</a>',
        '<div><a href="p2.html">点击加载更多</a></div>',
        # » and >> are often for the last page.
        '<div class="pages"><a href="p9.html">»</a><a href="p2.html">›</a></div>',
        '<div class="pages"><b>1</b><a href="p2.html">2</a><a href="p9.html">&gt;&gt;</a></div>',
    ],
)
def test_the_next_link_is_found(following: str) -> None:
    link = next_link(
        tree(f'<a href="a1.html">文章 2</a>{following}<a href="z.html">末页</a>'), LIST_URL, []
    )
    assert link is not None
    assert link.address == "p2.html"


@pytest.mark.parametrize(
    "page",
    [
        '<a href="#">下一页</a>',
        '<a href="javascript:;">下一页</a>',
        f'<a href="{LIST_URL}">下一页</a>',
        '<a href="2.html">2</a>',
        "<p>下一页</p>",
        '<a href="x.html">末页</a>',
        '<h2>每日一句 <a href="/sayings/">→</a></h2><a href="#">下一页</a>',
        '<h2>行业新闻 <a href="/hangye/">&gt;&gt;</a></h2>',
        '<h2>行业新闻 <a href="/hangye/">加载更多</a></h2>',
        '<div data-url="/xinwen/api?page=2">加载更多</div>',
        '<p>Theme <a href="/next/">NexT.Muse</a></p>',
        '<a href="http://theme.other/">Next</a>',
    ],
)
def test_a_page_without_one_has_none(page: str) -> None:
    assert next_link(tree(page), LIST_URL, []) is None


def test_an_entry_is_not_the_next_page() -> None:
    page = tree('<a href="a.html">How to read the next page</a>')
    assert next_link(page, LIST_URL, [f"{LIST_URL}a.html"]) is None


def test_the_number_after_that_of_the_page_leads_on() -> None:
    page = tree('<div class="pages"><a href="2.html">2</a><a href="4.html">4</a></div>')
    link = next_link(page, "http://news.example/page/3", [])
    assert link is not None
    assert link.address == "4.html"


@pytest.mark.parametrize(
    ("html", "attribute", "address"),
    [
        ("<a href=' 2.html '>x</a>", "href", "2.html"),
        ('<button onclick=\'window.open("/list?page=2", "_self")\'>x</button>', "onclick", "/list?page=2"),
        ("<a href=\"javascript:location='?p=2'\">x</a>", "href", "?p=2"),
        ("<li data-url='/news/2'>x</li>", "data-url", "/news/2"),
    ],
)  # fmt: skip
def test_addresses_are_found(html: str, attribute: str, address: str) -> None:
    link = onward_link(tree(html).find("body")[0])
    assert link is not None
    assert (link.attribute, link.address) == (attribute, address)


@pytest.mark.parametrize(
    "html",
    [
        "<a>x</a>",
        "<a href='#'>x</a>",
        "<a href='#top'>x</a>",
        "<a href='javascript:goPage(2)'>x</a>",
        "<button onclick=\"goPage('list', 2)\">x</button>",
        "<option value='2'>2</option>",
        "<div data-url=''>x</div>",
    ],
)
def test_what_has_no_address(html: str) -> None:
    assert onward_link(tree(html).find("body")[0]) is None


@pytest.mark.parametrize("href", ["", "#", LIST_URL, f"{LIST_URL}#x", "mailto:a@b.example"])
def test_a_link_to_the_page_itself_leads_nowhere(href: str) -> None:
    assert leading_link(tree(f"<a href='{href}'>x</a>").find(".//a"), LIST_URL, LIST_URL) is None


def test_scripted_and_disabled_buttons_are_told_apart() -> None:
    body = tree(
        "<a href='#'>a</a><a href='2.html'>b</a><a>c</a><button disabled>d</button>"
        "<li class='disabled'><a href='#'>e</a></li>"
    ).find("body")
    links = list(body.iter("a", "button"))
    assert [is_scripted(node) for node in links] == [True, False, False, True, True]
    assert [is_disabled(node) for node in links] == [False, False, False, True, True]
