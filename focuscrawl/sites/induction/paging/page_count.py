"""Number of the pages of a list, as its pager tells it."""

from __future__ import annotations

import itertools
import re
from urllib.parse import urldefrag

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import page_links, text_of

_TOTALS = (
    re.compile(r"[共总]\s*(?:有|计)?\s*(\d{1,5})\s*[页頁]"),
    re.compile(r"\d{1,5}\s*/\s*(\d{1,5})\s*[页頁]"),
    re.compile(r"页次\s*[::]\s*\d{1,5}\s*/\s*(\d{1,5})"),
    re.compile(r"(?<![a-z])page \d{1,5} (?:of|/) (\d{1,5})\b", re.IGNORECASE),
)
_PAGER_DEPTH = 3
_NUMBER = re.compile(r"(?<!\d)\d{1,5}(?!\d)")


def page_count(page: _Element, url: str, next_url: str) -> int | None:
    """Return how many list pages there are from that of ``url`` on; None if the page does not tell.

    The largest number in a link like that to the next page counts where no total is printed.
    """
    text = text_of(page)
    for total in _TOTALS:
        if found := total.search(text):
            return max(int(found[1]), 2)
    return _by_links(page, url, next_url) or _by_texts(page, url, next_url) or None


def _by_texts(page: _Element, url: str, next_url: str) -> int:
    """Return the largest number that the pager around the link to the next page prints; 0 without one."""
    target = urldefrag(next_url).url
    for link in page_links(page, url):
        if link.url == target:
            for around in itertools.islice(link.element.iterancestors(), _PAGER_DEPTH):
                texts = (
                    text_of(node) for node in around.iter("a", "span", "b", "strong", "em", "li")
                )
                numbers = [int(text) for text in texts if _NUMBER.fullmatch(text)]
                if numbers and max(numbers) > 1:
                    return max(numbers)
    return 0


def _by_links(page: _Element, url: str, next_url: str) -> int:
    target = urldefrag(next_url).url
    targets = [link.url for link in page_links(page, url)]
    for number in reversed(list(_NUMBER.finditer(target))):
        before, behind = map(re.escape, (target[: number.start()], target[number.end() :]))
        pattern = re.compile(rf"{before}(\d{{1,5}}){behind}")
        largest = max(
            int(found[1]) for each in (target, *targets) if (found := pattern.fullmatch(each))
        )
        if largest > int(number[0]):
            # The next page of the first is called 2, or 1 where the first has none.
            return largest - int(number[0]) + 2
    return 0
