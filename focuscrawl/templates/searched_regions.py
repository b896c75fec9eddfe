"""Regions that a template searches: checks of their names and of addresses outside of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from focuscrawl.errors import ArgumentError
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.places.gazetteer import CITY, gazetteer
from focuscrawl.text.places.locations import place_at, prefectures_named

# Larger than a province: no address is certainly outside of them.
_ZONES = frozenset(
    "中国 全国 东北 华北 华东 华中 华南 西南 西北 长三角 珠三角 京津冀 粤港澳 大湾区".split()
)
_COUNTRY = re.compile(r"(?:中华人民共和国|中国)?[·.,，、-]*")
_GAP = re.compile(r"[·.,，、-]*")
# A name without its class is ambiguous: 成都路 is a street in any city, and 朝阳区 is a district of
# Beijing, while 朝阳 is a city too. 区 is the class of districts, and many cities share their names.
_WITH_CLASS = re.compile(r".+(?:省|市|县|州|盟|旗|地区|自治区)$")
_DISTRICT = re.compile(r"(?![省市县州盟旗区])[\u4e00-\u9fff]{2,4}?[市县旗区]")
_BLANKS = re.compile(r"\s+")


class Area(NamedTuple):
    """Provinces, in short form, in which a place may lie, and its prefectures unless it is larger.

    ``provinces`` is empty if it may lie anywhere.
    """

    provinces: frozenset[str]
    prefectures: frozenset[tuple[str, str]]

    def is_apart_from(self, other: Area) -> bool:
        """Return whether no place can lie in both."""
        if not self.provinces or not other.provinces:
            return False
        if self.provinces.isdisjoint(other.provinces):
            return True
        both = self.prefectures and other.prefectures
        return bool(both) and self.prefectures.isdisjoint(other.prefectures)


class Regions:
    """Regions that are searched; an empty list means anywhere.

    Raises :class:`~focuscrawl.errors.ArgumentError` with one sentence for an unknown place.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._areas = [_region(name) for name in names]

    def exclude(self, addresses: Iterable[str]) -> bool:
        """Return whether there are addresses, all of them certainly outside of all regions."""
        areas = [_area_of_address(address) for address in addresses]
        return bool(areas and self._areas) and all(map(self._is_outside, areas))

    def _is_outside(self, area: Area | None) -> bool:
        return area is not None and all(area.is_apart_from(region) for region in self._areas)


def _region(name: str) -> Area:
    text = _BLANKS.sub("", normal_form(name))
    if text in _ZONES:
        return Area(frozenset(), frozenset())
    row = list(_leading_places(text))
    if not row:
        near = get_close_matches(text, gazetteer(), n=3, cutoff=0.5)
        near.sort(key=lambda place: place[:1] != text[:1])
        meant = f" (meant {' or '.join(near)}?)" if near else ""
        raise ArgumentError(
            f"region {name!r} is not a known place{meant}; give a province, city or county of China, a"
            " district with its city (北京海淀), or make it part of entity"
        )
    return _area(row)


def _area_of_address(address: str) -> Area | None:
    """Return the area at the beginning of an address, None if it is uncertain."""
    text = _BLANKS.sub("", normal_form(address))
    text = text[_COUNTRY.match(text).end() :]  # type: ignore[union-attr]
    row = list(_leading_places(text))
    if not row:
        return None
    return _area(row) if _is_certain(row, text) else None


def _is_certain(row: Sequence[str], text: str) -> bool:
    places = gazetteer()
    if _WITH_CLASS.match(row[0]):
        return True
    if len(row) > 1 and places[row[0]].provinces & places[row[1]].provinces:
        return True
    return places[row[0]].level <= CITY and _DISTRICT.match(text, len(row[0])) is not None


def _leading_places(text: str) -> Iterator[str]:
    at = 0
    while length := place_at(text, at):
        yield text[at : at + length]
        gap = _GAP.match(text, at + length)
        at = gap.end() if gap else at + length


def _area(row: Sequence[str]) -> Area:
    """Return the area of a row of place names, each of which lies in the one before."""
    places = gazetteer()
    provinces = places[row[0]].provinces
    prefectures = prefectures_named(row[0])
    for name in row[1:]:
        within = provinces & places[name].provinces
        if not within:
            break
        provinces = within
        named = prefectures_named(name)
        prefectures = (prefectures & named) or named
    return Area(provinces, frozenset(one for one in prefectures if one[0] in provinces))
