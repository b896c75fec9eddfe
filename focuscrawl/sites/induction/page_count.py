"""Number of the pages of a list, as its pager tells it."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urljoin

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import text_of

_TOTALS = (
    re.compile(r"[共总]\s*(?:有|计)?\s*(\d{1,5})\s*[页頁]"),
    re.compile(r"\d{1,5}\s*/\s*(\d{1,5})\s*[页頁]"),
    re.compile(r"页次\s*[::]\s*\d{1,5}\s*/\s*(\d{1,5})"),
    re.compile(r"\bpage \d{1,5} (?:of|/) (\d{1,5})\b", re.IGNORECASE),
)
_LAST_NUMBER = re.compile(r"(.*?)(\d{1,5})(\D*)")


def page_count(page: _Element, url: str, next_url: str) -> int | None:
    """Return how many list pages there are from that of ``url`` on; None if the page does not tell.

    The largest number in a link like that to the next page counts where no total is printed.
    """
    if not next_url:
        return 1
    text = text_of(page)
    for total in _TOTALS:
        if found := total.search(text):
            return max(int(found[1]), 2)
    return _by_links(page, url, next_url)


def _by_links(page: _Element, url: str, next_url: str) -> int | None:
    following = _LAST_NUMBER.fullmatch(urldefrag(next_url).url)
    if following is None:
        return None
    before, number, behind = following[1], int(following[2]), following[3]
    pattern = re.compile(rf"{re.escape(before)}(\d{{1,5}}){re.escape(behind)}")
    targets = (urldefrag(urljoin(url, (a.get("href") or "").strip())).url for a in page.iter("a"))
    numbers = [int(found[1]) for target in targets if (found := pattern.fullmatch(target))]
    # The next page of the first is called 2, or 1 where the first has none.
    return max(numbers) - number + 2 if numbers and max(numbers) > number else None
