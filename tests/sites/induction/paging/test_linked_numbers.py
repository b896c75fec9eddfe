"""Pagers whose own number is a link like the others."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.sites.page_reading import absolute_url, read_list
from focuscrawl.sites.site_profile import SiteProfile
from tests.sites.induction.pages import LIST_URL, list_page, tree

TODAY = date(2026, 11, 1)
QUERY, FOLDER, FILES = "?page={}", "/xinwen/list_{}.html", "index_{}.html"
PLAIN, ITEM, BRACKETS = '<a href="{0}">{1}</a>', '<li><a href="{0}">{1}</a></li>', '<a href="{0}">[{1}]</a>'  # fmt: skip
LABEL = '<a href="{0}"><span>第{1}页</span></a>'
AROUND = '<div class="pages"><a href="{0}">首页</a><a href="{2}">上一页</a>{1}<a href="{3}">尾页</a></div>'
LAST = 7


def page_at(number: int, href: str, form: str, around: str, first: str, last: int) -> str:
    def address(page: int) -> str:
        return first if page == 1 and first else href.format(page)

    shown = [n for n in range(1, last + 1) if n in (1, last) or abs(n - number) < 3]
    numbers = "".join(form.format(address(n), n) for n in shown)
    box = around.format(address(1), numbers, address(max(1, number - 1)), address(last))
    entries = "".join(
        f'<li><a href="/a/{number}{n}.html">山东玉米价格行情第{number}{n}期</a><i>2026-03-{20 - n}</i></li>'
        for n in range(5)
    )
    return list_page(f'<ul class="list">{entries}</ul>', box)


@pytest.mark.parametrize("start", ["", "{}"])
@pytest.mark.parametrize(
    ("href", "form", "around", "first"),
    [
        (QUERY, PLAIN, AROUND, ""),
        (QUERY, ITEM, '<ul class="pagination">{1}</ul>', ""),
        (QUERY, BRACKETS, '<div id="fenye">{1} 共7页</div>', ""),
        (QUERY, LABEL, AROUND, ""),
        ("?cid=5&page={}", PLAIN, AROUND, ""),
        ("?p={}", PLAIN, '<p class="page">{1}</p>', ""),
        (FOLDER, PLAIN, AROUND, ""),
        (FILES, PLAIN, AROUND, "index.html"),
        (FILES, PLAIN, AROUND, "./"),
        ("http://news.example/xinwen/{}/", PLAIN, AROUND, "http://news.example/xinwen/"),
    ],
)
def test_all_pages_are_read_and_no_other(
    href: str, form: str, around: str, first: str, start: str
) -> None:
    def url_of(number: int) -> str:
        return absolute_url(LIST_URL, first if number == 1 and first else href.format(number))

    url = url_of(1) if start else LIST_URL
    draft = draft_list(tree(page_at(1, href, form, around, first, LAST)), url, TODAY)
    profile = SiteProfile(name="x", start_urls=[url], list=draft.rules)
    visited = []
    for number in range(1, LAST + 1):
        page = tree(page_at(number, href, form, around, first, LAST))
        visited.append(read_list(page, url, profile, TODAY).next_url)
        url = visited[-1]
    assert visited == [*map(url_of, range(2, LAST + 1)), ""]
    assert draft.pages == LAST
