"""Readers of values by type, with or without a label before them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from focuscrawl.templates.extraction.labels.address_lines import several_addresses, without_tail
from focuscrawl.templates.extraction.values.email_addresses import emails
from focuscrawl.templates.extraction.values.found_value import Found
from focuscrawl.templates.extraction.values.phone_numbers import phones
from focuscrawl.templates.extraction.values.postcodes_and_qq import postcodes, qq_numbers
from focuscrawl.templates.extraction.values.web_addresses import web_addresses
from focuscrawl.templates.names.address_parts import start_of_place
from focuscrawl.templates.names.organisations import organisations
from focuscrawl.templates.names.postal_addresses import addresses, looks_like_address, trim_address
from focuscrawl.templates.names.text_spans import Span, folded, readable
from focuscrawl.templates.template_model import FieldType
from focuscrawl.templates.width_folding import fold

_EDGES = " \t:：,，、。;；|/-–—*·>》"
_END_OF_TEXT = re.compile(r"\s{3,}|[|｜]|\s*[\ue900-\ue907]")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST_TEXT = 300
_LONGEST_NAME = 40
_PLACEHOLDER = re.compile(
    r"[xX某*]{2,}|[xX]{2}[省市区路]|待定|暂无|首页|->|[>»]|[©®]|^(?:地址|内容)$|请(?:在此|输入|填写|选择)|您的"
)
_SHORTEST_ADDRESS, _LONGEST_ADDRESS = 4, 500  # the latter before trimming
_POSTCODE_FIRST = re.compile(r"〒?\s?\d{6}[\s,，]+")
_STRANGE = 0.5
_LIKE_ADDRESS = 0.2
_LIKE_WHOLE, _WHOLE_LINE = 0.65, 0.2
_SHORTEST_WHOLE, _LONGEST_WHOLE = 8, 60
_NO_LINE_OF_ADDRESS = re.compile(r"[。！？!?;；:：@©\ue900-\uf8ff]|\d{6}|\s{2}|公司|电话|手机")
_LAST_PART = re.compile(
    r"(?:[号室楼层座栋幢铺村镇乡屯组园区厦场城院路街道巷弄口侧旁边段南北东西内地馆站门]|(?:米|里|交[叉汇界])处|[A-Za-z]?\d{1,4}[A-Z]?|[)）])$"
)
_NO_ADDRESS = re.compile(r"@|www\.|https?:|[\d-]{11}|\.(?:com|cn|net)\b")


def read_typed(kind: FieldType, text: str, *, labelled: bool) -> list[Found]:
    """Return the values of a type in a text as printed.

    Values of the type text are only found after a label.
    """
    return _READERS[kind](text, labelled)


def _folding(
    reader: Callable[..., list[Found]],
) -> Callable[[str, bool], list[Found]]:
    return lambda text, labelled: reader(fold(text), labelled=labelled)


def _addresses(text: str, labelled: bool) -> list[Found]:
    if not labelled:
        return _of_spans(_whole_address(text) or addresses(text))
    if several := several_addresses(text):
        return _of_spans(several)
    start = len(text) - len(text.lstrip(_EDGES))
    if code := _POSTCODE_FIRST.match(text, start):
        start = code.end()
    value = without_tail(readable(trim_address(text[start : start + _LONGEST_ADDRESS])))
    if len(folded(value)) < _SHORTEST_ADDRESS or not _LETTER.search(value):
        return []
    if _PLACEHOLDER.search(value) or _NO_ADDRESS.search(value):
        return []
    likeness = looks_like_address(value)
    if likeness < _LIKE_ADDRESS and organisations(value):
        return []
    sure = min(1.0, _STRANGE + 2 * likeness)
    return [Found(start, _end_of(value, text, start), value, sure, folded(value))]


def _whole_address(text: str) -> list[Span]:
    """Return a text that as a whole is an address, even an unusual one, in a list; else an empty one."""
    value = text.strip(_EDGES)
    if not _SHORTEST_WHOLE <= len(value) <= _LONGEST_WHOLE or _NO_LINE_OF_ADDRESS.search(value):
        return []
    likeness = looks_like_address(value)
    if likeness < _LIKE_WHOLE or not start_of_place(fold(value), 0) or not _LAST_PART.search(value):
        return []
    if any(span.end >= len(value) for span in organisations(value)):
        return []
    start = text.index(value)
    return [Span(start, start + len(value), readable(value), min(1.0, likeness + _WHOLE_LINE))]


def _end_of(value: str, text: str, start: int) -> int:
    """Return the end in the text of a value whose whitespace was folded."""
    letters = [c for c in value if not c.isspace()]
    at = start
    for letter in letters:
        following = text.find(letter, at)
        if following < 0:
            break
        at = following + 1
    return at


def _organisations(text: str, labelled: bool) -> list[Found]:
    found = _of_spans(organisations(text))
    if found or not labelled:
        return found
    return [
        value
        for value in _texts(text, labelled)
        if 2 <= len(folded(value.value)) <= _LONGEST_NAME
        and _LETTER.search(value.value)
        and looks_like_address(value.value) < _LIKE_WHOLE
    ]


def _texts(text: str, labelled: bool) -> list[Found]:
    if not labelled:
        return []
    start = len(text) - len(text.lstrip(_EDGES))
    ending = _END_OF_TEXT.search(text, start)
    end = min(ending.start() if ending else len(text), start + _LONGEST_TEXT)
    value = readable(text[start:end].rstrip(_EDGES))
    if not value or not any(map(str.isalnum, value)):
        return []
    return [Found(start, end, value, 1.0, folded(value))]


def _of_spans(spans: list[Span]) -> list[Found]:
    return [
        Found(span.start, span.end, span.text, span.confidence, folded(span.text))
        for span in spans
        if not _PLACEHOLDER.search(span.text)
    ]


_READERS: Mapping[FieldType, Callable[[str, bool], list[Found]]] = {
    FieldType.ORGANISATION: _organisations,
    FieldType.ADDRESS: _addresses,
    FieldType.PHONE: _folding(phones),
    FieldType.EMAIL: _folding(emails),
    FieldType.URL: _folding(web_addresses),
    FieldType.POSTCODE: _folding(postcodes),
    FieldType.QQ: _folding(qq_numbers),
    FieldType.TEXT: _texts,
}
