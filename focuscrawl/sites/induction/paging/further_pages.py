"""Signs of the further pages of a list: how many there are, and that no link leads to them (共9页, 下一页 by a script)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Iterator
from urllib.parse import urldefrag

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import page_links, text_of
from focuscrawl.sites.induction.missing_list import is_leaf
from focuscrawl.sites.induction.paging.next_link import (
    LINK_TAGS,
    is_disabled,
    is_next_text,
    is_scripted,
    other_words,
    pagers,
    shown_text,
)

_FRACTION = re.compile(
    r"(?<![\d/])(\d{1,4})\s*/\s*(\d{1,4})\s*[页頁]|[页頁]次\s*[:：]?\s*(\d{1,4})\s*/\s*(\d{1,4})(?![\d/])"
    r"|(?<![a-z])page\s*(\d{1,4})\s*(?:of|/)\s*(\d{1,4})(?!\d)",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"[共总總]\s*(?:有|计|計)?\s*(\d{1,5})\s*[页頁]|[总總]\s*[页頁]\s*[数數]?\s*[:：]?\s*(\d{1,5})"
)
_CURRENT = re.compile(r"第\s*(\d{1,5})\s*[页頁]|当前\s*[:：]?\s*(\d{1,5})")
# createPageHTML(25, 0, "index", "html") of government sites counts the pages from 0.
_CREATED = re.compile(
    r"createPage\w*\s*\(\s*(?:['\"][A-Za-z]\w*['\"]\s*,\s*)?['\"]?(\d{1,5})['\"]?\s*,\s*['\"]?(\d{1,5})"
)
_COUNTED = re.compile(
    r"\b(?:page_?count|total_?pages?|pages?_?total)\b['\"]?\s*[:=]\s*['\"]?(\d{1,5})", re.IGNORECASE
)
_PREVIOUS = re.compile(r"prev|newer|first", re.IGNORECASE)
_PAGER_DEPTH = 3
_LONGEST, _MOST_OTHERS = 120, 12
_NUMBER = re.compile(r"(?<!\d)\d{1,5}(?!\d)")


def further_pages(page: _Element, url: str, entries: Iterable[_Element]) -> str:
    """Return the words by which the page of ``url`` shows that further ones follow, empty without any.

    What the entries themselves say does not count.
    """
    inside = {node for entry in entries for node in entry.iter()}
    boxes = [one for one in pagers(page, url) if not one.is_plain and one.box not in inside]
    here = max((one.here for one in boxes), default=1)
    for total, number, sign in _printed(page, inside):
        return sign if total > max(number, here) else ""
    if scripted := scripted_pages(page):
        return scripted
    largest = max((max(one.items, default=0) for one in boxes), default=0)
    if largest > here:
        return str(largest)
    for element in page.iter(*LINK_TAGS):
        text = shown_text(element) if element not in inside and is_leaf(element) else ""
        is_button = is_next_text(text) and is_scripted(element) and not is_disabled(element)
        # Menus have items called Next, too.
        if is_button and (not text.isascii() or _has_previous(element)):
            return text
    return ""


def _has_previous(element: _Element) -> bool:
    around = itertools.islice(element.iterancestors(), _PAGER_DEPTH)
    texts = (text_of(node) for node in around)
    return any(len(text) <= _LONGEST and _PREVIOUS.search(text) for text in texts)


def scripted_pages(page: _Element) -> str:
    """Return the call or variable with the number of pages in a script of the page; empty without one."""
    for script in page.iter("script"):
        if (found := _CREATED.search(script.text or "")) and int(found[1]) > int(found[2]) + 1:
            return " ".join(found[0].split())
        if (found := _COUNTED.search(script.text or "")) and int(found[1]) > 1:
            return " ".join(found[0].split())
    return ""


def unreached(sign: str) -> str:
    """Return a sentence on further pages that no rule reaches; ``sign`` are the words that show them."""
    return (
        f"the page shows further pages ({sign}), but no link that list.next could follow; give their "
        "URLs as further start_urls, newsite the URL of the data that the page requests, or let a browser "
        "press it (render, click)"
    )


def _printed(page: _Element, inside: Container[_Element]) -> Iterator[tuple[int, int, str]]:
    """Yield the number of pages, that of the page, and the words for them; the smallest element first."""
    for element in reversed(list(page.iter("*"))):
        if element in inside or element.tag in ("script", "style", "body", "html", "title", "head"):
            continue
        text = _pager_text(element, inside)
        if found := _FRACTION.search(text):
            one, total = filter(None, found.groups())
            yield int(total), int(one), found[0]
        elif found := _TOTAL.search(text):
            current = _CURRENT.search(text)
            number = next(filter(None, current.groups())) if current else 1
            yield int(found[1] or found[2]), int(number), found[0]


def _pager_text(element: _Element, inside: Container[_Element]) -> str:
    """Return the text of an element that has the words of a pager and few others; else an empty one."""
    parts: list[str] = []
    for node in element.iter("*"):
        parts += filter(None, (node.text, node.tail if node is not element else ""))
        if node in inside or sum(map(len, parts)) > _LONGEST:
            return ""
    text = " ".join(" ".join(parts).split())
    return text if len(other_words(text)) <= _MOST_OTHERS else ""


def page_count(page: _Element, url: str, next_url: str) -> int | None:
    """Return how many list pages there are from that of ``url`` on; None if the page does not tell.

    The largest number in a link like that to the next page counts where no total is printed.
    """
    text = text_of(page)
    if found := _TOTAL.search(text) or _FRACTION.search(text):
        *_, total = filter(None, found.groups())
        return max(int(total), 2)
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
