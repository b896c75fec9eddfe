"""The way of an editor through the marks of an article, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from focuscrawl.items import Quote
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import PASSWORD, add_users, fill, served
from tests.web.quotations.quoted_articles import FLAG, quoted

ONE = quoted()


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_an_editor_clicks_a_mark_and_decides(
    store_url: str, site: WebSite, visit: Callable[..., Any], has_scripts: bool
) -> None:
    long = "开头一行\n" * 200
    text = long + ONE.text
    quotes = [_moved(quote, len(long)) for quote in ONE.quotes or []]
    fill(store_url, [quoted(text=text, quotes=quotes)])
    add_users(site)
    with served(site) as address:
        path = f"/prices/articles/{ONE.url_md5}"
        page = visit(f"{address}/login?next={path}", java_script_enabled=has_scripts)
        page.fill("[name=name]", "editor")
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.click("article a.other >> text=5000元/吨")
        mark = page.locator("mark#price")
        assert mark.inner_text() == "5000元/吨"
        # The address leads to the mark itself, far down the article.
        assert page.url.endswith("/3#price")
        box = mark.bounding_box()
        assert 0 < box["y"] < page.viewport_size["height"]
        assert FLAG in page.inner_text(".card")
        page.fill("[name=note]", "<b>单位</b>有误")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".verdict.refused")
        card = page.inner_text(".card")
        assert "人工剔除" in card
        assert "<b>单位</b>有误" in card
        page.click("text=确认无误")
        page.wait_for_selector(".verdict.confirmed")
        assert "人工剔除" not in page.inner_text(".card")
        assert page.locator(".history li").count() == 2


def _moved(quote: Quote, by: int) -> Quote:
    return replace(quote, text_start=quote.text_start + by, text_end=quote.text_end + by)
