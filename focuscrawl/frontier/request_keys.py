"""The numbers by which the frontier knows requests."""

from __future__ import annotations

import os
from collections import Counter

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.request import RequestFingerprinter

from focuscrawl.frontier.entry import key_of
from focuscrawl.frontier.page_keys import key_of_page


class RequestKeys:
    """Keys of the requests of one run: those of pages do not depend on the run."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._begun: Counter[bytes] = Counter()

    def key_of(self, request: Request) -> int:
        """Return the key of a request; one that is not to be filtered has its own each time."""
        fingerprinter = self._crawler.request_fingerprinter
        if not request.dont_filter and type(fingerprinter) is RequestFingerprinter:
            is_plain = request.method == "GET" and not request.body
            if is_plain and "verbatim_url" not in request.meta:
                return key_of_page(request.url)
        mark = fingerprinter.fingerprint(request)
        if not request.dont_filter:
            return key_of(mark)
        if not request.meta.get("is_start_request"):
            return key_of(mark + os.urandom(16))
        # The same in every run of the job: a start request is not repeated.
        self._begun[mark] += 1
        again = self._begun[mark] - 1
        return key_of(mark + (b"start %d" % again if again else b""))
