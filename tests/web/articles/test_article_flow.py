"""Reading, liking and following articles in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import numbered
from tests.web.conftest import PASSWORD, add_users, served


def log_in(page: Any) -> None:
    page.fill("[name=name]", "reader")
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url("**/articles")


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])
def test_search_open_like_and_follow(
    filled: str, site: WebSite, visit: Callable[..., Any], has_script: bool
) -> None:
    add_users(site)
    with served(site) as address:
        page = visit(f"{address}/login?next=/articles", java_script_enabled=has_script)
        log_in(page)
        page.fill("[name=q]", "网络爬虫 没有的词")
        page.press("[name=q]", "Enter")
        assert "没有符合条件的内容" in page.text_content("main")
        page.fill("[name=q]", "网络爬虫")
        page.click("summary")
        page.fill("[name=tag]", "双号")
        page.press("[name=q]", "Enter")
        assert page.locator(".hits mark").first.text_content() == "网络爬虫"
        page.click("text=保存此搜索")
        feed = page.input_value("input[readonly]")
        page.go_back()
        title = page.locator(".hits .title a").first.text_content()
        page.locator(".hits .title a").first.click()
        assert page.text_content("h1") == title
        page.click("button:has-text('喜欢')")
        assert page.locator("button:has-text('取消喜欢')").count() == 1
        assert "喜欢 1" in page.text_content(".meta")
        if not has_script:
            page.click("text=查看相关文章")
        page.wait_for_selector("#related li")
        assert "共同标签：双号 · 教程" in page.text_content("#related")
        page.click("#related li a")
        assert page.text_content("h1") != title
        answer = page.request.get(feed)
        assert answer.ok
        entry = "{http://www.w3.org/2005/Atom}entry"
        assert len(fromstring(answer.body()).findall(entry)) == 23


def test_nothing_is_wider_than_a_telephone(
    filled: str, site: WebSite, visit: Callable[..., Any]
) -> None:
    with served(site) as address:
        page = visit(f"{address}/articles", viewport={"width": 390, "height": 800})
        for path in ("/articles", "/search", *(f"/articles/{numbered(n).url_md5}" for n in (1, 100, 101))):  # fmt: skip
            page.goto(f"{address}{path}")
            page.wait_for_load_state("networkidle")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 390, path
