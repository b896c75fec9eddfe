"""The owner of a site is found behind its brand, its slogans, its partners and its certificates."""

from __future__ import annotations

from tests.templates.owner_sites import f1, owner_sites

SITES = list(owner_sites())
FLOOR = 0.97


def test_owners_of_invented_sites() -> None:
    errors = [(site.name, site.wrong(), site.missed()) for site in SITES]
    assert f1(SITES) >= FLOOR, [error for error in errors if error[1] or error[2]]
