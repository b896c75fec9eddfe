"""Locations in China: province, city and county of a place as printed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from focuscrawl.text.places.gazetteer import MUNICIPALITIES, provinces, short_province

_LONGEST_NAME = 8
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


def located(text: str) -> Location:
    """Return the smallest place that agrees with most of the place names in a text.

    Of places that share a name, the other names of the text decide; what they leave open is empty.
    Municipalities such as 北京 are province and city at once.

    >>> located("平度"), located("山东省潍坊寿光市"), located("中国")
    (Location(province='山东', city='青岛', county='平度'), Location(province='山东', city='潍坊', county='寿光'), Location(province='', city='', county=''))
    """
    named = [*_highest(text)]
    support = {place: _support(place, named) for places in named for place in places}
    most = max(support.values(), default=0)
    best = [place for place, count in support.items() if count == most]
    # The gazetteer lacks some districts: a district of another province is not what is meant.
    of_provinces = [place for place in named if len(place) == 1 and not place[0].city]
    best = [one for one in best if all(one.is_within(*place) for place in of_provinces)] or best
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
    """Yield the places of each place name in a text, from left to right, longest names first."""
    known, start = places_by_name(), 0
    while start < len(text):
        for length in range(min(_LONGEST_NAME, len(text) - start), 1, -1):
            if places := known.get(text[start : start + length]):
                yield places
                start += length - 1
                break
        start += 1


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
                add(name, Location(province, city, _county(name) if is_county else ""))
    return places


def _county(name: str) -> str:
    return name if name.endswith("区") else short_name(name)


def short_name(name: str) -> str:
    """Return 寿光 for 寿光市; a name of which one character would be left stays whole."""
    for end in _ENDS:
        if name.endswith(end) and len(name) - len(end) >= 2:
            return name.removesuffix(end)
    return name
