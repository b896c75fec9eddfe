"""The rule for the next page also fits the pages after the first."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.paging.next_link import next_link
from focuscrawl.sites.induction.paging.next_rule import next_rule
from tests.sites.induction.pages import LIST_URL, tree


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            '<div class="pages"><b>1</b><a href="2.html">2</a><a href="3.html">3</a></div>',
            '<div class="pages"><a href="1.html">1</a><b>2</b><a href="3.html">3</a></div>',
        ),
        (
            '<ul id="pager"><li class="active"><a href="#">1</a></li><li><a href="2.html">2</a></li></ul>',
            '<ul id="pager"><li><a href="1.html">1</a></li><li class="active"><a href="#">2</a></li>'
            '<li><a href="3.html">3</a></li></ul>',
        ),
        (
            '<p class="page"><a>1</a><a href="2.html">2</a></p>',
            '<p class="page"><a href="1.html">1</a><a>2</a><a href="3.html">3</a></p>',
        ),
        (
            '<ul class="pagination"><li>1</li><li><a href="2.html">2</a></li></ul>',
            '<ul class="pagination"><li><a href="1.html">1</a></li><li>2</li><li><a href="3.html">3</a></li></ul>',
        ),
        (
            '<div><a href="2.html"><img src="n.gif" alt="下一页"></a></div>',
            '<div><a href="1.html"><img src="p.gif" alt="上一页"></a>'
            '<a href="3.html"><img src="n.gif" alt="下一页"></a></div>',
        ),
        (
            '<div><a href="2.html">加载更多</a></div>',
            '<div><a href="3.html">加载更多</a></div>',
        ),
        (
            '<div class="pages"><b>1</b><a href="2.html">2</a><a href="9.html">»</a></div>',
            '<div class="pages"><a href="1.html">1</a><b>2</b><a href="3.html">3</a><a href="9.html">»</a></div>',
        ),
        (
            '<div><a href="2.html">下一页</a></div>',
            '<div><a href="1.html">上一页</a><a href="3.html">下一页</a></div>',
        ),
        (
            '<div class="pager"><a href="2.html"><i class="fa fa-angle-right"></i></a></div>',
            '<div class="pager"><a href="1.html"><i class="fa fa-angle-left"></i></a>'
            '<a href="3.html"><i class="fa fa-angle-right"></i></a></div>',
        ),
    ],
)  # fmt: skip
def test_the_rule_leads_on_from_each_page(first: str, second: str) -> None:
    page = tree(f"<p>文章</p>{first}")
    link = next_link(page, LIST_URL, [])
    assert link is not None
    rule = next_rule(link, page)
    assert rule is not None
    assert rule.first(page) == "2.html"
    assert rule.first(tree(f"<p>文章</p>{second}")) == "3.html"
