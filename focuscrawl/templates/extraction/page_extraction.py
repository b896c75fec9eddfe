"""Extraction of a template's fields from a page; records combined from the pages of a site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

from focuscrawl.pages.site_hosts import host_of
from focuscrawl.templates.extraction.labels.label_words import Labels
from focuscrawl.templates.extraction.labels.labelled_values import labelled_values
from focuscrawl.templates.extraction.lines.label_scopes import Row, rows_of
from focuscrawl.templates.extraction.lines.line_weights import region, weigh
from focuscrawl.templates.extraction.lines.page_blocks import Block
from focuscrawl.templates.extraction.lines.page_lines import Line, page_lines
from focuscrawl.templates.extraction.page_names import name_evidence, own_name_field
from focuscrawl.templates.extraction.page_values import Reading, Value
from focuscrawl.templates.extraction.record_combination import combine, names_firm
from focuscrawl.templates.extraction.structured_data import (
    descriptions,
    item_names,
    item_values,
    organisation_items,
)
from focuscrawl.templates.extraction.value_candidates import Candidate
from focuscrawl.templates.extraction.value_choice import chosen
from focuscrawl.templates.extraction.values.unlabelled_values import (
    postcodes_of_addresses,
    unlabelled_values,
)
from focuscrawl.templates.extraction.values.value_readers import read_typed
from focuscrawl.templates.names.organisations import NameEvidence
from focuscrawl.templates.template_model import ExtractionField, FieldType
from focuscrawl.text.page_depth import parse
from focuscrawl.text.seen_text import as_seen

__all__ = ["Reading", "Value", "combine", "names_firm", "read_page"]

_STRUCTURED = 0.8
_DESCRIPTION = 0.5
_LONGEST_TITLE = 300
_NAMES_OWNER = 0.3


def read_page(html: str, url: str, fields: Mapping[str, ExtractionField]) -> Reading:
    """Return the values of ``fields`` on a page; never raises, whatever the page contains."""
    labels = _labels(tuple(fields.items()))
    parser = parse(html)
    rows = rows_of(page_lines(parser.body, labels.is_label), labels)
    found = _read(rows, labels, fields, host_of(url))
    weights = weigh(rows)
    items = organisation_items(html)
    for item in items:
        found += _of_item(item, fields)
    values = chosen(found, weights, fields)
    values = _of_descriptions(descriptions(parser), labels, fields) | values
    own = own_name_field(fields)
    values.pop(own, None)
    labelled = [c.found.value for c in found if c.field == own and weights[c.row] >= _NAMES_OWNER]
    title = _title(parser)
    names = name_evidence(parser, title, rows, weights, labelled) if own else ()
    if own:
        names += tuple(NameEvidence(name, "jsonld") for item in items for name in item_names(item))
    return Reading(title, values, region(rows, weights), names)


@lru_cache(maxsize=16)
def _labels(fields: tuple[tuple[str, ExtractionField], ...]) -> Labels:
    return Labels(dict(fields))


def _read(
    rows: Sequence[Row], labels: Labels, fields: Mapping[str, ExtractionField], host: str = ""
) -> list[Candidate]:
    found = labelled_values(rows, fields, labels)
    found += unlabelled_values(rows, fields, labels, host)
    addresses = [c for c in found if fields[c.field].type is FieldType.ADDRESS]
    return [*found, *postcodes_of_addresses(rows, addresses, fields)]


def _of_item(item: Mapping[str, object], fields: Mapping[str, ExtractionField]) -> list[Candidate]:
    return [
        Candidate(name, value, text, -1, _STRUCTURED * value.sure)
        for name, text in item_values(item, fields)
        for value in read_typed(fields[name].type, text, labelled=True)
    ]


def _of_descriptions(
    texts: Sequence[str], labels: Labels, fields: Mapping[str, ExtractionField]
) -> dict[str, tuple[Value, ...]]:
    """Return the values in the descriptions of a page, a fallback for those in its text."""
    rows = rows_of([Line(text, Block("meta", None)) for text in texts], labels)
    return {
        name: tuple(value._replace(confidence=_DESCRIPTION * value.confidence) for value in values)
        for name, values in chosen(_read(rows, labels, fields), [1.0] * len(rows), fields).items()
    }


def _title(parser: LexborHTMLParser) -> str:
    node = parser.css_first("title")
    return " ".join(as_seen(node.text()).split())[:_LONGEST_TITLE] if node else ""
