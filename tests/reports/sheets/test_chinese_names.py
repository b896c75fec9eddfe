"""Every unit and every type of entity has a Chinese name."""

from __future__ import annotations

from typing import get_args

from focuscrawl.items import EntityType
from focuscrawl.prices.tokens import price_units
from focuscrawl.prices.tokens.price_units import Unit, unit_named
from focuscrawl.reports.sheets.chinese_names import TYPES, UNITS, type_name, unit_name


def test_every_unit_has_a_name_that_is_read_as_that_unit() -> None:
    units = [value for value in vars(price_units).values() if isinstance(value, Unit)]
    assert {unit.name for unit in units} == set(UNITS)
    for unit in units:
        assert unit_named(unit_name(unit.name)).yuan_per_ton == unit.yuan_per_ton


def test_every_type_has_a_name() -> None:
    assert set(TYPES) == set(get_args(EntityType))
    assert len({type_name(kind) for kind in TYPES}) == len(TYPES)


def test_what_is_unknown_stays_as_it_is() -> None:
    assert (unit_name("元/筐"), type_name("guild")) == ("元/筐", "guild")
