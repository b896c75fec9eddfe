"""What errors of downloads are called."""

from __future__ import annotations

import pytest
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError, ResponseFailed

from focuscrawl.errors import BrokenBodyError
from focuscrawl.network.failure_names import (
    failure_words,
    is_fault_of_proxy,
    is_refusal_of_proxy,
    remedy,
)

REFUSED_TUNNEL = TunnelError(
    "Could not open CONNECT tunnel with proxy 127.0.0.1:9 [{'status': 403, 'reason': b'Forbidden'}]"
)


class OddThingError(Exception):
    pass


def wrapped(*reasons: Exception) -> DownloadFailedError:
    """Return the error that Scrapy makes of Twisted's."""
    error = DownloadFailedError("failed")
    error.__cause__ = ResponseFailed([Failure(reason) for reason in reasons])
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (HttpError(Response("http://a.test/", status=503)), "HTTP 503"),
        (DownloadTimeoutError(), "timeout"),
        (CannotResolveHostError(), "DNS lookup"),
        (DownloadConnectionRefusedError(), "connection refused"),
        (wrapped(ParseError("status", b"x")), "broken answer"),
        (wrapped(ConnectionLost()), "connection lost"),
        (wrapped(ConnectionLost(), ParseError("status", b"x")), "broken answer"),
        (BrokenBodyError("incomplete body"), "incomplete body"),
        (ValueError("Invalid IPv6 URL"), "invalid address"),
        (TunnelError("no tunnel"), "refused by the proxy"),
        (REFUSED_TUNNEL, "refused by the proxy: HTTP 403"),
        (OddThingError(), "odd thing"),
    ],
)
def test_words(error: Exception, words: str) -> None:
    assert failure_words(error) == words


def test_a_refusal_of_the_proxy_is_final_unless_it_says_later() -> None:
    words = failure_words(REFUSED_TUNNEL)
    assert is_refusal_of_proxy(words)
    assert not is_fault_of_proxy(words)
    assert "write http for https" in remedy(words)
    for later in ("408", "429", "502"):
        assert not is_refusal_of_proxy(words.replace("403", later))


def test_a_page_that_is_too_large_when_decompressed_is_named_as_such() -> None:
    text = "Ignored response because its body exceeded DOWNLOAD_MAXSIZE (8388608 B)"
    words = failure_words(IgnoreRequest(text))
    assert words == "too large"
    assert remedy(f"robots.txt unreachable: {words}") == "raise DOWNLOAD_MAXSIZE"


def test_a_proxy_is_named_without_its_password_where_it_is_at_fault() -> None:
    proxy = "http://me:geheim@127.0.0.1:9"
    refused = failure_words(DownloadConnectionRefusedError(), proxy)
    assert refused == "connection refused by the proxy 127.0.0.1:9"
    assert failure_words(DownloadTimeoutError(), proxy) == "timeout"
    assert "http_proxy" in remedy(refused)
    assert "http_proxy" in remedy(failure_words(CannotResolveHostError(), proxy))
    assert "http_proxy" not in remedy("connection refused")
