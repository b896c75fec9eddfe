"""Candidates on a page for the name of the site's owner."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser

from focuscrawl.templates.extraction.label_words import LabelKind
from focuscrawl.templates.extraction.page_lines import HEADING_TAGS, TAKEN_RUN, LineBlock, PageRow
from focuscrawl.templates.keywords import keyword_pattern
from focuscrawl.templates.names.name_clues import names_owner
from focuscrawl.templates.names.name_words import Span
from focuscrawl.templates.names.organisations import NameEvidence, organisations
from focuscrawl.templates.template_model import ExtractionField, FieldType

# A field whose first keyword is one of these holds the name of the site's owner.
_OWN_NAME = keyword_pattern(
    [
        "名称",
        "公司名称",
        "单位名称",
        "企业名称",
        "机构名称",
        "学校名称",
        "公司",
        "单位",
        "Company",
        "Company Name",
        "Name",
    ]
)
_COPYRIGHT = re.compile(
    r"©|copyright|版权所有|版权归|all rights reserved|\(c\)\s*(?:19|20)\d\d", re.I
)
_ICP = re.compile(r"ICP\s*[备证]", re.I)
_LONGEST = 200
_LONGEST_ROW, _MOST_SPANS = 2_000, 6
_SHORT = 40
_NEAR, _WIDEST = 3, 12  # rows
_BEFORE, _BEHIND = 16, 30  # characters of prose kept around a name
_MOST = 60
# The value of a licence or account, which a name may follow.
_NUMBER = re.compile(r"\s*\S*\d\S*")
_CONTACT_WEIGHT = 0.4
_META = ("og:site_name", "author", "description", "keywords", "og:title", "copyright")


def own_name_field(fields: Mapping[str, ExtractionField]) -> str:
    """Return the field for the name of the site's owner, ``""`` if there is none."""
    for name, field in fields.items():
        if field.type is FieldType.ORGANISATION and _OWN_NAME.fullmatch(field.keywords[0]):
            return name
    return ""


def name_evidence(
    parser: LexborHTMLParser,
    title: str,
    rows: Sequence[PageRow],
    weights: Sequence[float],
    labelled: Sequence[str],
) -> tuple[NameEvidence, ...]:
    """Return the evidence on a page for its owner; ``labelled`` are names after labels."""
    found = [NameEvidence(text, "label") for text in labelled]
    if title:
        found.append(NameEvidence(title[:_LONGEST], "title"))
    found += _of_pictures(parser)
    found += _of_meta(parser)
    found += _of_rows(rows, weights)
    return tuple(dict.fromkeys(found))[:_MOST]


def _of_rows(rows: Sequence[PageRow], weights: Sequence[float]) -> Iterator[NameEvidence]:
    """Yield the lines that name organisations, those of the owner first."""
    prose = list[NameEvidence]()
    for at, (row, weight) in enumerate(zip(rows, weights, strict=True)):
        text = _own_words(row)
        if _COPYRIGHT.search(row.text):
            yield NameEvidence(text[:_LONGEST], "copyright")
        elif _ICP.search(row.text):
            yield NameEvidence(text[:_LONGEST], "icp")
        elif len(text) > 3 and (spans := organisations(text[:_LONGEST_ROW])):
            if len(text) < _SHORT and _heads_block(rows, at):
                yield NameEvidence(text, "block")
            elif len(text) < _SHORT and row.line.block.tag in HEADING_TAGS:
                yield NameEvidence(text, "heading")
            elif weight >= _CONTACT_WEIGHT:
                yield NameEvidence(text[:_LONGEST], "contact")
            else:
                prose += _around(text, spans)
    yield from prose


def _heads_block(rows: Sequence[PageRow], at: int) -> bool:
    """Return whether a name heads a block of contact data: values follow, and it is not in a list of names."""
    if rows[at].labelled:
        return True
    column = _column(rows[at])
    if at and _column(rows[at - 1]) == column and _names_firm(rows[at - 1]):
        return False
    below = [row for row in rows[at + 1 : at + 1 + _WIDEST] if _column(row) == column]
    for row in below[:_NEAR]:
        if row.labelled or row.values or any(scope.fields for scope in row.scopes):
            return True
        if _names_firm(row):
            return False
    return False


def _column(row: PageRow) -> tuple[LineBlock, int] | None:
    cell = row.line.block.cell
    return (cell.table, cell.column) if cell else None


def _names_firm(row: PageRow) -> bool:
    """Return whether a line names an organisation, other than by a translation below its name."""
    return any(not span.text.isascii() for span in organisations(row.line.text[:_LONGEST]))


def _around(text: str, spans: Sequence[Span]) -> Iterator[NameEvidence]:
    """Yield each name in a text with the words around it, up to the next names."""
    for at, span in enumerate(spans[:_MOST_SPANS]):
        first = max(span.start - _BEFORE, spans[at - 1].end if at else 0)
        last = min(span.end + _BEHIND, spans[at + 1].start if at + 1 < len(spans) else len(text))
        yield NameEvidence(text[first:last], "text")


def _own_words(row: PageRow) -> str:
    """Return a line without labels, the maker of the site, and text extracted as other values."""
    kept, at = "", 0
    for scope in row.scopes:
        if scope.label and scope.label.kind is LabelKind.MAKER:
            kept += f"{row.line.text[at : scope.label.start]} | "
            at = scope.end
        if scope.label and scope.label.kind in (LabelKind.FIELD, LabelKind.NO_FIELD):
            label = row.line.text[scope.label.start : scope.label.end]
            is_of_owner = names_owner(label)
            rest = row.rest(scope)
            if scope.label.kind is LabelKind.NO_FIELD and not is_of_owner:
                number = _NUMBER.match(rest)
                rest = rest[number.end() :] if number else ""
            before = row.line.text[at : scope.label.start]
            name = label if is_of_owner else f"{_end_of_name(before, label)} | "
            kept += f"{before}{name}{TAKEN_RUN.sub(' | ', rest)}"
            at = scope.end
    return (kept + row.line.text[at:]).strip(" |")


def _end_of_name(before: str, label: str) -> str:
    """Return the part of a label that ends a name: 某有限 | 公司 电话:, 某公司电话:."""
    before = before[-_SHORT:]
    ends = [span.end - len(before) for span in organisations(before + label)]
    return label[: max(ends, default=0)] if ends and ends[-1] > 0 else ""


def _of_pictures(parser: LexborHTMLParser) -> Iterator[NameEvidence]:
    for node in parser.css("img[alt]")[:60]:
        own = node.attributes
        parent = node.parent.attributes.get("class") if node.parent else ""
        where = f"{own.get('src')} {own.get('class')} {own.get('id')} {parent}".lower()
        if "logo" in where and (alt := (own.get("alt") or "").strip()):
            yield NameEvidence(alt[:_LONGEST], "logo")


def _of_meta(parser: LexborHTMLParser) -> Iterator[NameEvidence]:
    for node in parser.css("meta[content]")[:60]:
        own = node.attributes
        name = (own.get("name") or own.get("property") or "").lower()
        if name in _META and (content := (own.get("content") or "").strip()):
            yield NameEvidence(content[:_LONGEST], "meta")
