"""Responses and failures as pages."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.scheduling.request_errback import HostUnavailableError, RefusedAddressError

HOME = "http://a.example/"


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"/a?b=1", f"{HOME}a?b=1"),
        ("/联系".encode(), f"{HOME}%E8%81%94%E7%B3%BB"),
        (b"http://[bad/", ""),
        (b"mailto:a@b.example", ""),
        (b"javascript:void(0)", ""),
    ],
)
def test_a_redirect_leads_to_a_page_or_nowhere(location: bytes, target: str) -> None:
    page = FetchedPage.from_response(Response(HOME, 302, headers={"Location": location}))
    assert (page.location, bool(page.failure)) == (target, not target)
    page = FetchedPage.from_response(HtmlResponse(HOME, 302, body=b"x"))
    assert page.failure == "HTTP 302"


@pytest.mark.parametrize(
    ("error", "reason", "flags"),
    [
        (TimeoutError(), "timeout", "fault silent"),
        (HostUnavailableError("robots.txt unreachable"), "robots.txt unreachable", "fault silent"),
        (IgnoreRequest("Forbidden by robots.txt"), "robots.txt", "fault ignored"),
        (StopDownload(fail=True), "no text", "ignored"),
        (RefusedAddressError("private address"), "private address", "counted"),
    ],
)
def test_a_failure_says_whether_the_page_may_be_there_later(
    error: Exception, reason: str, flags: str
) -> None:
    failure = Failure(error)
    # The request that fails is that for the target of the redirect.
    meta = {"redirect_urls": [HOME]}
    failure.request = Request("http://b.example/", meta=meta)  # type: ignore[attr-defined]
    page = FetchedPage.from_failure(failure)
    told = [
        flag for flag in ("fault", "silent", "ignored", "counted") if getattr(page, f"is_{flag}")
    ]
    assert (page.url, page.failure, " ".join(told)) == (HOME, reason, flags)
