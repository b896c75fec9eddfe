"""Pagers: the boxes of a list page that show the numbers of its pages."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import text_of
from focuscrawl.sites.induction.page_scripts import is_leaf
from focuscrawl.sites.induction.paging.onward_link import leading_link
from focuscrawl.sites.page_reading import base_url

_NUMBER = re.compile(r"[\[(（【［<]?\s*第?\s*(\d{1,3})\s*[页頁]?\s*[\])）】］>]?")
# A text that ends with the number of the page, before the link to the next one.
BARE_NUMBER = r"(^|[\s\[(（|])\d+[\])）]?[\s\[(（|]*$"
_URL_NUMBER = re.compile(r"(?:page[/=_-]?|_|/p/|list_\d+_|index_)(\d+)", re.IGNORECASE)
_ITEMS = ("a", "button", "li", "span", "b", "strong", "em", "i", "font", "td", "div", "label", "u", "option")  # fmt: skip
_PAGING = re.compile(r"page|pagi|pager|fenye|turn|\bpg\b", re.IGNORECASE)
# Numbers of pictures and of days.
_OTHER = re.compile(
    r"slid|swiper|focus|banner|carousel|flash|dots|calendar|rili|datepicker", re.IGNORECASE
)
_WORD = re.compile(
    r"首\s*[页頁]|[尾末][页頁]|最[后後]一?[页頁]|[上下前后後]\s*一?\s*[页頁]|(?:共|总|總|合计)\s*(?:有|计|数)?"
    r"|每[页頁]|第|条|條|记录|記錄|篇|[页頁](?:次|码|碼|数)?|当前|跳\s*转?|转?到|至|确定|前往"
    r"|first|last|prev(?:ious)?|next|older|newer|pages?|total|posts?|entries|goto|go|of",
    re.IGNORECASE,
)
_CHAINED = re.compile(
    r"[上下前后後]\s*一?\s*[页頁]|[尾末][页頁]|[共总總]\s*(?:有|计)?\s*\d+\s*[页頁]"
)
_STATE = re.compile(
    r"active|cur(?:rent)?|selected|this|now|\bon\b|thisclass|hover|is-current", re.IGNORECASE
)
_COUNTED = re.compile(
    r"[共总總]\s*(?:有|计|数)?\s*[::]?\s*\d+|\d+\s*/\s*\d+|每[页頁]\s*\d+|\d+\s*[条條篇]"
)
_HERE = re.compile(r"第\s*(\d{1,3})\s*[页頁]|(\d{1,3})\s*/\s*\d{1,3}")
_LONGEST, _DEPTH = 400, 4
_FEW, _MANY = 2, 30


@dataclass(frozen=True, slots=True)
class Pager:
    """A box with page numbers: the elements that show each, and the number of the page itself.

    It ``is_plain`` if nothing but its numbers speaks for it: neither a name nor words such as 下一页;
    ``is_shown`` if the number of the page is among its numbers.
    """

    box: _Element
    items: dict[int, list[_Element]]
    here: int
    is_plain: bool
    is_shown: bool


def page_number(text: str) -> int | None:
    """Return the number in a text such as 2, [2], (2) or 第2页, and None for any other."""
    found = _NUMBER.fullmatch(text.strip())
    return int(found[1]) if found else None


def other_words(text: str) -> str:
    """Return the letters of a text that are no words of pagers."""
    return re.sub(r"[\W\d_]+", "", _WORD.sub("", text))


def pagers(page: _Element, url: str) -> Iterator[Pager]:
    """Yield the pagers of the page of ``url``."""
    boxes: dict[_Element, dict[int, list[_Element]]] = defaultdict(lambda: defaultdict(list))
    known: dict[_Element, bool] = {}
    for element, number in _numbers(page):
        for around in itertools.islice(element.iterancestors(), _DEPTH):
            if around.tag in ("body", "html"):
                break
            if around not in known:
                known[around] = _has_numbers(around)
            if known[around]:
                boxes[around][number].append(element)
                break
    base = base_url(page, url)
    for box, items in boxes.items():
        is_named, has_words = _is_named(box), bool(_CHAINED.search(text_of(box)))
        if _is_pager(box, is_named=is_named):
            here = _here(box, items, base, url)
            is_shown = here in items or here in _bare_numbers(box)
            yield Pager(box, dict(items), here, not is_named and not has_words, is_shown)


def _numbers(page: _Element) -> Iterator[tuple[_Element, int]]:
    """Yield the elements that show nothing but a number: links, otherwise the innermost."""
    for element in page.iter(*_ITEMS):
        number = page_number(text_of(element)) if is_leaf(element) else None
        if number is None:
            continue
        is_link = element.tag in ("a", "option", "button")
        inner = any(page_number(text_of(child)) is not None for child in element)
        outer = any(node.tag in ("a", "button") for node in itertools.islice(element.iterancestors(), 2))  # fmt: skip
        if is_link or not (inner or outer):
            yield element, number


def _has_numbers(around: _Element) -> bool:
    """Return whether an element shows at least two numbers."""
    text = " ".join(" ".join(map(str, around.itertext())).split())
    return len(text) <= _LONGEST and len(set(re.findall(r"\d+", _COUNTED.sub(" ", text)))) > 1


def _is_named(box: _Element) -> bool:
    around = [box, *itertools.islice(box.iterancestors(), 2)]
    names = (f"{node.get('class')} {node.get('id')} {node.get('name')}" for node in around)
    return any(map(_PAGING.search, names))


def _is_pager(box: _Element, *, is_named: bool) -> bool:
    around = [box, *itertools.islice(box.iterancestors(), _DEPTH)]
    if any(_OTHER.search(f"{node.get('class')} {node.get('id')}") for node in around):
        return False
    return len(other_words(text_of(box))) <= (_MANY if is_named else _FEW)


def _here(box: _Element, items: dict[int, list[_Element]], base: str, url: str) -> int:
    """Return the number of the page: the only one that is no link, or is marked, or printed, or in the URL."""
    closed = {
        number
        for number, elements in items.items()
        if not any(leading_link(element, base, url) for element in elements)
    }
    marked = {number for number, elements in items.items() if any(map(_is_marked, elements))}
    bare = _bare_numbers(box) - (set(items) - closed)
    for found in (marked, closed if len(items) > 1 else set(), bare):
        if len(found) == 1:
            return next(iter(found))
    printed = _HERE.search(text_of(box)) if not items else None
    number = printed or _URL_NUMBER.search(url)
    return int(next(filter(None, number.groups()))) if number else 1


def _is_marked(element: _Element) -> bool:
    parent = element.getparent()
    nodes = [element, *([parent] if parent is not None and parent.tag == "li" else [])]
    return element.get("selected") is not None or any(
        node.get("aria-current") or _STATE.search(node.get("class") or "") for node in nodes
    )


def _bare_numbers(box: _Element) -> set[int]:
    """Return the numbers in texts of the box that stand in no element of their own."""
    texts = [box.text, *(child.tail for child in box)]
    joined = (_COUNTED.sub(" ", text) for text in texts if text)
    return {int(found) for text in joined for found in re.findall(r"(?<!\d)\d{1,3}(?!\d)", text)}
