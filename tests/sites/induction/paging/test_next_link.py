"""The link to the next list page, by text, class, icon and number."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.paging.next_link import icon_condition, next_link
from tests.sites.induction.pages import LIST_URL, tree


@pytest.mark.parametrize(
    "following",
    [
        '<a href="p2.html">下一页</a>',
        '<a href="p2.html">下一頁 »</a>',
        '<a href="p2.html">后页</a>',
        '<a href="p2.html">Next &gt;&gt;</a>',
        '<a href="p2.html">Older posts</a>',
        '<a class="extend next" href="p2.html"><i class="x"></i></a>',
        '<a rel="next" href="p2.html">…</a>',
        '<a href="p2.html">›</a>',
        '<div class="pager"><a href="p0.html"><i class="fa-angle-left"></i></a>'
        '<a href="p2.html"><i class="fa fa-angle-right"></i></a></div>',
        '<div class="pagination"><b>1</b><a href="p2.html">2</a><a href="p3.html">3</a></div>',
        '<link rel="next" href="p2.html">',
        '<a href="p2.html">早期文章</a>',
        '<a href="p2.html"><img src="n.gif" alt="下一页"></a>',
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
        '<h2>每日一句 <a href="/sayings/" title="更多观点">→</a></h2>',
        '<h2>行业新闻 <a href="/hangye/">&gt;&gt;</a></h2>',
        '<h2>行业新闻 <a href="/hangye/7.html">&gt;&gt;</a></h2>',
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


def test_an_icon_becomes_a_condition() -> None:
    link = tree('<a href="x"><span><i class="fas fa-chevron-right"></i></span></a>').find(".//a")
    assert icon_condition(link) == './/i[contains(@class, "chevron-right")]'
    assert icon_condition(tree("<a>x</a>").find(".//a")) == ""
