"""Every unit and every type of entity has a Chinese name."""

from __future__ import annotations

from typing import get_args

import pytest

from focuscrawl.items import EntityType
from focuscrawl.prices.tokens.price_units import unit_named
from focuscrawl.reports.sheets.sheet_cells import TYPES, type_name, unit_name


@pytest.mark.parametrize(
    "printed", "元/吨 元/斤 元/公斤 元/50公斤 元/40斤 元/100斤 元/250克 元/担".split()
)
def test_every_unit_has_a_name_that_is_read_as_that_unit(printed: str) -> None:
    assert unit_name(unit_named(printed).name) == printed


def test_every_type_has_a_name() -> None:
    assert set(TYPES) == set(get_args(EntityType))
    assert len({type_name(kind) for kind in TYPES}) == len(TYPES)


def test_what_is_unknown_stays_as_it_is() -> None:
    assert (unit_name("元/筐"), type_name("guild")) == ("元/筐", "guild")
