"""Readable names of download errors for messages, by the names of their classes."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

INVALID_ADDRESS = "invalid address"
COOKIE_REQUIRED = "cookie required"
TOO_MANY_REDIRECTS = "too many redirects"
_REFUSED, _LOOKUP, _LARGE, _TIMEOUT = "connection refused", "DNS lookup", "too large", "timeout"
_NO_ROUTE, _NO_CONNECTION = "no route to the host", "no connection"
_REFUSED_BY_PROXY = "refused by the proxy"
_SILENCE = {_REFUSED, _LOOKUP, _TIMEOUT, _NO_ROUTE, _NO_CONNECTION}
# Class names instead of classes, since this module does not import Scrapy and Twisted.
_WORDS = {
    "DownloadTimeoutError": _TIMEOUT,
    "TimeoutError": _TIMEOUT,
    "TCPTimedOutError": _TIMEOUT,
    "CannotResolveHostError": _LOOKUP,
    "DNSLookupError": _LOOKUP,
    "DownloadConnectionRefusedError": _REFUSED,
    "ConnectionRefusedError": _REFUSED,
    "NoRouteError": _NO_ROUTE,
    "ConnectError": _NO_CONNECTION,
    "TunnelError": _REFUSED_BY_PROXY,
    "DownloadFailedError": "broken answer",
    "ResponseDataLossError": "broken answer",
    "ResponseFailed": "broken answer",
    "ConnectionDone": "connection lost",
    "ConnectionLost": "connection lost",
    "DownloadCancelledError": _LARGE,
    "UnsupportedURLSchemeError": "address that is not http or https",
    "InvalidURL": INVALID_ADDRESS,
    "ValueError": INVALID_ADDRESS,
    "UnicodeError": INVALID_ADDRESS,
}
_LOST = {"ConnectionDone", "ConnectionLost", "ResponseNeverReceived"}
# No attribute has it.
_TUNNEL_STATUS = re.compile(r"'status': (\d{3})")
# Statuses of a proxy that may open the tunnel to the host later: 5xx, 408 and 429.
_FINAL_REFUSAL = re.compile(rf"{_REFUSED_BY_PROXY}: HTTP 4(?!08|29)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")


def failure_words(error: BaseException, proxy: str = "") -> str:
    """Return in a few words why a request failed: ``HTTP 503``, ``timeout``, ``DNS lookup``.

    ``proxy`` is the URL of the request's proxy, ``""`` for none: it is mentioned, without user and
    password, if it is at fault.
    """
    words = _words(error)
    if proxy and words in (_REFUSED, _LOOKUP):
        host = urlsplit(proxy).netloc.rpartition("@")[2]
        return f"{words} by the proxy {host}" if words == _REFUSED else f"{words} of proxy {host}"
    return words


def is_silence(words: str) -> bool:
    """Return whether a failure named by :func:`failure_words` is that of a host that does not answer."""
    return words in _SILENCE


def is_refusal_of_proxy(words: str) -> bool:
    """Return whether a failure named by :func:`failure_words` is that of a proxy that will not do it."""
    return _FINAL_REFUSAL.match(words) is not None


def is_fault_of_proxy(words: str) -> bool:
    """Return whether a failure named by :func:`failure_words` is that of a proxy that is down."""
    return " proxy " in words


def remedy(words: str) -> str:
    """Return the remedy for a failure named by :func:`failure_words`."""
    if is_fault_of_proxy(words):
        return (
            "start the proxy (for the demo web: scrapy demo), or correct http_proxy and https_proxy"
        )
    if is_refusal_of_proxy(words):
        return "allow the host in the proxy, or write http for https"
    if words.endswith(_LOOKUP):
        return "check the host name and the network"
    if words == "robots.txt":
        return "on your own site: -s ROBOTSTXT_OBEY=False"
    if words.endswith(_LARGE):
        return "raise DOWNLOAD_MAXSIZE"
    if words == COOKIE_REQUIRED:
        return (
            "the site sets a cookie and redirects to the same URL: write cookies: true into the site"
            " profile, or give -s COOKIES_ENABLED=True"
        )
    if words in (INVALID_ADDRESS, TOO_MANY_REDIRECTS):
        return "check the address, and the one that it redirects to"
    if words in ("HTTP 401", "HTTP 403"):
        return "the site wants a login or refuses crawlers; see whether a browser without login gets it"
    if words.startswith("drawing takes"):
        return "a script of the page never ends, or raise FOCUSCRAWL_PAGE_SECONDS"
    if words.startswith("drawing needs"):
        return "raise FOCUSCRAWL_PAGE_MEMORY_MB, or leave the page out"
    if words.startswith("wait_for"):
        return "correct wait_for in the profile"
    if words.startswith("HTTP 4"):
        return "check the address"
    return "run again when the site responds"


def _words(error: BaseException) -> str:
    status = getattr(getattr(error, "response", None), "status", None)
    if status is not None:
        return f"HTTP {status}"
    if "DOWNLOAD_MAXSIZE" in str(error):
        # Scrapy ignores what grows beyond the limit when it is decompressed.
        return _LARGE
    name = type(error).__name__
    if name in ("HostUnavailableError", "BrokenBodyError", "RenderError"):
        return str(error)
    # Scrapy wraps the error of Twisted, which has one or more reasons.
    reasons = getattr(error.__cause__ or error, "reasons", None) or ()
    names = {type(getattr(reason, "value", reason)).__name__ for reason in reasons}
    if names and names <= _LOST:
        return "connection lost"
    if "TLS" in str(error) or "SSL" in str(error) or name in ("Error", "SSLError"):
        return "TLS"
    if name == "TunnelError" and (found := _TUNNEL_STATUS.search(str(error))):
        return f"{_REFUSED_BY_PROXY}: HTTP {found[1]}"
    return _WORDS.get(name) or " ".join(_PART.findall(name.removesuffix("Error"))).lower()
