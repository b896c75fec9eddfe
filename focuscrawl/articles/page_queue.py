"""Queue of the pages of one series, which are judged in the order of their responses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focuscrawl.articles.soft_404_detection import MissingPages
from focuscrawl.items import content_md5

if TYPE_CHECKING:
    from focuscrawl.articles.article_page import PageParts

NO_BODY = "no body"
EMPTY = "empty page"
WALL = "same page for any number"


@dataclass(slots=True, eq=False)
class QueuedPage:
    """A response for a number.

    ``reason`` says why it is not an article, ``unknown`` why it does not show whether there is one;
    both are empty for an article. ``retries`` is the number of retries before this response.
    """

    number: int
    retries: int = 0
    reading: PageParts | None = None
    reason: str = ""
    unknown: str = ""
    is_read: bool = False

    def read(self, reason: str, reading: PageParts | None) -> None:
        """Set the result of reading the page."""
        self.reason, self.reading, self.is_read = reason, reading, True

    def fail(self, reason: str) -> None:
        """Note that the page could not be read."""
        self.unknown, self.is_read = reason, True


class PageQueue:
    """Compares pages with those before them, to find walls: the same page for any number.

    A page that may be a wall holds up those behind it (``needs_probe``) until :meth:`compare` gets the
    current look of a number without an article. No callback waits for this.
    """

    def __init__(self, pages: MissingPages) -> None:
        self._known = pages
        self._pages: deque[QueuedPage] = deque()
        self.needs_probe = False
        self.new_walls: list[int] = []
        """The first number of each wall found, for the spider to report."""
        self.withdrawn: list[int] = []
        """The numbers whose pages were taken for articles, and are those of walls."""

    def join(self, number: int, retries: int) -> QueuedPage:
        """Add the page of a response."""
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
        """Compare the doubtful page with the look of a number without an article.

        The look is empty if the site returns an error for such a number.
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
            self._begin_wall(self._known.add_article(look, content, page.number))
        return WALL if self._known.is_wall(look) else ""

    def _begin_wall(self, first: int | None) -> None:
        if first is not None:
            self.new_walls.append(first)
            self.withdrawn += self._known.taken_since(first)
