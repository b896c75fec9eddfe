"""Locations in China: province, city and county of a place as printed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from focuscrawl.text.places.gazetteer import MUNICIPALITIES, provinces, short_province

_LONGEST_NAME = 8
_ZONES = frozenset("东北 华北 华东 华南 华中 西南 西北".split())
_CLASSES = ("区", "县", "州", "盟", "旗")
_ENDS = ("自治州", "地区", "市", "县", "区", "盟", "旗", "州")


class Location(NamedTuple):
    """A place by its short names; ``city`` and ``county`` are empty for what is above them.

    The city of a county is its prefecture; districts keep their 区.
    """

    province: str = ""
    city: str = ""
    county: str = ""

    def is_within(self, other: Location) -> bool:
        """Return whether this is the other place or a part of it."""
        return all(not theirs or own == theirs for own, theirs in zip(self, other, strict=True))


def located(region: str, name: str = "") -> Location:
    """Return the smallest place that agrees with most of the place names in a region and a name.

    Of places that share a name, the other names decide, and of places in one province that
    contradict each other the one in ``name``; what is left open is empty. Municipalities such as 北京 are province and city
    at once.

    >>> located("平度"), located("山东省潍坊寿光市"), located("中国")
    (Location(province='山东', city='青岛', county='平度'), Location(province='山东', city='潍坊', county='寿光'), Location(province='', city='', county=''))
    """
    own = [*_highest(name)]
    named = [*_highest(region), *own]
    support = {place: _support(place, named) for places in named for place in places}
    most = max(support.values(), default=0)
    best = [place for place, count in support.items() if count == most]
    # The gazetteer lacks some districts: a district of another province is not what is meant.
    of_provinces = [places for places in named if len(places) == 1 and _depth(places[0]) == 1]
    best = [one for one in best if all(one.is_within(*places) for places in of_provinces)] or best
    if len({place.province for place in best}) == 1:
        best = [one for one in best if _support(one, own)] or best
    deepest = [one for one in best if not any(o != one and o.is_within(one) for o in best)]
    place = _shared(deepest) if deepest else Location()
    return place._replace(city=place.city or _municipality(place.province))


@lru_cache(maxsize=1)
def _municipalities() -> frozenset[str]:
    return frozenset(map(short_province, MUNICIPALITIES))


def _municipality(province: str) -> str:
    return province if province in _municipalities() else ""


def _highest(text: str) -> Iterator[list[Location]]:
    """Yield the places of each name, of the highest level that has the name: 吉林 is the province."""
    for places in places_in(text):
        depth = min(_depth(place) for place in places)
        yield [place for place in places if _depth(place) == depth]


def _depth(place: Location) -> int:
    return len([name for name in place if name])


def _support(place: Location, named: list[list[Location]]) -> int:
    return sum(any(place.is_within(other) for other in places) for places in named)


def _shared(places: list[Location]) -> Location:
    """Return the smallest place that all of these are parts of."""
    first = places[0]
    parts = [""] * len(first)
    for level, name in enumerate(first):
        if any(place[level] != name for place in places):
            break
        parts[level] = name
    return Location(*parts)


def places_in(text: str) -> Iterator[tuple[Location, ...]]:
    """Yield the places of each place name in a text, from left to right, longest names first.

    Names that the gazetteer lacks, such as 中山区, are not taken for a place of another class.
    """
    start = 0
    while start < len(text):
        length = _name_length(text, start)
        name = text[start : start + length]
        if (
            name
            and name not in _ZONES
            and text[start + length : start + length + 1] not in _CLASSES
        ):
            yield places_by_name()[name]
        start += max(length, 1)


def _name_length(text: str, start: int) -> int:
    known = places_by_name()
    for length in range(min(_LONGEST_NAME, len(text) - start), 1, -1):
        name = text[start : start + length]
        if name in known or name in _ZONES:
            return length
    return 0


@lru_cache(maxsize=1)
def places_by_name() -> dict[str, tuple[Location, ...]]:
    """Return the places of every name, long or short."""
    places: dict[str, tuple[Location, ...]] = {}

    def add(name: str, place: Location) -> None:
        for form in {name, short_name(name), short_province(name)}:
            places[form] = (*places.get(form, ()), place)

    for long_name, prefectures in provinces().items():
        province = short_province(long_name)
        is_city = long_name in MUNICIPALITIES
        add(long_name, Location(province))
        for names in prefectures:
            city = "" if is_city else short_name(names[0])
            for rank, name in enumerate(names):
                is_county = rank > 0 or is_city
                add(name, Location(province, city, _county(name, names) if is_county else ""))
    return places


def _county(name: str, names: list[str]) -> str:
    # 即墨区 was 即墨市: prices from before and after belong together.
    short = short_name(name)
    was_county = any(f"{short}{end}" in names for end in ("市", "县"))
    return name if name.endswith("区") and not was_county else short


def short_name(name: str) -> str:
    """Return 寿光 for 寿光市; a name of which one character would be left stays whole."""
    for end in _ENDS:
        if name.endswith(end) and len(name) - len(end) >= 2:
            return name.removesuffix(end)
    return name
