"""Series of prices: a name in two places is two entities, with names that tell them apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import chain, count
from typing import TYPE_CHECKING

from focuscrawl.items import Quote
from focuscrawl.reports.sheets.sheet_cells import clean_text
from focuscrawl.text.places.gazetteer import Location
from focuscrawl.text.places.locations import located

if TYPE_CHECKING:
    import pandas as pd

UNKNOWN_PLACE = "地区不明"
Series = tuple[str, Location]
"""An entity's name and a place of it."""


def location_of(quote: Quote) -> Location:
    """Return the place of a quote, empty parts where it is not known.

    Quotes of older versions have no province: the place names as printed decide.
    """
    return location_among((quote.province, quote.city, quote.county), quote.region)


@lru_cache(maxsize=4096)
def location_among(place: tuple[str, str, str], region: str) -> Location:
    """Return a place as read, or else the one of a region as printed."""
    return Location(*map(clean_text, place)) if place[0] else _printed(region)


@lru_cache(maxsize=4096)
def _printed(region: str) -> Location:
    return located(region)


def settled(place: Location, known: Collection[Location]) -> Location:
    """Return the only one of the ``known`` smallest places within a place, or else the place itself.

    >>> shandong, shouguang = Location("山东"), Location("山东", "潍坊", "寿光")
    >>> settled(shandong, [shandong, shouguang]).county
    '寿光'
    >>> settled(shandong, [shandong, shouguang, Location("山东", "青岛")]) == shandong
    True
    """
    within = [one for one in known if one.is_within(place)]
    smallest = [one for one in within if not any(o != one and o.is_within(one) for o in within)]
    return smallest[0] if len(smallest) == 1 else place


def settled_places(series: Iterable[Series]) -> dict[Series, Location]:
    """Return the place that each series counts to, those of an entity one after the other."""
    places: dict[str, set[Location]] = {}
    for entity, place in series:
        places.setdefault(entity, set()).add(place)
    # Entities in one place come first: they keep their names, whatever the others are called.
    ordered = sorted(places.items(), key=lambda item: len(item[1]))
    return {
        (entity, place): settled(place, known)
        for entity, known in ordered
        for place in sorted(known)
    }


def series_names(
    own: Mapping[Series, Location], named: Mapping[Series, str] | None = None
) -> dict[Series, str]:
    """Return the name of each series: that of its entity, with the place where there are several.

    ``own`` is the result of :func:`settled_places`. ``named`` are other series, which keep their names.
    """
    named = named or {}
    known = {entity for entity, _ in named}
    ends: dict[str, set[Location]] = {}
    for (entity, _), smallest in own.items():
        ends.setdefault(entity, set()).add(smallest)
    found: dict[Series, str] = {}
    taken: dict[str, Series] = {name: one for one, name in named.items()}
    for (entity, place), smallest in own.items():
        is_alone = len(ends[entity]) == 1 and entity not in known
        name = entity if is_alone else f"{entity}({_in_words(smallest)})"
        found[entity, place] = _free(name, (entity, smallest), taken)
    return found


def _free(name: str, key: Series, taken: dict[str, Series]) -> str:
    numbered = (f"{name}{number}" for number in count(2))
    return next(one for one in chain([name], numbered) if taken.setdefault(one, key) == key)


def _in_words(place: Location) -> str:
    return "".join(dict.fromkeys(filter(None, place))) or UNKNOWN_PLACE


def by_series(
    facts: pd.DataFrame, places: Mapping[str, Location]
) -> tuple[pd.DataFrame, dict[Series, str]]:
    """Return the quotes with series in the column entity instead of names, and the names of series.

    ``facts`` has the columns entity, place and region (all categorical); ``places`` has the location
    of each category of place. Regions become those of the places that the series count to.
    """
    # Here, because the web views use the rest without its memory.
    import pandas as pd

    codes = pd.DataFrame({name: facts[name].cat.codes for name in ("entity", "place")})
    pairs = codes.drop_duplicates()
    entities, labels = facts["entity"].cat.categories, facts["place"].cat.categories
    series = [(entities[e], places[labels[p]]) for e, p in pairs.itertuples(index=False)]
    own = settled_places(series)
    names = series_names(own)
    regions = facts["region"].cat.categories
    counted = pd.Index([own[one].prefecture or None for one in series], dtype=object)
    named = pairs.assign(series=[names[one] for one in series], region=regions.get_indexer(counted))
    merged = codes.merge(named, on=["entity", "place"], how="left")
    column = pd.Categorical(
        merged["series"], categories=pd.Index(named["series"].unique(), dtype=object)
    )
    # Without a province, the region as printed stays.
    region = merged["region"].where(merged["region"] >= 0, facts["region"].cat.codes)
    regional = pd.Categorical.from_codes(region, categories=regions)
    return facts.assign(entity=column, region=regional).drop(columns="place"), names
