"""Postal addresses, Chinese and English, in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from focuscrawl.templates.names.address_parts import (
    address_score,
    end_of_address,
    next_beginning,
    start_of_place,
    start_with_country,
)
from focuscrawl.templates.names.address_trim import trim_address
from focuscrawl.templates.names.text_spans import HAN, Span, View, readable

__all__ = ["addresses", "looks_like_address", "trim_address"]

_ENOUGH = 0.7
_RUNS_ON = re.compile(rf"(?!邮|电|联|手|传|网|乘|备|版|技|地址|以|并|专)[{HAN}A-Za-z]")
_SOMETHING_ELSE = re.compile(r"ICP ?备|公网安备|备案|@|https?:|www\.|(?:有限公司|集团|学校|协会)$")
_STREETS = "road|rd|street|st|avenue|ave|lane|drive|dr|boulevard|blvd|highway|hwy|way|court|crescent|terrace|parkway|pkwy|square"
_AREAS = (
    "district|dist|county|town|township|village|city|province|prov|state|zone|park|industrial|china|p\\.?r\\.?c|hong kong|kowloon|taiwan|macau"
    "|usa|u\\.s\\.a|united states|canada|ontario|uk|united kingdom|england|australia|singapore|malaysia|japan|korea|germany|france|beijing|shanghai|tianjin|chongqing|guangdong|zhejiang|jiangsu|shandong|sichuan|fujian|hebei|henan|hubei|hunan|anhui|liaoning|shaanxi|guangzhou|shenzhen|italy|india|vietnam|thailand"
)
_HOUSES = "no|room|rm|floor|flr|f|building|bldg|block|plaza|tower|unit|suite|center|centre|mansion|house|flat|apartment|apt|base|workshop|factory"
_LATIN_WORDS = re.compile(rf"(?<![A-Za-z])(?:{_STREETS}|{_AREAS}|{_HOUSES})(?![A-Za-z])", re.I)
_LATIN_PLACES = re.compile(rf"(?<![A-Za-z])(?:{_STREETS}|{_AREAS}|base)(?![A-Za-z])", re.I)
_NUMBERED_STREET = re.compile(
    rf"(?<![\w-])\d{{1,5}}[A-Za-z]?,? (?:[A-Za-z'’.]+ ){{1,4}}(?:{_STREETS})(?![A-Za-z])", re.I
)
_LATIN_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:No|NO|Room|ROOM|Rm|RM|Unit|UNIT|Suite|Flat|Floor|Building|Block)\b\.? ?|#? ?\d{1,5}[-–\dA-Za-z]{0,6}(?:/F|F)?,? )"
    r"[A-Za-z0-9#'’&(). /-]{1,50}(?:, ?[A-Za-z0-9#'’&(). /-]{1,50}){1,9}"
)


def addresses(text: str) -> list[Span]:
    """Return the addresses in ``text`` in order: a place, then a street, village or building."""
    view = View(text)
    found = [view.span(*where) for where in _chinese(view.text)]
    return sorted(found + [view.span(*where) for where in _latin(view.text)])


def looks_like_address(text: str) -> float:
    """Return a score from 0 to 1 for ``text`` as a whole being an address.

    An address without its city (street and number) reaches 0.6, a place alone 0.25.
    """
    level = View(readable(text)).text
    if not 4 <= len(level) <= 160 or _SOMETHING_ELSE.search(level):
        return 0.0
    return address_score(level) if re.search(rf"[{HAN}]", level) else _latin_score(level)


def _chinese(text: str) -> Iterator[tuple[int, int, float]]:
    at = 0
    while (at := next_beginning(text, at)) >= 0:
        length = start_of_place(text, at)
        end = end_of_address(text, at, at + length) if length else at
        if end > at + length:
            start = start_with_country(text, at)
            score = address_score(text[start:end]) - 0.3 * bool(_RUNS_ON.match(text, end))
            if score >= _ENOUGH:
                yield start, end, score
        # A match that begins later within it has even fewer parts.
        at = max(end, at + 1)


def _latin(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _LATIN_ADDRESS.finditer(text):
        address = trim_address(match[0])
        score = _latin_score(address)
        if score >= _ENOUGH and (at := text.find(address, match.start(), match.end())) >= 0:
            yield at, at + len(address), score


def _latin_score(text: str) -> float:
    """Return a score from 0 to 1 for a Latin text being an address, from words, commas and numbers."""
    words = len({word.lower() for word in _LATIN_WORDS.findall(text)})
    score = 0.2 * words + 0.08 * min(text.count(","), 4)
    score += 0.3 if _NUMBERED_STREET.search(text) else 0.0
    return max(0.0, min(1.0, score - (0.0 if _LATIN_PLACES.search(text) else 0.3)))
