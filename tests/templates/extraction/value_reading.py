"""Values that the contact template reads in a fragment of a page."""

from __future__ import annotations

from focuscrawl.templates.extraction import read_page
from focuscrawl.templates.template_model import load_template

FIELDS = load_template("contacts").fields


def values(html: str) -> dict[str, list[str]]:
    """Return the values of a fragment by their field, without names."""
    reading = read_page(html, "http://www.firm.example/", FIELDS)
    return {
        field: [value.value for value in found]
        for field, found in reading.values.items()
        if field != "name"
    }
