"""Record of a site, combined from its contact page and its other pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from focuscrawl.templates.extraction.page_names import own_name_field
from focuscrawl.templates.extraction.page_values import Reading, Value
from focuscrawl.templates.extraction.value_choice import distinct
from focuscrawl.templates.names.organisations import organisations, site_name
from focuscrawl.templates.names.text_spans import folded
from focuscrawl.templates.template_model import ExtractionField

_OTHER_PAGE = 0.8
_FLOOR = 0.5
# Registered firms, and institutions whose name begins with a place.
_SURE_FORM = 0.85
# A label or an address in Chinese.
_CHINESE = re.compile(r"[\u4e00-\u9fff]{2,}\s*[:：]|[\u4e00-\u9fff]{5}")


def combine(
    main: Reading, others: Sequence[Reading], fields: Mapping[str, ExtractionField]
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


def names_firm(readings: Sequence[Reading], fields: Mapping[str, ExtractionField]) -> bool:
    """Return whether the pages surely name an organisation as the owner, not a brand; or no field asks."""
    if not own_name_field(fields):
        return True
    evidence = [name for page in readings for name in page.names]
    names = [name for name, _ in site_name(evidence)]
    if any(_CHINESE.search(page.region) for page in readings):
        names = [name for name in names if not name.isascii()]
    return any(span.confidence >= _SURE_FORM for name in names for span in organisations(name))


def _of_others(name: str, others: Sequence[Reading], field: ExtractionField) -> tuple[Value, ...]:
    found = [
        value._replace(confidence=round(value.confidence * _OTHER_PAGE, 3))
        for other in others
        for value in other.values.get(name, ())
        if value.confidence * _OTHER_PAGE >= _FLOOR
    ]
    found.sort(key=lambda value: -value.confidence)
    kept = distinct(((folded(value.value), value) for value in found), field)
    return tuple(kept if field.many else kept[:1])


def _names(main: Reading, others: Sequence[Reading], field: ExtractionField) -> tuple[Value, ...]:
    evidence = [name for page in (main, *others) for name in page.names]
    names = [Value(name, name, sure) for name, sure in site_name(evidence)]
    chinese = [name for name in names if not name.value.isascii()]
    if chinese and _CHINESE.search(main.region):
        # Latin names on a Chinese page are translations and brands.
        names = chinese
    return tuple(names if field.many else names[:1])
