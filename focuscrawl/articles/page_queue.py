"""Pages of one series, judged in the order of their responses, however long each takes to read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focuscrawl.articles.number_answers import MissingPages
from focuscrawl.items import content_md5

if TYPE_CHECKING:
    from focuscrawl.articles.article_page import Reading

NO_BODY = "no body"
EMPTY = "empty page"
WALL = "page that comes for any number now"


@dataclass(slots=True, eq=False)
class QueuedPage:
    """A response for a number.

    ``reason`` tells why it is no article, ``unknown`` why it tells nothing of the number; both are
    empty for an article. ``retries`` is how often the number was requested again.
    """

    number: int
    retries: int = 0
    reading: Reading | None = None
    reason: str = ""
    unknown: str = ""
    is_read: bool = False

    def read(self, reason: str, reading: Reading | None) -> None:
        """Note what the page says."""
        self.reason, self.reading, self.is_read = reason, reading, True

    def fail(self, reason: str) -> None:
        """Note that the page could not be read."""
        self.unknown, self.is_read = reason, True


class PageQueue:
    """Compares pages with those before them, to find walls: the same page for any number.

    A page that may be a wall holds up those behind it until :meth:`compare` tells it what a number
    without an article looks like now (``needs_probe``). No page waits inside a callback meanwhile.
    """

    def __init__(self, pages: MissingPages) -> None:
        self._known = pages
        self._pages: deque[QueuedPage] = deque()
        self.needs_probe = False
        self.new_walls: list[int] = []
        """The first number of each wall found, for the spider to report."""

    def join(self, number: int, retries: int) -> QueuedPage:
        """Add the page of a response that has come."""
        page = QueuedPage(number, retries)
        self._pages.append(page)
        return page

    def judged(self) -> Iterator[QueuedPage]:
        """Yield the pages that can be judged now, and remove them."""
        while self._pages and self._pages[0].is_read:
            page = self._pages[0]
            if not page.unknown:
                if self._is_doubtful(page):
                    self.needs_probe = True
                    return
                page.unknown = self._why_unknown(page)
            self._pages.popleft()
            yield page

    def compare(self, look_of_missing: str) -> None:
        """Compare the page that needs it with the look of a number without an article.

        The look is empty where the site answers such a number with an error.
        """
        self.needs_probe = False
        reading = self._pages[0].reading
        assert reading is not None
        self._begin_wall(self._known.judge(reading.look, look_of_missing))

    def _is_doubtful(self, page: QueuedPage) -> bool:
        reading = page.reading
        if reading is None or page.reason not in ("", NO_BODY) or reading.is_blank:
            return False
        return self._known.is_doubtful(reading.look, page.number)

    def _why_unknown(self, page: QueuedPage) -> str:
        reading = page.reading
        if reading is None or page.reason not in ("", NO_BODY):
            return ""
        if reading.is_blank:
            return EMPTY
        look = reading.look
        if look and not page.reason:
            texts = (reading.title, reading.body_text)
            content = content_md5(*(text.replace(str(page.number), "") for text in texts))
            self._begin_wall(self._known.take_in(look, content, page.number))
        return WALL if self._known.is_wall(look) else ""

    def _begin_wall(self, first: int | None) -> None:
        if first is not None:
            self.new_walls.append(first)
