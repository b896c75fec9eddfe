"""Frontier keys of pages, computed without a request."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from urllib.parse import urlsplit

from w3lib.url import canonicalize_url, safe_url_string

from focuscrawl.frontier.frontier_entries import key_of

# URLs that canonicalisation leaves unchanged, which takes it 20 µs: no query, no dots to resolve, no
# escapes other than those of non-ASCII letters.
_HOST = r"(?:[a-z0-9]+[.-])*[a-z][a-z0-9]*"
_SEGMENT = r"(?:[A-Za-z0-9_-]|%[89A-F][0-9A-F])(?:[A-Za-z0-9_.-]|%[89A-F][0-9A-F])*"
_IS_PLAIN = re.compile(rf"https?://{_HOST}/(?:{_SEGMENT}/)*(?:{_SEGMENT})?").fullmatch


# Most links of a page are on many other pages as well.
@lru_cache(50_000)
def host_of_page(url: str) -> str:
    """Return the host of a URL: its group of URLs that share download slots, unless a request names another."""
    return urlsplit(url).hostname or ""


@lru_cache(50_000)
def key_of_page(url: str) -> int:
    """Return the key of a plain GET request for ``url``.

    It equals the key of Scrapy's request fingerprint, which takes several times as long.
    """
    canonical = url if _IS_PLAIN(url) else canonicalize_url(safe_url_string(url))
    parts = {"body": "", "headers": {}, "method": "GET", "url": canonical}
    return key_of(hashlib.sha1(json.dumps(parts).encode(), usedforsecurity=False).digest())
