"""Pages that are too much for a parser, among others of their domain."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from focuscrawl.middlewares import page_structure
from focuscrawl.middlewares.page_structure import PageStructure

SUSPICIOUS = b"<p>" * 30_000


def crawler(*, is_suspect: bool = False) -> Crawler:
    made = get_crawler()
    scheduler = SimpleNamespace(is_suspect=lambda request: is_suspect)
    made.engine = SimpleNamespace(scheduler=scheduler)  # type: ignore[assignment]
    return made


def kills(html: bytes) -> bool:
    """Stand in for a parser with a fault."""
    os.kill(os.getpid(), signal.SIGSEGV)
    return True


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
    middleware = PageStructure.from_crawler(crawler())
    for number in range(6):
        assert await is_text(middleware, f"http://n{number}.bad.test/", SUSPICIOUS)
    assert len(tried) == 3
    assert not await is_text(middleware, "http://n1.bad.test/", b"<p>short")
    for number in range(6):
        assert not await is_text(middleware, f"http://other.test/{number}", SUSPICIOUS + b"good")
    assert len(tried) == 9


@pytest.mark.slow
@pytest.mark.parametrize("is_suspect", [False, True])
async def test_a_page_that_an_earlier_run_died_with_is_parsed_in_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch, is_suspect: bool
) -> None:
    monkeypatch.setattr("focuscrawl.pages.page_trial.is_bearable", kills)
    middleware = PageStructure.from_crawler(crawler(is_suspect=is_suspect))
    assert await is_text(middleware, "http://a.test/", b"<p>short") == is_suspect
    assert middleware.crawler.stats.get_value("focuscrawl/pages/unstructured", 0) == is_suspect
