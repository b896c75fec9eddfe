"""The number of list pages, from what the pager prints or links to."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.paging.further_pages import page_count
from tests.sites.induction.pages import LIST_URL, tree


@pytest.mark.parametrize(
    ("pager", "following", "count"),
    [
        ("共12页", "2.html", 12),
        ("共 3 页/45 条", "2.html", 3),
        ("第1/20页", "2.html", 20),
        ("页次:1/7", "2.html", 7),
        ("Page 1 of 9", "2.html", 9),
        ('<a href="list_2.html">2</a><a href="list_30.html">尾页</a>', "list_2.html", 30),
        # The first page has no number, the second has 1.
        ('<a href="index_1.html">2</a><a href="index_4.html">末页</a>', "index_1.html", 5),
        ('<a href="?page=2&amp;c=1">2</a><a href="?page=5&amp;c=1">5</a>', "?page=2&c=1", 5),
        ('<a href="list_2.html">下一页</a>', "list_2.html", None),
        ('<a href="list_2.html">2</a><i>…</i><a href="#">13</a>', "list_2.html", 13),
        ('<a href="page/2/">2</a><span>…</span><a href="page/9/">9</a>', "page/2/", 9),
        ('<a href="older">下一页</a>', "older", None),
    ],
)
def test_the_pages_are_counted(pager: str, following: str, count: int | None) -> None:
    page = tree(f'<ul><li><a href="/2024/12.html">第3页的文章</a></li></ul><div>{pager}</div>')
    assert page_count(page, LIST_URL, LIST_URL + following) == count
