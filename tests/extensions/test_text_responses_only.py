"""Binary responses are not downloaded for spiders with ``text_only``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import StopDownload
from scrapy.http import Headers
from scrapy.http.request import NO_CALLBACK

from focuscrawl.extensions.text_responses_only import TextOnly
from focuscrawl.spiders.labels import LabelsSpider
from focuscrawl.spiders.list_detail import ListSpider
from focuscrawl.spiders.tunnel import TunnelSpider


def parse(response: object) -> None: ...


def look(kind: str | None, spider: Any = TunnelSpider, callback: Any = parse, **meta: Any) -> None:
    crawler: Any = SimpleNamespace(spider=spider)
    headers = Headers({"Content-Type": kind} if kind else {})
    TextOnly(crawler).headers_received(headers, Request("http://a.test/", callback, meta=meta))


@pytest.mark.parametrize("kind", ["image/png", "Video/MP4", "application/pdf", "application/zip"])
def test_binary_responses_are_stopped(kind: str) -> None:
    for spider in (TunnelSpider, LabelsSpider):
        with pytest.raises(StopDownload) as found:
            look(kind, spider)
        assert found.value.fail
    look(kind, Spider)
    look(kind, callback=NO_CALLBACK)
    look(kind, callback=None)


@pytest.mark.parametrize("kind", [None, "text/html", "text/plain", "application/xhtml+xml", "x/y"])
def test_other_responses_are_complete(kind: str | None) -> None:
    look(kind)


def test_requests_with_takes_json_may_receive_json() -> None:
    look("application/json", takes_json=True)
    for kind, meta in (("application/json", {}), ("application/pdf", {"takes_json": True})):
        with pytest.raises(StopDownload):
            look(kind, **meta)


def test_files_are_answered_without_their_bodies_where_they_are_kept() -> None:
    for kind in ("application/pdf", "image/png"):
        with pytest.raises(StopDownload) as found:
            look(kind, ListSpider)
        assert not found.value.fail
    look("application/octet-stream", ListSpider)
    look("text/html", ListSpider)
