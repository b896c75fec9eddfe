"""Pages that say the values of a record, and what other pages of the site say instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from focuscrawl.items import FoundValue, PageValue
from focuscrawl.templates.extraction.page_values import Reading, Value
from focuscrawl.templates.extraction.value_choice import is_same
from focuscrawl.templates.names.text_spans import folded
from focuscrawl.templates.template_model import ExtractionField

_MOST_ELSEWHERE = 5
Pages = Mapping[str, Reading]
"""Readings of the pages of a site by URL, the record's own page first."""


def found_values(
    record: Mapping[str, Sequence[Value]], pages: Pages, fields: Mapping[str, ExtractionField]
) -> list[FoundValue]:
    """Return the values of a record in the order of the fields, with their pages and what differs elsewhere."""
    found = []
    for name, field in fields.items():
        values = record.get(name, ())
        elsewhere = tuple(_elsewhere(name, field, values, pages))[:_MOST_ELSEWHERE]
        for place, value in enumerate(values):
            found.append(
                FoundValue(
                    field=name,
                    title=field.title or name,
                    **value._asdict(),
                    page=_page_of(name, value, pages),
                    elsewhere=() if place else elsewhere,
                )
            )
    return found


def _page_of(name: str, value: Value, pages: Pages) -> str:
    """Return the first page with a value, ``""`` for one that was weighed over all pages."""
    for url, reading in pages.items():
        if any(own.value == value.value for own in reading.values.get(name, ())):
            return url
    return ""


def _elsewhere(
    name: str, field: ExtractionField, values: Sequence[Value], pages: Pages
) -> Iterator[PageValue]:
    known = [folded(value.value) for value in values]
    for url, reading in pages.items():
        for other in reading.values.get(name, ()):
            if not any(is_same(folded(other.value), one, field.type) for one in known):
                yield PageValue(page=url, **other._asdict())
