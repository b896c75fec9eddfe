"""Extraction of an article without a site profile, by trafilatura (Barbaresi 2021)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from lxml import etree
from lxml.etree import _Element

from focuscrawl.sites.site_profile import Rule
from focuscrawl.text.chinese_dates import day_in_china
from focuscrawl.text.main_text import LONGEST_PAGE, main_text
from focuscrawl.text.seen_text import as_seen
from focuscrawl.text.visible_lines import block_text

_BETWEEN_TAGS = re.compile(r"[,，、;；|]")
_AUTHOR_LABEL = re.compile(r"^(?:文章)?作\s*者\s*[:：]?\s*")
_AUTHOR = Rule(xpath='//meta[@name="author"]/@content')
_BYLINE = Rule(xpath="//body", re=r"作\s*者\s*[:：]\s*([^\s:：|/,，。]{1,20})")
# Consecutive characters that locate a text.
_SHINGLE = 8
# Captions and the like may be in other elements than the rest.
_SHARE_OF_TEXT = 0.9
_UNSEEN = frozenset({"script", "style", "title"})
_MARKS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Guess:
    """Parts of a page that were found without a rule."""

    title: str = ""
    description: str = ""
    tags: list[str] = field(default_factory=list)
    author: str = ""
    published: date | None = None
    body_html: str = ""
    body_text: str = ""


def guess(root: _Element, html: str, url: str, *, with_body: bool) -> Guess:
    """Return the parts of a page by its metadata, and with ``with_body`` its main text.

    The HTML of the body is the smallest element that contains the main text. For a page longer than
    ``LONGEST_PAGE``, the text is that of this whole element. Never raises.
    """
    known = _metadata(html[:LONGEST_PAGE], url)
    title = as_seen(known.get("title") or "")
    text, element = "", None
    if with_body and (text := main_text(html, url)):
        element = smallest_holder(root, text)
    if element is not None and len(html) > LONGEST_PAGE:
        text = block_text(element)
    return Guess(
        title,
        known.get("description") or "",
        split_tags(known.get("tags") or [], title),
        _author(root, known.get("author") or ""),
        _day(known.get("date")),
        "" if element is None else source_of(element),
        text,
    )


def smallest_holder(root: _Element, text: str) -> _Element | None:
    """Return the smallest element that contains nine tenths of ``text``, None if there is none."""
    plain = _MARKS.sub("", text)
    shingles = {plain[i : i + _SHINGLE] for i in range(max(1, len(plain) - _SHINGLE + 1))}
    elements = list(root.iter(etree.Element))
    shares: Counter[_Element] = Counter()
    # In reverse document order, so that descendants come before their ancestors.
    for element in reversed(elements):
        shares[element] += sum(
            len(own) for own in _texts(element) if _first_shingle(own) in shingles
        )
        if (parent := element.getparent()) is not None:
            shares[parent] += shares[element]
    enough = _SHARE_OF_TEXT * shares[root]
    return next((e for e in reversed(elements) if shares[e] >= enough), None) if enough else None


def _texts(element: _Element) -> Iterator[str]:
    if element.tag in _UNSEEN:
        return
    yield element.text or ""
    for child in element:
        yield child.tail or ""


def _first_shingle(text: str) -> str:
    return _MARKS.sub("", text)[:_SHINGLE]


def _author(root: _Element, otherwise: str) -> str:
    # The library rejects names without a space, which excludes nearly all Chinese names.
    return _AUTHOR_LABEL.sub("", _AUTHOR.first(root) or _BYLINE.first(root) or otherwise)


def _metadata(html: str, url: str) -> dict[str, Any]:
    # Imported here: it takes 0.15 s, and only the worker process needs it.
    from trafilatura.metadata import extract_metadata

    # The library takes the day that is written, also of a moment in another time zone.
    page = day_in_china(html).encode("utf-8", "replace").decode("utf-8")
    try:
        return dict(extract_metadata(page, default_url=url, extensive=False).as_dict())
    except MemoryError:
        raise
    # The library may raise anything on a broken page, which then has no metadata.
    except Exception:
        return {}


def split_tags(values: Iterable[str], *others: str) -> list[str]:
    """Split texts into distinct tags, without ``others``: blog themes put the title among them."""
    parts = (part.strip() for value in values for part in _BETWEEN_TAGS.split(value))
    return list(dict.fromkeys(part for part in parts if part and part not in others))


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def source_of(element: _Element) -> str:
    """Return the HTML of an element without its tail text."""
    return etree.tostring(element, encoding="unicode", method="html", with_tail=False)
