"""The owner of a site is found behind its brand, its slogans, its partners and its certificates."""

from __future__ import annotations

import pytest

from tests.templates.owner_sites import OwnerSite, f1, owner_sites

SITES = list(owner_sites())
FLOOR = 0.97


def test_owners_of_invented_sites() -> None:
    errors = [(site.name, site.wrong(), site.missed()) for site in SITES]
    assert f1(SITES) >= FLOOR, [error for error in errors if error[1] or error[2]]


@pytest.mark.parametrize(
    ("wanted", "page", "expected"),
    [
        ("青禾软件有限公司", "<title>青禾软件有限公司</title>", 1.0),
        ("青禾软件有限公司", "<title>云上茶</title>", 0.0),
    ],
)
def test_a_wrong_and_a_missed_name_count(wanted: str, page: str, expected: float) -> None:
    assert f1([OwnerSite("a", [frozenset({wanted})], pages=[page])]) == expected
