"""Ends of labelled addresses: within the line, or in the next."""

from __future__ import annotations

import re

from focuscrawl.templates.keywords import fold
from focuscrawl.templates.names.name_words import Span
from focuscrawl.templates.names.organisations import organisations
from focuscrawl.templates.names.postal_addresses import addresses, looks_like_address

_PLACE = re.compile(
    r"[省市区县州旗路街道巷弄里号室楼层座栋幢村镇乡园厦场城院校门铺店厅馆站口角侧旁边近面米]|\d|^\w$|[)）]$"
)
_SHORT = 3
_BETWEEN = re.compile(r"([ ，])")
_WAY = re.compile(r"[乘坐搭距离请欢可您本我]")
_TOWN = re.compile(r"(?:中国)?(?:[\u4e00-\u9fff]{2,7}?[省市县区]|北京|上海|天津|重庆)")
_LONGEST = 60
_WHOLE = re.compile(r"[号室楼层座栋幢铺厦]\s*[)）]?$|[号室]\s*\w{1,6}$")
_PART = re.compile(r"[路街道巷弄号室楼层座栋幢铺村镇乡组园区厦]")
HAS_STREET = re.compile(r"[路街道巷弄号村镇乡室]|大厦|广场|工业|园区|road|street|no\.", re.I)
"""Signs that an address may be complete."""
_SENTENCE = re.compile(r"[。！？!?;；:：@©]|\d{7}")
_LATIN = re.compile(r"[\x20-\x7e]+")
_LATIN_PART = re.compile(
    r"\d{4,6}|[A-Z]\d[A-Z] ?\d[A-Z]\d|,|\b(?:china|canada|usa|uk|road|street|district|city|province)\b",
    re.I,
)
_WHOLE_ADDRESS = 0.6


def without_tail(address: str) -> str:
    """Return an address without a tail after a space or comma that is not part of it, such as a name."""
    if _LATIN.fullmatch(address):
        return address
    head, *rest = _BETWEEN.split(address)
    for sign, piece in zip(rest[::2], rest[1::2], strict=True):
        is_word = _LATIN.fullmatch(piece) and not piece[:1].isdigit() and len(piece) > _SHORT
        is_part = _PLACE.search(piece) and not is_word and not organisations(piece)
        if HAS_STREET.search(head) and (not is_part or _WAY.match(piece)):
            break
        head = f"{head}{sign}{piece}"
    return head


def several_addresses(text: str) -> list[Span]:
    """Return the addresses of a text with more than one, each beginning with its town; else none."""
    spans = addresses(text)
    begins = [span for span in spans if _TOWN.match(span.text) and HAS_STREET.search(span.text)]
    return spans if len(begins) == len(spans) > 1 else []


def joined_address(first: str, below: str) -> str:
    """Return an address joined with the line below it, ``""`` if that does not continue it."""
    text = fold(below).strip()
    if not text or len(text) > _LONGEST or _SENTENCE.search(text) or organisations(text):
        return ""
    if _LATIN.fullmatch(first):
        fits = _LATIN.fullmatch(text) and _LATIN_PART.search(text)
        return f"{first.rstrip(', ')}, {below.strip()}" if fits else ""
    if _WHOLE.search(fold(first)) or not _PART.search(text):
        return ""
    # A line that is a full address by itself is that of another office.
    is_other = any(span.start < 2 for span in addresses(text)) and (
        looks_like_address(text) >= _WHOLE_ADDRESS and looks_like_address(first) >= _WHOLE_ADDRESS
    )
    return "" if is_other else first + below.strip()
