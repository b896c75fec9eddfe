"""Structured data of an organisation: JSON-LD, microdata and meta elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from focuscrawl.templates.extraction.labels.label_icons import ICON_KEYWORDS, Icon
from focuscrawl.templates.keywords import keyword_pattern
from focuscrawl.templates.template_model import ExtractionField, FieldType

_KEYS = {
    "telephone": FieldType.PHONE,
    "email": FieldType.EMAIL,
    "address": FieldType.ADDRESS,
    "postalCode": FieldType.POSTCODE,
}
_PARTS_OF_ADDRESS = ("addressRegion", "addressLocality", "streetAddress")
_LARGEST = 2_000_000
_MOST_ITEMS = 200
_LONGEST_NAME, _LONGEST_DESCRIPTION = 100, 5_000


def organisation_items(html: str) -> list[Mapping[str, Any]]:
    """Return the items of JSON-LD and microdata that have a telephone, address or e-mail."""
    if len(html) > _LARGEST or not ("ld+json" in html or "itemprop" in html):
        return []
    # Takes a second to import, and few pages need it.
    import extruct  # type: ignore[import-untyped]

    try:
        data = extruct.extract(
            html, syntaxes=["json-ld", "microdata"], uniform=True, errors="ignore"
        )
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError, AssertionError):
        # The exceptions that the parsers raise on broken data are not documented.
        return []
    return [item for item in _items(data) if {"telephone", "address", "email"} & item.keys()]


def _items(data: object) -> Iterator[Mapping[str, Any]]:
    stack, seen = [data], 0
    while stack and seen < _MOST_ITEMS:
        item = stack.pop()
        if isinstance(item, dict):
            seen += 1
            yield item
            stack += item.values()
        elif isinstance(item, list):
            stack += item[:_MOST_ITEMS]


def item_values(
    item: Mapping[str, Any], fields: Mapping[str, ExtractionField]
) -> Iterator[tuple[str, str]]:
    """Yield the field and text of each value of an item."""
    for key, type_ in _KEYS.items():
        name = next((name for name, field in fields.items() if field.type is type_), None)
        for text in _texts(item.get(key)) if name else ():
            yield str(name), text
    fax = keyword_pattern(ICON_KEYWORDS[Icon.FAX])
    for name, field in fields.items():
        if any(map(fax.fullmatch, field.keywords)):
            yield from ((name, text) for text in _texts(item.get("faxNumber")))


def item_names(item: Mapping[str, Any]) -> list[str]:
    """Return the names of the organisation in an item."""
    names = (text for key in ("legalName", "name") for text in _texts(item.get(key)))
    return [name[:_LONGEST_NAME] for name in names]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value.strip()
    elif isinstance(value, list):
        for one in value[:10]:
            if not isinstance(one, list):
                yield from _texts(one)
    elif isinstance(value, dict):
        parts = [value.get(part) for part in _PARTS_OF_ADDRESS]
        if text := "".join(part for part in parts if isinstance(part, str)):
            yield text


def descriptions(parser: LexborHTMLParser) -> list[str]:
    """Return the descriptions of a page in its meta elements."""
    wanted = 'meta[name="description" i][content]'
    nodes = parser.css(wanted)[:3]
    return [(node.attributes.get("content") or "")[:_LONGEST_DESCRIPTION] for node in nodes]
