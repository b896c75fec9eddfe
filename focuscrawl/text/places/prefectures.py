"""Prefectures of regions, by which prices of one market are averaged."""

from __future__ import annotations

from functools import lru_cache

from focuscrawl.text.places.gazetteer import MUNICIPALITIES, provinces, short_province

_LONGEST_NAME = 8
_ENDS = ("自治州", "地区", "市", "县", "区", "盟", "旗")


@lru_cache(maxsize=4096)
def prefecture_of(region: str) -> str:
    """Return the province and prefecture of a region as printed, in short form.

    A county is replaced by its prefecture; a region without a known place is returned unchanged.

    >>> prefecture_of("潍坊市寿光"), prefecture_of("山东省寿光市"), prefecture_of("山东")
    ('山东潍坊', '山东潍坊', '山东')
    """
    compact = "".join(region.split())
    named = _named(compact)
    alone = {place[0] for place in named if not place[1]}
    prefectures = [place for place in named if place[1]]
    # Counties in several provinces may share a name: the province named with it decides.
    fitting = [place for place in prefectures if place[0] in alone] or prefectures
    if fitting:
        province, prefecture = fitting[0]
        return province if province == prefecture else province + prefecture
    return min(alone) if len(alone) == 1 else compact


def prefectures_named(name: str) -> frozenset[tuple[str, str]]:
    """Return the prefectures with a place of that name, each with its province, in short form.

    A province and a municipality such as 北京 have none.
    """
    return frozenset(place for place in _places().get(name, ()) if place[1])


def _named(text: str) -> list[tuple[str, str]]:
    """Return the places named in a text from left to right, as (province, prefecture or "")."""
    places, start = _places(), 0
    found: list[tuple[str, str]] = []
    while start < len(text):
        for length in range(min(_LONGEST_NAME, len(text) - start), 1, -1):
            if known := places.get(text[start : start + length]):
                found += known
                start += length - 1
                break
        start += 1
    return found


@lru_cache(maxsize=1)
def _places() -> dict[str, tuple[tuple[str, str], ...]]:
    places: dict[str, tuple[tuple[str, str], ...]] = {}

    def add(name: str, province: str, prefecture: str) -> None:
        for form in {name, _short(name), short_province(name)}:
            places[form] = (*places.get(form, ()), (province, prefecture))

    for long_name, prefectures in provinces().items():
        province = short_province(long_name)
        add(long_name, province, "")
        for names in prefectures:
            prefecture = "" if long_name in MUNICIPALITIES else _short(names[0])
            for name in names:
                add(name, province, prefecture)
    return places


def _short(name: str) -> str:
    for end in _ENDS:
        if name.endswith(end) and len(name) - len(end) >= 2:
            return name.removesuffix(end)
    return name
