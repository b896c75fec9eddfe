"""Rules of the paper, for comparison: a list of companies and three forms of a price.

Li Qiaoyu et al. 2018: ``X.X元/千克 | XX元/吨 | XX-XX元/吨`` after a listed company; of a range the
midpoint is taken. (Bulletins print 元/斤 where the paper has 元/千克; both are read.) A name in the list
that has … is that of a kind of firm in the sentence of its region: 青岛地区贸易商…；饲料企业….
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from focuscrawl.items import Quote
from focuscrawl.prices.names.entity_types import location_of
from focuscrawl.prices.names.firm_aliases import AliasTable, load_aliases
from focuscrawl.prices.tokens.price_units import JIN, KG, TON, Unit

_GAP = "…"
_REACH = 80  # characters after the company that are searched for its price


class _Name(NamedTuple):
    start: int
    end: int
    text: str


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], list[re.Pattern[str]], re.Pattern[str]]:
    names = (
        (files("focuscrawl.prices") / "lists" / "paper_companies.txt").read_text("utf-8").split()
    )
    whole = sorted((name for name in names if _GAP not in name), key=len, reverse=True)
    parts = (map(re.escape, name.split(_GAP)) for name in names if _GAP in name)
    kinds = [re.compile(f"({region})[^。\n]*?({kind})") for region, kind in parts]
    price = r"(?P<small>\d+\.\d+)元/(?P<weight>斤|千克|公斤)|(?P<low>\d+)-(?P<high>\d+)元/吨|(?P<ton>\d+)元/吨"
    return re.compile("|".join(map(re.escape, whole))), kinds, re.compile(price)


def _names(text: str) -> list[_Name]:
    company, kinds, _ = _patterns()
    found = [_Name(*match.span(), match.group()) for match in company.finditer(text)]
    for kind in kinds:
        found += (_Name(*m.span(2), m[1] + m[2]) for m in kind.finditer(text))
    return sorted(found)


def read_quotes(
    text: str, *, day: date | None = None, aliases: AliasTable | None = None, **_: object
) -> list[Quote]:
    """Return one quote for each listed company whose name is followed by a price in the three forms.

    The other options of a :class:`~focuscrawl.prices.Reader` are ignored.
    """
    price = _patterns()[-1]
    table = aliases or load_aliases()
    found: dict[str, Quote] = {}
    names = _names(text)
    for index, name in enumerate(names):
        if name.text in found:
            continue
        stop = names[index + 1].start if index + 1 < len(names) else len(text)
        match = price.search(text, name.end, min(stop, name.end + _REACH))
        if match is not None:
            found[name.text] = _quote(text, name, match, day, table)
    return list(found.values())


def _quote(
    text: str, name: _Name, price: re.Match[str], day: date | None, table: AliasTable
) -> Quote:
    unit: Unit = TON
    if price["small"]:
        unit, amount = (JIN if price["weight"] == "斤" else KG), Decimal(price["small"])
    elif price["ton"]:
        amount = Decimal(price["ton"])
    else:
        amount = (Decimal(price["low"]) + Decimal(price["high"])) / 2
    entity, is_known = table.entity(name.text)
    place = location_of("", "", entity, is_place=is_known)
    return Quote(
        date=day, commodity="玉米", mention=name.text, entity=entity, entity_is_known=is_known, region="",
        price_low=amount, price_high=amount, unit=unit.name,
        price_yuan_per_ton_low=amount * unit.yuan_per_ton, price_yuan_per_ton_high=amount * unit.yuan_per_ton,
        span=text[name.start : price.end()], text_start=price.start(), text_end=price.end(),
        province=place.province, city=place.city, county=place.county, entity_type="firm",
    )  # fmt: skip
