"""Requests as candidates of the frontier: key, host, score and JSON payload."""

from __future__ import annotations

import os
from collections import Counter
from math import isfinite

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.request import RequestFingerprinter

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.frontier_entries import Candidate, key_of
from focuscrawl.scheduling.page_keys import key_of_page
from focuscrawl.scheduling.request_errback import Errback
from focuscrawl.scheduling.request_json import payload_of
from focuscrawl.scheduling.scrapy_engine import leave_slot_of_source, slot_key


class RequestCandidates:
    """Makes candidates of the requests of one run; the keys of pages do not depend on the run."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._start_requests: Counter[bytes] = Counter()

    def of(self, request: Request) -> Candidate:
        """Return the candidate of a request.

        Raises :class:`FrontierError` for a score that is not a number, and for attributes that JSON
        cannot represent.
        """
        if isinstance(request.errback, Errback):
            request = request.replace(errback=request.errback.own)
        leave_slot_of_source(request)
        score = request.meta.get("score", request.priority)
        if not isinstance(score, int | float) or not isfinite(score):
            raise FrontierError(
                f"the request for {request.url} has the score {score!r}; give a number"
            )
        return Candidate(
            self._key_of(request),
            request.url,
            slot_key(self._crawler, request),
            float(score),
            payload_of(request, self._crawler.spider),
        )

    def _key_of(self, request: Request) -> int:
        """Return the key of a request; with ``dont_filter`` it is different each time."""
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
        # The same in every run of the job, so that a start request is not repeated.
        self._start_requests[mark] += 1
        again = self._start_requests[mark] - 1
        return key_of(mark + (b"start %d" % again if again else b""))
