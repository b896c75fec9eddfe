"""Prefectures of regions, by which prices of one market are averaged."""

from __future__ import annotations

from functools import lru_cache

from focuscrawl.text.places.locations import places_by_name, places_in


@lru_cache(maxsize=4096)
def prefecture_of(region: str) -> str:
    """Return the province and prefecture of a region as printed, in short form.

    A county is replaced by its prefecture; a region without a known place is returned unchanged.

    >>> prefecture_of("潍坊市寿光"), prefecture_of("山东省寿光市"), prefecture_of("山东")
    ('山东潍坊', '山东潍坊', '山东')
    """
    compact = "".join(region.split())
    named = [place for places in places_in(compact) for place in places]
    alone = {place.province for place in named if not place.city}
    prefectures = [place for place in named if place.city]
    # Counties in several provinces may share a name: the province named with it decides.
    fitting = [place for place in prefectures if place.province in alone] or prefectures
    if fitting:
        province, city, _county = fitting[0]
        return province if province == city else province + city
    return min(alone) if len(alone) == 1 else compact


def prefectures_named(name: str) -> frozenset[tuple[str, str]]:
    """Return the prefectures with a place of that name, each with its province, in short form.

    A province and a municipality such as 北京 have none.
    """
    places = places_by_name().get(name, ())
    return frozenset((place.province, place.city) for place in places if place.city)
