"""Pages that are too much for a parser, among others of their domain."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from focuscrawl.middlewares import page_structure
from focuscrawl.middlewares.page_structure import PageStructure

SUSPICIOUS = b"<p>" * 30_000


async def is_text(middleware: PageStructure, url: str, body: bytes) -> bool:
    response = await middleware.process_response(
        Request(url), HtmlResponse(url, body=body, encoding="utf-8")
    )
    return "unstructured" in response.flags


async def test_a_domain_is_tried_until_three_trials_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    async def fails(function: object, html: bytes) -> bool:
        tried.append(html)
        return b"good" in html

    monkeypatch.setattr(page_structure, "try_in_worker", fails)
    middleware = PageStructure.from_crawler(get_crawler())
    for number in range(6):
        assert await is_text(middleware, f"http://n{number}.bad.test/", SUSPICIOUS)
    assert len(tried) == 3
    assert not await is_text(middleware, "http://n1.bad.test/", b"<p>short")
    for number in range(6):
        assert not await is_text(middleware, f"http://other.test/{number}", SUSPICIOUS + b"good")
    assert len(tried) == 9
