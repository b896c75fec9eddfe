"""Pages of invented sites, as ugly as those of the web, are read nearly without fault.

``pages/`` holds a first page ``SITE.home.html`` and mostly a contact page ``SITE.contact.html``;
``truth.csv`` a row a value: ``main`` is to be found, ``optional`` may be, in one of its forms.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from focuscrawl.templates.extraction import combine, read_page
from focuscrawl.templates.template_model import load_template
from focuscrawl.text.normal_form import normal_form

PAGES = Path(__file__).parent / "pages"
FLOOR = 0.975
FIELDS = load_template("contacts").fields


class Wanted(NamedTuple):
    """A value of the truth: its forms, and whether it must be found."""

    forms: frozenset[str]
    is_main: bool


class Count(NamedTuple):
    """Values found, values that are none, and values not found."""

    right: int
    wrong: list[str]
    missed: list[str]

    @property
    def f1(self) -> float:
        return 2 * self.right / (2 * self.right + len(self.wrong) + len(self.missed))


def plain(field: str, value: str) -> str:
    """Return what forms of one value share: digits of numbers, letters of texts."""
    text = normal_form(value)
    if field in ("phone", "fax"):
        digits = "".join(filter(str.isdigit, text))
        return digits.removeprefix("00").removeprefix("86")
    if field == "homepage":
        text = text.partition("://")[2] or text
        return text.removeprefix("www.").rstrip("/")
    return "".join(filter(str.isalnum, text))


def truth() -> dict[str, dict[str, list[Wanted]]]:
    sites: dict[str, dict[str, list[Wanted]]] = defaultdict(lambda: defaultdict(list))
    with (PAGES / "truth.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            forms = [row["value"], *filter(None, row["also"].split(" | "))]
            plain_forms = frozenset(plain(row["field"], form) for form in forms)
            wanted = Wanted(plain_forms, row["level"] == "main")
            sites[row["site"]][row["field"]].append(wanted)
    return sites


def found(site: str) -> dict[str, list[str]]:
    """Return the values of a site, read as the crawl does: the contact page, then the first page."""
    pages = [PAGES / f"{site}.{kind}.html" for kind in ("contact", "home")]
    readings = [
        read_page(page.read_text(encoding="utf-8"), f"http://www.{site}.example/", FIELDS)
        for page in pages
        if page.exists()
    ]
    record = combine(readings[0], readings[1:], FIELDS)
    return {field: [value.value for value in values] for field, values in record.items()}


def count(wanted: dict[str, list[Wanted]], values: dict[str, list[str]]) -> Count:
    right, wrong, missed = 0, [], []
    for field in FIELDS:
        have = {plain(field, value) for value in values.get(field, ())}
        for value in wanted.get(field, ()):
            right += value.is_main and not value.forms.isdisjoint(have)
            if value.is_main and value.forms.isdisjoint(have):
                missed.append(f"{field} {min(value.forms)}")
        known = frozenset().union(*(value.forms for value in wanted.get(field, ())))
        wrong += [f"{field} {value}" for value in sorted(have - known)]
    return Count(right, wrong, missed)


def test_invented_sites() -> None:
    counts = {site: count(wanted, found(site)) for site, wanted in truth().items()}
    right = sum(each.right for each in counts.values())
    wrong = [f"{site} {value}" for site, each in counts.items() for value in each.wrong]
    missed = [f"{site} {value}" for site, each in counts.items() for value in each.missed]
    assert Count(right, wrong, missed).f1 >= FLOOR, (wrong, missed)
