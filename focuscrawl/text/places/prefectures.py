"""Prefectures of regions, by which prices of one market are averaged."""

from __future__ import annotations

from focuscrawl.text.places.divisions import MUNICIPALITIES
from focuscrawl.text.places.locations import located, places_by_name


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
