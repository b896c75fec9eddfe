"""The numbered site: articles without lists, with gaps and faults."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping
from datetime import date

from focuscrawl.demo.article_truth import ArticleTruth
from focuscrawl.demo.numbered.numbered_map import NumberMap
from focuscrawl.demo.numbered.numbered_pages import NumberedPages, NumberedTruth, notice
from focuscrawl.demo.site_protocol import Response, not_found, plain
from focuscrawl.errors import ArgumentError

HOST = "numbered.demo.test"
PATTERN = f"http://{HOST}/article/{{n}}.htm"
MOST_NUMBERS = 1_000_000
NEW_A_DAY = 20

_PATH = re.compile(r"/article/([1-9]\d{0,11})\.htm", re.ASCII)
_HTML = "text/html"


class NumberedSite:
    """Articles 1 to ``numbers`` except a fifth of the numbers; twenty more numbers every day.

    Gaps are up to 60 numbers long; their responses are a 404, a 410, a page with status 200, or a
    redirect to the home page. On the first request, 2 % of the numbers return 503, 1 % hang, 1 %
    return half a page or an empty one, unless ``faults=False``. One page in the middle has ``big_mb``
    megabytes. Pages are in six charsets. Raises ArgumentError for values out of range.
    """

    def __init__(
        self,
        seed: int = 1,
        numbers: int = 5000,
        *,
        today: date | None = None,
        big_mb: int = 6,
        faults: bool = True,
    ) -> None:
        if not 1 <= numbers <= MOST_NUMBERS:
            raise ArgumentError(f"numbers={numbers} is out of range: give 1 to {MOST_NUMBERS}")
        self.count = numbers
        self.has_faults = faults
        self._map = NumberMap(seed)
        self._day = today or date.today()
        existing = self._map.existing(numbers)
        self.big = existing[len(existing) // 2]
        self._pages = NumberedPages(seed, HOST, self.big, big_mb * 1024 * 1024)
        self._requests: Counter[int] = Counter()
        self._late: set[int] = set()

    def existing(self) -> list[int]:
        """Return the numbers that have an article now."""
        return sorted({*self._map.existing(self.count), *self._late})

    def publish(self, number: int) -> None:
        """Publish an article for a number that had none."""
        self._late.add(number)

    def article(self, number: int) -> NumberedTruth:
        """Return the content of an article."""
        return self._pages.truth(number)

    def turn_to(self, today: date) -> None:
        """Add the numbers of the days until ``today``."""
        self.count += NEW_A_DAY * max(0, (today - self._day).days)
        self._day = today

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing: there are no bulletins; see ``article``."""
        return {}

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET."""
        if path == "/":
            return Response(200, {"Content-Type": _HTML}, "<h1>演示文库</h1>".encode())
        found = _PATH.fullmatch(path)
        if not found:
            return not_found()
        number = int(found[1])
        self._requests[number] += 1
        return self._fault(number) or self._answer(number)

    def _fault(self, number: int) -> Response | None:
        fault = self._map.fault(number) if self.has_faults and number <= self.count else ""
        if not fault or self._requests[number] > 1:
            return None
        if fault == "503":
            return plain(503, "out of order for a moment")
        if fault == "hang":
            return Response(200, fault="hang")
        if fault == "empty":
            return Response(200, {"Content-Type": _HTML})
        whole = self._answer(number)
        return Response(200, whole.headers, whole.body or b"cut", fault="cut")

    def _answer(self, number: int) -> Response:
        # For numbers that were never assigned, the response is always the same.
        way = self._map.way(number) if number <= self.count else "soft 404"
        if number in self._late or (number <= self.count and self._map.exists(number)):
            charset, body = self._pages.page(number)
            kind = f"{_HTML}; charset={charset}" if charset else _HTML
            return Response(200, {"Content-Type": kind}, body)
        if way == "home":
            return Response(302, {"Location": "/"})
        if way == "soft 404":
            return Response(200, {"Content-Type": f"{_HTML}; charset=utf-8"}, notice(number))
        return plain(int(way), "no such article")


class TimedSite(NumberedSite):
    """Numbered site that records the times of its responses, in seconds."""

    answers: list[float]

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond, and record the time."""
        self.answers.append(time.monotonic())
        return super().respond(path, query, headers)
