"""Structured data of an organisation: JSON-LD, microdata and meta elements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from lxml.etree import LxmlError, _Element
from lxml.html import HTMLParser, document_fromstring
from selectolax.lexbor import LexborHTMLParser

from focuscrawl.templates.extraction.label_words import ICON_KEYWORDS, Icon
from focuscrawl.templates.keywords import keyword_pattern
from focuscrawl.templates.template_model import ExtractionField, FieldType
from focuscrawl.text.visible_lines import block_text

_KEYS = {
    "telephone": FieldType.PHONE,
    "email": FieldType.EMAIL,
    "address": FieldType.ADDRESS,
    "postalCode": FieldType.POSTCODE,
}
_PARTS_OF_ADDRESS = ("addressRegion", "addressLocality", "streetAddress")
_LARGEST = 2_000_000
_MOST_ITEMS = 200
_MOST_NAMED = 10
# Each ends at the end of the text, too: what is not closed is searched only once.
_STRING = r'("(?:[^"\\]|\\.)*(?:"|\Z))'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)
_ATTRIBUTES = {
    "meta": "content",
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
    **dict.fromkeys(("data", "meter"), "value"),
    "time": "datetime",
}
_LONGEST_NAME, _LONGEST_DESCRIPTION = 100, 5_000


def organisation_items(html: str) -> list[Mapping[str, Any]]:
    """Return the items of JSON-LD and microdata that have a telephone, address or e-mail."""
    if len(html) > _LARGEST or not ("ld+json" in html or "itemprop" in html):
        return []
    try:
        tree = document_fromstring(html.encode(errors="replace"), HTMLParser(encoding="utf-8"))
    except LxmlError:
        return []
    data = [[*_microdata(tree)], [*_json_ld(tree)]]
    return [item for item in _items(data) if {"telephone", "address", "email"} & item.keys()]


def _json_ld(tree: _Element) -> Iterator[object]:
    for script in tree.iter("script"):
        if script.get("type") == "application/ld+json":
            text = script.text or ""
            try:
                yield _json(text)
            except (ValueError, RecursionError):
                continue


def _json(text: str) -> object:
    try:
        return json.loads(text, strict=False)
    except ValueError:
        text = _COMMENT.sub(lambda found: found[1] or "", text)
        return json.loads(_LAST_COMMA.sub(lambda found: found[1] or "", text), strict=False)


def _microdata(tree: _Element) -> Iterator[Mapping[str, Any]]:
    """Yield the items in the order of the page, those within another one as its values."""
    seen: set[_Element] = set()
    for scope in tree.iter("*"):
        if "itemscope" in scope.attrib and scope not in seen:
            yield _item(scope, seen)


def _item(scope: _Element, seen: set[_Element]) -> Mapping[str, Any]:
    """Return the values of an item by the names of its properties; ``seen`` gets its element."""
    seen.add(scope)
    values: dict[str, list[object]] = {}
    for element in _properties(scope):
        if "itemscope" not in element.attrib:
            value: object = _value(element)
        elif element in seen:
            continue
        else:
            value = _item(element, seen)
        for name in element.get("itemprop", "").split():
            values.setdefault(name, []).append(value)
    return {name: found[0] if len(found) == 1 else found for name, found in values.items()}


def _properties(scope: _Element) -> Iterator[_Element]:
    named = scope.get("itemref", "").split()[:_MOST_NAMED]
    found: Any = (scope.xpath("id($name)[1]", name=name) for name in reversed(named))
    stack: list[_Element] = [*chain.from_iterable(found), *reversed(scope)]
    while stack:
        element = stack.pop()
        if "itemprop" in element.attrib:
            yield element
        if "itemscope" not in element.attrib:
            stack += reversed(element)


def _value(element: _Element) -> str:
    """Return the value of a property; see https://html.spec.whatwg.org/multipage/microdata.html#values."""
    name = _ATTRIBUTES.get(str(element.tag))
    given = element.get(name or "content")
    return (given or "").strip() if name or given else block_text(element)


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
