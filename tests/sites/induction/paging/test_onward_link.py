"""Addresses in links, buttons and options."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.paging.onward_link import (
    is_disabled,
    is_scripted,
    leading_link,
    onward_link,
)
from tests.sites.induction.pages import LIST_URL, tree


@pytest.mark.parametrize(
    ("html", "attribute", "address"),
    [
        ("<a href=' 2.html '>x</a>", "href", "2.html"),
        ("<a href='#' onclick=\"location.href='2.html'\">x</a>", "onclick", "2.html"),
        ('<button onclick=\'window.open("/list?page=2", "_self")\'>x</button>', "onclick", "/list?page=2"),
        ("<a href=\"javascript:location='?p=2'\">x</a>", "href", "?p=2"),
        ("<li data-url='/news/2'>x</li>", "data-url", "/news/2"),
        ("<option value='list_2.html'>2</option>", "value", "list_2.html"),
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
