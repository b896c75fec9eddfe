"""Extraction of a template's fields from a page; records combined from the pages of a site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

from focuscrawl.items import FoundValue, PageValue
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.templates.extraction.label_words import Labels
from focuscrawl.templates.extraction.labelled_values import labelled_values
from focuscrawl.templates.extraction.page_lines import (
    LineBlock,
    PagePlace,
    PageRow,
    PrintedLine,
    page_lines,
    rows_of,
)
from focuscrawl.templates.extraction.page_names import name_evidence, own_name_field
from focuscrawl.templates.extraction.page_values import (
    PageValues,
    Value,
    ValueCandidate,
    chosen,
    distinct,
    is_same,
)
from focuscrawl.templates.extraction.structured_data import (
    descriptions,
    item_names,
    item_values,
    organisation_items,
)
from focuscrawl.templates.extraction.unlabelled_values import (
    postcodes_of_addresses,
    unlabelled_values,
)
from focuscrawl.templates.extraction.value_readers import read_typed
from focuscrawl.templates.names.name_words import folded
from focuscrawl.templates.names.organisations import NameEvidence, organisations, site_name
from focuscrawl.templates.template_model import ExtractionField, FieldType
from focuscrawl.text.page_depth import parse
from focuscrawl.text.seen_text import as_seen

# Tag weights: the evidence that a line belongs to the contact data of a page.

_PLACE = {
    PagePlace.BODY: 1.0,
    PagePlace.HEADER: 0.8,
    PagePlace.FOOTER: 0.8,
    PagePlace.NAVIGATION: 0.6,
    PagePlace.HIDDEN: 0.3,
}
_TAG = {"address": 1.5, "td": 1.2, "th": 1.2, "dd": 1.2, "dt": 1.2, "li": 1.1}
_LABELLED, _VALUE, _LABEL = 1.0, 0.7, 0.2
_FULL = 2.0
_FADING = 0.75
_LONG = 120
_LONGEST_REGION = 20_000  # characters: readings travel with requests
_IN_REGION = 0.4


def weigh(rows: Sequence[PageRow]) -> list[float]:
    """Return the weight of each row, 0 to 1; 1 is that of the heaviest on a page with contact data."""
    own = [_own(row) for row in rows]
    forward = _faded(own)
    backward = _faded(own[::-1])[::-1]
    weights = [
        (before + after - self_) * _PLACE[row.line.block.place]
        for row, self_, before, after in zip(rows, own, forward, backward, strict=True)
    ]
    heaviest = max(weights, default=0.0)
    return [weight / max(heaviest, _FULL) for weight in weights]


def region(rows: Sequence[PageRow], weights: Sequence[float]) -> str:
    """Return the text of the lines with labels or values; of all lines if none has any.

    Neighbouring lines are excluded, however heavy: they contain news and counters, which change
    every day.
    """
    heavy = [
        row.line.text.strip()
        for row, weight in zip(rows, weights, strict=True)
        if row.labelled
        or row.values
        or (weight >= _IN_REGION and any(scope.fields for scope in row.scopes))
    ]
    return "\n".join(heavy or [row.line.text.strip() for row in rows])[:_LONGEST_REGION]


def _own(row: PageRow) -> float:
    labels = sum(bool(scope.fields) for scope in row.scopes)
    weight = _LABELLED * row.labelled + _VALUE * row.values + _LABEL * min(labels, 3)
    tag = _TAG.get(row.line.block.tag, 1.0)
    return weight * tag * min(1.0, _LONG * max(row.labelled, 1) / max(len(row.text), 1))


def _faded(weights: Sequence[float]) -> list[float]:
    sums, total = [], 0.0
    for weight in weights:
        total = total * _FADING + weight
        sums.append(total)
    return sums


# Record of a site, combined from its contact page and its other pages.

_OTHER_PAGE = 0.8
_FLOOR = 0.5
# Registered firms, and institutions whose name begins with a place.
_SURE_FORM = 0.85
# A label or an address in Chinese.
_CHINESE = re.compile(r"[\u4e00-\u9fff]{2,}\s*[:：]|[\u4e00-\u9fff]{5}")


def combine(
    main: PageValues, others: Sequence[PageValues], fields: Mapping[str, ExtractionField]
) -> dict[str, tuple[Value, ...]]:
    """Return the values of a site by field, the surest first.

    The values of the contact page ``main`` take precedence; the ``others`` supply the fields it
    lacks. The name of the owner is weighed over all pages.
    """
    record: dict[str, tuple[Value, ...]] = {}
    own = own_name_field(fields)
    for name, field in fields.items():
        if name == own:
            values = _names(main, others, field)
        else:
            values = main.values.get(name) or _of_others(name, others, field)
        if values:
            record[name] = values
    return record


def names_firm(readings: Sequence[PageValues], fields: Mapping[str, ExtractionField]) -> bool:
    """Return whether the pages surely name an organisation as the owner, not a brand; or no field asks."""
    if not own_name_field(fields):
        return True
    evidence = [name for page in readings for name in page.names]
    names = [name for name, _ in site_name(evidence)]
    if any(_CHINESE.search(page.region) for page in readings):
        names = [name for name in names if not name.isascii()]
    return any(span.confidence >= _SURE_FORM for name in names for span in organisations(name))


def _of_others(
    name: str, others: Sequence[PageValues], field: ExtractionField
) -> tuple[Value, ...]:
    found = [
        value._replace(confidence=round(value.confidence * _OTHER_PAGE, 3))
        for other in others
        for value in other.values.get(name, ())
        if value.confidence * _OTHER_PAGE >= _FLOOR
    ]
    found.sort(key=lambda value: -value.confidence)
    kept = distinct(((folded(value.value), value) for value in found), field)
    return tuple(kept if field.many else kept[:1])


def _names(
    main: PageValues, others: Sequence[PageValues], field: ExtractionField
) -> tuple[Value, ...]:
    evidence = [name for page in (main, *others) for name in page.names]
    names = [Value(name, name, sure) for name, sure in site_name(evidence)]
    chinese = [name for name in names if not name.value.isascii()]
    if chinese and _CHINESE.search(main.region):
        # Latin names on a Chinese page are translations and brands.
        names = chinese
    return tuple(names if field.many else names[:1])


# Pages that say the values of a record, and what other pages of the site say instead.

_MOST_ELSEWHERE = 5
Pages = Mapping[str, PageValues]
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


__all__ = ["PageValues", "Value", "combine", "names_firm", "read_page"]

_STRUCTURED = 0.8
_DESCRIPTION = 0.5
_LONGEST_TITLE = 300
_NAMES_OWNER = 0.3


def read_page(html: str, url: str, fields: Mapping[str, ExtractionField]) -> PageValues:
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
    return PageValues(title, values, region(rows, weights), names)


@lru_cache(maxsize=16)
def _labels(fields: tuple[tuple[str, ExtractionField], ...]) -> Labels:
    return Labels(dict(fields))


def _read(
    rows: Sequence[PageRow], labels: Labels, fields: Mapping[str, ExtractionField], host: str = ""
) -> list[ValueCandidate]:
    found = labelled_values(rows, fields, labels)
    found += unlabelled_values(rows, fields, labels, host)
    addresses = [c for c in found if fields[c.field].type is FieldType.ADDRESS]
    return [*found, *postcodes_of_addresses(rows, addresses, fields)]


def _of_item(
    item: Mapping[str, object], fields: Mapping[str, ExtractionField]
) -> list[ValueCandidate]:
    return [
        ValueCandidate(name, value, text, -1, _STRUCTURED * value.sure)
        for name, text in item_values(item, fields)
        for value in read_typed(fields[name].type, text, labelled=True)
    ]


def _of_descriptions(
    texts: Sequence[str], labels: Labels, fields: Mapping[str, ExtractionField]
) -> dict[str, tuple[Value, ...]]:
    """Return the values in the descriptions of a page, a fallback for those in its text."""
    rows = rows_of([PrintedLine(text, LineBlock("meta", None)) for text in texts], labels)
    return {
        name: tuple(value._replace(confidence=_DESCRIPTION * value.confidence) for value in values)
        for name, values in chosen(_read(rows, labels, fields), [1.0] * len(rows), fields).items()
    }


def _title(parser: LexborHTMLParser) -> str:
    node = parser.css_first("title")
    return " ".join(as_seen(node.text()).split())[:_LONGEST_TITLE] if node else ""
