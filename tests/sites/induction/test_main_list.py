"""The main list is told from menus, sidebars and lists of tags."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.sites.induction.link_groups import link_groups
from focuscrawl.sites.induction.main_list import is_more_link, ranked_groups
from tests.sites.induction.pages import LIST_URL, list_page, rows, tree

TODAY = date(2026, 11, 1)


def main_urls(html: str) -> list[str]:
    page = tree(html)
    return ranked_groups(link_groups(page, LIST_URL), page, LIST_URL, TODAY)[0][1].urls


@pytest.mark.parametrize("dates", [True, False])
def test_the_main_list_outranks_menu_and_sidebar(dates: bool) -> None:
    expected = [f"{LIST_URL}{n}.html" for n in range(4)]
    assert main_urls(list_page(rows(dates=dates))) == expected


def test_a_longer_list_of_tags_is_not_the_main_list() -> None:
    tags = "".join(f'<a class="t" href="/tags/t{n}">标签名称{n}</a>' for n in range(40))
    assert main_urls(list_page(f'<p class="cloud">{tags}</p>{rows()}'))[0] == f"{LIST_URL}0.html"


@pytest.mark.parametrize("text", ["阅读全文", "查看更多 »", "Read more", "12", "评论 3"])
def test_links_that_invite_to_read_on_are_known(text: str) -> None:
    assert is_more_link(text)


@pytest.mark.parametrize("text", ["玉米价格上涨", "2024年玉米行情", "阿里云"])
def test_titles_are_no_such_links(text: str) -> None:
    assert not is_more_link(text)
