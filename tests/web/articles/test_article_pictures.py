"""Pictures of articles: which, where they may be loaded from, and when."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from focuscrawl.items import NumberedArticle
from focuscrawl.web.articles.article_pages import pictures_of, policy_for
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import numbered
from tests.web.articles.conftest import HOSTILE
from tests.web.conftest import client_of, fill, served

_PIXEL = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
_HTML = """<p>图</p><IMG src="/a.png" alt="曲线"><img data-original="//cdn.example/b.jpg" src="blank.gif">
<img src="/a.png"><img src=" https://bücher.example:8443/c d.png?x=1#top ">"""


def _article(html: str) -> NumberedArticle:
    return numbered(1, body_html=html)


def _addresses(site: WebSite, html: str) -> list[str]:
    fill(site.store_url, [_article(html)])
    with client_of(site) as client:
        stored = client.portal.call(site.store.whole, _article(html).url_md5)  # type: ignore[union-attr]
        found = pictures_of(stored)
        policy = policy_for(found)
        assert policy.count(";") == policy_for([]).count(";")
        assert len(policy.split()) <= len(policy_for([]).split()) + len(found)
        return [one.address for one in found]


def test_pictures_are_at_public_hosts_each_once(site: WebSite) -> None:
    assert _addresses(site, _HTML) == [
        "http://n.example/a.png",
        "http://cdn.example/b.jpg",
        "https://xn--bcher-kva.example:8443/c d.png?x=1",
    ]


def test_no_other_picture_is_loaded(site: WebSite) -> None:
    links = ("http://192.168.1.1/reboot", "http://0x7f.1/", "http://router/x", "http://[::1]/x",
             "javascript:alert(1)", "data:image/png;base64,AA", "http://a.example;script-src *",
             "http://a b.example/", "http://x:y@[", "http://a.example:99999/", "ftp://a.example/x",
             "", HOSTILE.replace('"', ""))  # fmt: skip
    found = _addresses(site, "".join(f'<img src="{link}">' for link in links))
    assert all(address.startswith("http://n.example/") for address in found)
    assert _addresses(site, '<img src="http://u:p@a.example/x">') == ["http://a.example/x"]
    assert len(_addresses(site, "".join(f"<img src=/{n}>" for n in range(99)))) == 40


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])
def test_nothing_is_loaded_before_the_click(
    site: WebSite, browser: Browser, has_script: bool
) -> None:
    fill(site.store_url, [_article(_HTML)])
    asked: list[tuple[str, str | None]] = []
    context = browser.new_context(locale="zh-CN", java_script_enabled=has_script)

    def answer(route: Any) -> None:
        asked.append((route.request.url, route.request.headers.get("referer")))
        route.fulfill(body=_PIXEL, content_type="image/svg+xml")

    with served(site) as address:
        context.route(lambda url: "example" in url, answer)
        page = context.new_page()
        page.goto(f"{address}/articles/{_article(_HTML).url_md5}")
        page.wait_for_load_state("networkidle")
        assert asked == []
        with page.expect_response("http://cdn.example/b.jpg"):
            page.click("text=图片 3")
        page.wait_for_load_state("networkidle")
        assert page.locator("img[alt=曲线]").count() == 1
    context.close()
    assert {url.rsplit("/", 1)[1] for url, _ in asked} == {"a.png", "b.jpg", "c%20d.png?x=1"}
    assert {referer for _, referer in asked} == {None}
