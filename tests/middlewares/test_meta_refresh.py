"""Redirects by ``<meta http-equiv=refresh>``."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from focuscrawl.middlewares.redirect import MetaRefresh

PAGE = "<html><head><title>新家</title>{}</head><body>" + "搬家 " * 2000
META = "<meta {}=Refresh content='0;url=/new'>".format("http-equiv")
FAR = "𠮷" * 4000 + META
WITHOUT = ["", "refresh", "𠮷" * 9000 + META]


def page(head: str, charset: str = "utf-8") -> HtmlResponse:
    body = PAGE.format(head).encode(charset)
    return HtmlResponse("http://a.test/", body=body, encoding=charset)


@pytest.mark.parametrize("charset", ["utf-8", "utf-16-le"])
@pytest.mark.parametrize("head", [META, META.upper(), FAR, f"<script>{META}</script>", *WITHOUT])
def test_the_same_pages_redirect_as_with_scrapy(
    monkeypatch: pytest.MonkeyPatch, head: str, charset: str
) -> None:
    # It asks the engine, which only a running crawl has.
    monkeypatch.setattr("focuscrawl.middlewares.redirect.kills", lambda *_: False)
    crawler, request = get_crawler(), Request("http://a.test/")
    found, expected = (
        kind.from_crawler(crawler).process_response(request, page(head, charset)).url
        for kind in (MetaRefresh, MetaRefreshMiddleware)
    )
    assert found == expected
    assert expected.lower().endswith("/new") is (head not in WITHOUT)


def test_pages_without_a_refresh_are_not_decoded() -> None:
    response = page("")
    middleware = MetaRefresh.from_crawler(get_crawler())
    assert middleware.process_response(Request("http://a.test/"), response) is response
    assert response._cached_ubody is None
