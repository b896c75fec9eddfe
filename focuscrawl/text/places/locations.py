"""Locations in China: province, city and county of a place as printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.places.gazetteer import (
    CITY,
    MUNICIPALITIES,
    Location,
    divisions,
    gazetteer,
    short_form,
)

# Place names of the gazetteer, found in text.

_ENDS = ("省", "市", "县", "区", "州", "盟", "旗", "自治区")


def place_at(text: str, at: int) -> int:
    """Return the length of the longest place name that begins at ``at``, 0 without one."""
    lengths = _name_lengths().get(text[at : at + 1], ())
    places = gazetteer()
    return next((length for length in lengths if text[at : at + length] in places), 0)


def is_place(text: str) -> bool:
    """Return whether the whole text is a place name, including 中国 and large regions (华东, 亚太).

    >>> is_place("成都"), is_place("成都市"), is_place("成都市人")
    (True, True, False)
    """
    return text in gazetteer() or text in ("中国", "华东", "华南", "华北", "亚太")


def is_certain_place(text: str) -> bool:
    """Return whether the text is a prefecture or larger, or has the class of the place (县, 区, 市)."""
    place = gazetteer().get(text)
    return place is not None and (place.level <= CITY or text.endswith(_ENDS))


def first_letters() -> str:
    """Return the characters that a place name can begin with."""
    return "".join(sorted(_name_lengths()))


@lru_cache(maxsize=1)
def _name_lengths() -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for name in gazetteer():
        found.setdefault(name[0], set()).add(len(name))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in found.items()}


_ZONES = frozenset("东北 华北 华东 华南 华中 西南 西北".split())
_CLASSES = ("区", "县", "州", "盟", "旗")
# 枣庄|市中区, not 枣庄市|中区.
_CITY_DISTRICTS = ("市中区", "市南区", "市北区")


@lru_cache(maxsize=32768)
def located(region: str, name: str = "") -> Location:
    """Return the smallest place that agrees with most of the place names in a region and a name.

    Of places that share a name, the other names decide, then the higher level; of places in one
    province that contradict each other the one in ``name``. What is left open is empty.
    Municipalities such as 北京 are province and city at once. Short names that are everyday words,
    and those of most districts, count within a place only that is named as well.

    >>> located("平度"), located("山东省潍坊寿光市"), located("中国")
    (Location(province='山东', city='青岛', county='平度'), Location(province='山东', city='潍坊', county='寿光'), Location(province='', city='', county=''))
    >>> located("永安"), located("福建永安")
    (Location(province='', city='', county=''), Location(province='福建', city='三明', county='永安'))
    """
    own_words = [*names_in(name)]
    named = _meant([*names_in(region), *own_words])
    own = named[len(named) - len(own_words) :]
    best = _most_supported([place for places in named for place in places], named)
    provinces = [places[0] for places in named if len(places) == 1 and _depth(places[0]) == 1]
    best = [one for one in best if all(map(one.is_within, provinces))] or best
    if len({place.province for place in best}) == 1:
        best = [one for one in best if _support(one, own)] or best
    return _shared([one for one in best if not any(o != one and o.is_within(one) for o in best)])


def _meant(words: Sequence[str]) -> list[list[Location]]:
    """Return the places that each name can mean beside the others."""
    named = [places_by_name()[word] for word in words]
    certain = [places for places, word in zip(named, words, strict=True) if _is_certain(word)]
    meant = []
    for places, word in zip(named, words, strict=True):
        possible = places if _is_certain(word) else [p for p in places if _support(p, certain)]
        meant.append(_highest(word, _most_supported(possible, named)))
    return meant


def _is_certain(word: str) -> bool:
    return word in gazetteer() or word.isascii()


def _highest(word: str, places: Sequence[Location]) -> list[Location]:
    """Return the places of the highest level: 吉林 is the province, 海城 no district of that name.

    Districts of municipalities have the rank of prefectures: 朝阳 is either in Liaoning or Beijing.
    """
    depths = [_depth(place) + (place.county.startswith(word + "区")) for place in places]
    highest = min(depths, default=0)
    return [
        place
        for place, depth in zip(places, depths, strict=True)
        if depth == highest or (highest == 2 and place.city in MUNICIPALITIES)
    ]


def _depth(place: Location) -> int:
    if place.county:
        return 3
    return 2 if place.city and place.city not in MUNICIPALITIES else 1


def _most_supported(
    places: Iterable[Location], named: Sequence[Sequence[Location]]
) -> list[Location]:
    support = {place: _support(place, named) for place in places}
    most = max(support.values(), default=0)
    return [place for place, count in support.items() if count == most]


def _support(place: Location, named: Sequence[Sequence[Location]]) -> int:
    return sum(any(place.is_within(other) for other in places) for places in named)


def _shared(places: Sequence[Location]) -> Location:
    """Return the smallest place that all of these are parts of."""
    parts = [""] * 3
    for level, names in enumerate(zip(*places, strict=True)):
        if len(set(names)) > 1:
            break
        parts[level] = names[0]
    return Location(*parts)


def names_in(text: str) -> Iterator[str]:
    """Yield the place names in a text, in normal form, from left to right, longest names first.

    Names that the gazetteer lacks, such as 东海区, are not taken for a place of another class.
    """
    text = "".join(normal_form(text).split())
    start = 0
    while start < len(text):
        length = _name_length(text, start)
        name = text[start : start + length]
        if name and name not in _ZONES and not text.startswith(_CLASSES, start + length):
            yield name
        start += max(length, 1)


def _name_length(text: str, start: int) -> int:
    for length in _lengths().get(text[start], ()):
        name = text[start : start + length]
        if name in places_by_name() or name in _ZONES:
            is_long = name.endswith("市") and text.startswith(_CITY_DISTRICTS, start + length - 1)
            return length - 1 if is_long and name[:-1] in places_by_name() else length
    return 0


@lru_cache(maxsize=1)
def _lengths() -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for name in (*places_by_name(), *_ZONES):
        found.setdefault(name[0], set()).add(len(name))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in found.items()}


@lru_cache(maxsize=1)
def places_by_name() -> dict[str, tuple[Location, ...]]:
    """Return the places of every name, long or short, in lower case."""
    places: dict[str, tuple[Location, ...]] = {}
    for division in divisions():
        forms = {form for name in division.names for form in (name, short_form(name, division))}
        for form in {form.lower() for form in forms} - {""}:
            places[form] = (*places.get(form, ()), division.location)
    return places


# Prefectures of regions, by which prices of one market are averaged.


def prefecture_of(region: str) -> str:
    """Return the province and prefecture of a region as printed, in short form.

    A county is replaced by its prefecture; a region without a certain place is returned unchanged.

    >>> prefecture_of("潍坊市寿光"), prefecture_of("山东省寿光市"), prefecture_of("山东")
    ('山东潍坊', '山东潍坊', '山东')
    """
    return located(region).prefecture or "".join(region.split())


def prefectures_named(name: str) -> frozenset[tuple[str, str]]:
    """Return the prefectures with a place of that name, each with its province, in short form.

    A province and a municipality such as 北京 have none.
    """
    places = places_by_name().get(name, ())
    return frozenset(
        (place.province, place.city)
        for place in places
        if place.city and place.city not in MUNICIPALITIES
    )
