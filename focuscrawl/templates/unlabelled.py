"""Values that no label stands before: their looks, and where they stand, must say what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from focuscrawl.templates.candidates import Candidate
from focuscrawl.templates.codes import qq_of_link
from focuscrawl.templates.found import Found
from focuscrawl.templates.icons import MARKS
from focuscrawl.templates.labels import Kind
from focuscrawl.templates.links import linked_value
from focuscrawl.templates.readers import read_typed
from focuscrawl.templates.scopes import Row, Scope
from focuscrawl.templates.template import ExtractionField, FieldType

_TYPES = (FieldType.EMAIL, FieldType.URL, FieldType.PHONE, FieldType.ADDRESS, FieldType.POSTCODE)
_SURE = {
    FieldType.EMAIL: 0.85,
    FieldType.PHONE: 0.8,
    FieldType.ADDRESS: 0.7,
    FieldType.URL: 0.6,
    FieldType.POSTCODE: 0.6,
    FieldType.QQ: 0.75,
}
_IN_LINK = 0.75
_LONG = 150


def field_of_type(fields: Mapping[str, ExtractionField]) -> dict[FieldType, str]:
    """Return the field that values of each type without a label are of: the first one."""
    first: dict[FieldType, str] = {}
    for name, field in fields.items():
        first.setdefault(field.type, name)
    return first


def unlabelled_values(
    rows: Sequence[Row], fields: Mapping[str, ExtractionField]
) -> Iterator[Candidate]:
    """Yield the values in what labels have left of the rows, and mark them as read."""
    first = field_of_type(fields)
    for at, row in enumerate(rows):
        for scope in row.scopes:
            yield from _in_scope(at, row, scope, first)
        yield from _in_links(at, row, first)


def _in_scope(
    at: int, row: Row, scope: Scope, first: Mapping[FieldType, str]
) -> Iterator[Candidate]:
    kind = scope.label.kind if scope.label else Kind.OTHER
    if kind is Kind.MAKER or row.is_form(scope):
        return
    # A number behind a label of something else is that.
    types = _TYPES if kind is not Kind.NO_FIELD else (FieldType.EMAIL,)
    for type_ in types:
        if name := first.get(type_):
            text = row.rest(scope)
            found = [v for v in read_typed(type_, text, labelled=False) if _stands(type_, v, text)]
            row.take(scope, found)
            row.values += len(found)
            factor = 0.6 if len(row.text) > _LONG else 1.0
            for value in found:
                raw = MARKS.sub("", text[value.start : value.end]).strip()
                yield Candidate(name, value, raw, at, _SURE[type_] * value.sure * factor)


def _stands(type_: FieldType, value: Found, text: str) -> bool:
    """Whether an address is the whole of what is said, and no part of a sentence."""
    if type_ is not FieldType.ADDRESS:
        return True
    return value.end - value.start >= 0.5 * len(text.strip()) or len(text) < 60


def _in_links(at: int, row: Row, first: Mapping[FieldType, str]) -> Iterator[Candidate]:
    """Yield what links say that the text does not; where both do, the text is believed."""
    for start, end, href in row.line.links:
        if any(start <= a < end or a <= start < b for a, b in row.taken):
            continue
        if (number := qq_of_link(href)) and (name := first.get(FieldType.QQ)):
            found = Found(start, end, number, 1.0, number)
            row.values += 1
            yield Candidate(name, found, number, at, _SURE[FieldType.QQ])
        elif linked := linked_value(href):
            type_, text = linked
            for value in read_typed(type_, text, labelled=True) if type_ in first else ():
                row.values += 1
                yield Candidate(first[type_], value, text, at, _IN_LINK * value.sure)
