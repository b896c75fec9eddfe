"""Extraction of a template's fields from a page; records combined from the pages of a site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from focuscrawl.items import FoundValue, PageValue
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.templates.extraction.address_lines import joined_address
from focuscrawl.templates.extraction.label_words import MARKS, LabelKind, Labels
from focuscrawl.templates.extraction.labelled_values import labelled_values
from focuscrawl.templates.extraction.page_lines import (
    CODE_AT_TAKEN,
    HEADING_TAGS,
    TAKEN,
    TAKEN_RUN,
    LineBlock,
    LineScope,
    PagePlace,
    PageRow,
    PrintedLine,
    page_lines,
    rows_of,
)
from focuscrawl.templates.extraction.page_values import (
    PageValues,
    PlacedValue,
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
from focuscrawl.templates.extraction.value_readers import qq_of_link, read_typed
from focuscrawl.templates.keywords import fold, keyword_pattern
from focuscrawl.templates.names.name_clues import names_owner
from focuscrawl.templates.names.name_words import Span, folded
from focuscrawl.templates.names.organisations import NameEvidence, organisations, site_name
from focuscrawl.templates.names.postal_addresses import looks_like_address
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


# Values without a label, recognised by their form and position.

# Names of departments and branches, which label the telephone numbers after them.

_DEPARTMENT_NAMES = (
    r"(?:[室处部科股办台院店区县厂站]|中心|窗口|公司|老师|经理|先生|女士|小姐|主任|咨询|客服|服务|投诉|预订|预约|订[座餐房票货购]|外卖"
    r"|报名|挂号|销售|售后|直线|值班|急诊|门诊|门市|总机|零售|批发|加盟)"
)
_DEPARTMENT_LABEL = re.compile(rf"{_DEPARTMENT_NAMES}\s*[:)】]+$")
_DEPARTMENT_CELL = re.compile(rf"[\u4e00-\u9fff ]{{0,12}}{_DEPARTMENT_NAMES}$")
_LOCAL_NUMBER = re.compile(r"[2-9]\d{2,3}[- ]?\d{4}(?:\s*[,、/]\s*[2-9]\d{2,3}[- ]?\d{4})*")


def is_of_department(rows: Sequence[PageRow], at: int, scope: LineScope) -> bool:
    """Return whether a telephone number is likely in a scope of row ``at``: 教务处：88001234.

    Without a label, it is if the row is a table cell of local numbers only, next to a department's.
    """
    row = rows[at]
    if scope.label is not None:
        return bool(_DEPARTMENT_LABEL.search(row.text[scope.label.start : scope.label.end]))
    if at == 0 or not _LOCAL_NUMBER.fullmatch(row.text.strip()):
        return False
    cell, before = row.line.block.cell, rows[at - 1].line.block.cell
    if cell is None or before is None or (cell.table, cell.row) != (before.table, before.row):
        return False
    return cell.column == before.column + 1 and bool(
        _DEPARTMENT_CELL.fullmatch(rows[at - 1].text.strip())
    )


# Values in the targets of links.

_SCHEMES = {"tel": FieldType.PHONE, "mailto": FieldType.EMAIL}


def linked_value(href: str) -> tuple[FieldType, str] | None:
    """Return the type and text of the value of a ``tel:`` or ``mailto:`` link, None for others."""
    scheme, _, rest = href.partition(":")
    type_ = _SCHEMES.get(scheme.strip().lower())
    return (type_, unquote(rest).partition("?")[0].strip()) if type_ else None


_TYPES = (FieldType.EMAIL, FieldType.URL, FieldType.PHONE, FieldType.ADDRESS, FieldType.POSTCODE)
_SURE = {
    FieldType.EMAIL: 0.85,
    FieldType.PHONE: 0.8,
    FieldType.ADDRESS: 0.7,
    FieldType.URL: 0.6,
    FieldType.POSTCODE: 0.6,
    FieldType.QQ: 0.75,
}
_BEHIND_WORD = 0.85
_DEPARTMENTS = 1.1  # a department's name is as good as a label
_OF_HOST = 0.85
_MOST_LINES = 5
_LINES_OF_ADDRESS = 0.85
_IN_LINK = 0.75
_AT_ADDRESS = 0.75
# 100 Wensan Road, Hangzhou 310012; Toronto, ON M1H 3H3.
_CODE_IN_LATIN = re.compile(
    r"[A-Za-z][ ,.]{1,3}([0-8]\d{5}|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?![A-Za-z0-9])"
)
_LONG_ROW = 150
# 某某火车站（某某路1号） 驾车12分钟: the way from a place nearby.
_JOURNEY = re.compile(r"(?:步行|驾车|开车|打车|车程)[^\d。]{0,4}\d+ ?(?:分钟|公里|千米|米)")
# The place of the firm in a long text: 我们就在某某路8号.
_WE_ARE_AT = re.compile(
    r"(?:我们|[本我](?:[店院校园厂司所社馆]|公司|中心))[^。，,！？]{0,10}(?:[在于是至]|地址[:：]?)\s*$"
)
_LEAD = 24
_CODE_ALONE = re.compile(r"[0-8]\d{5}")
_NEAR_ADDRESS = 4  # rows


def field_of_type(fields: Mapping[str, ExtractionField]) -> dict[FieldType, str]:
    """Return the field of unlabelled values of each type: the first of that type."""
    first: dict[FieldType, str] = {}
    for name, field in fields.items():
        first.setdefault(field.type, name)
    return first


def unlabelled_values(
    rows: Sequence[PageRow], fields: Mapping[str, ExtractionField], labels: Labels, host: str
) -> Iterator[ValueCandidate]:
    """Yield the values in the rest of the rows after labelled ones, and mark them as extracted.

    A web address is surer if its host is ``host``, that of the page.
    """
    first = field_of_type(fields)
    for at, row in enumerate(rows):
        for scope in row.scopes:
            for candidate in _in_scope(at, rows, scope, first):
                if host and candidate.found.key.partition("/")[0] == host:
                    candidate = candidate._replace(sure=_OF_HOST)
                begin, end = scope.start + candidate.found.start, scope.start + candidate.found.end
                if fields[candidate.field].type is FieldType.ADDRESS and end >= len(row.text) - 1:
                    candidate = _with_lines_below(candidate, rows)
                named = labels.field_in_prose(candidate.field, row.text, begin)
                for name in labels.fields_at(named, row.text, end):
                    yield candidate._replace(field=name)
        yield from _in_links(at, row, first)


def _with_lines_below(address: ValueCandidate, rows: Sequence[PageRow]) -> ValueCandidate:
    """Return an address in Latin letters joined with the lines that continue it."""
    value, at = address.found.value, address.row
    for row in rows[at + 1 : at + _MOST_LINES]:
        if row.line.block is not rows[at].line.block or row.has_label or row.taken:
            break
        longer = joined_address(value, row.line.text) if value.isascii() else ""
        if not longer:
            break
        value = longer
        row.taken.append((0, len(row.text)))
    if value == address.found.value:
        return address
    found = address.found._replace(value=value, key=folded(value))
    sure = max(address.sure, _LINES_OF_ADDRESS * looks_like_address(value))
    return address._replace(found=found, raw=value, sure=sure)


def _in_scope(
    at: int, rows: Sequence[PageRow], scope: LineScope, first: Mapping[FieldType, str]
) -> Iterator[ValueCandidate]:
    row = rows[at]
    kind = scope.label.kind if scope.label else LabelKind.OTHER
    if kind is LabelKind.MAKER or row.is_form(scope):
        return
    # A number behind a label of other data belongs to that label.
    types = _TYPES if kind is not LabelKind.NO_FIELD else (FieldType.EMAIL,)
    for type_ in types:
        if name := first.get(type_):
            text = row.rest(scope)
            labelled = type_ is FieldType.PHONE and is_of_department(rows, at, scope)
            found = read_typed(type_, text, labelled=labelled)
            found = [value for value in found if _is_no_mention(type_, value, text)]
            row.take(scope, found)
            row.values += len(found)
            factor = row.visibility * (row.density(scope) if len(row.text) > _LONG_ROW else 1.0)
            factor *= _DEPARTMENTS if labelled else 1.0
            lead = len(text) - len(text.lstrip())
            for value in found:
                raw = MARKS.sub("", text[value.start : value.end]).strip()
                # 总部:文三路100号: a word with a colon is nearly a label.
                is_led = type_ is FieldType.ADDRESS and value.start <= lead
                sure = _BEHIND_WORD if is_led and scope.label else _SURE[type_]
                yield ValueCandidate(name, value, raw, at, sure * value.sure * factor)


def postcodes_of_addresses(
    rows: Sequence[PageRow],
    addresses: Sequence[ValueCandidate],
    fields: Mapping[str, ExtractionField],
) -> Iterator[ValueCandidate]:
    """Yield the postcodes directly after addresses or alone near them, and those in Latin addresses."""
    name = field_of_type(fields).get(FieldType.POSTCODE)
    behind_of: dict[int, re.Match[str] | None] = {}
    for address in addresses if name else ():
        row = rows[address.row]
        if address.row not in behind_of:
            whole = LineScope(None, 0, len(row.text))
            behind_of[address.row] = CODE_AT_TAKEN.search(row.rest(whole))
        behind = behind_of[address.row]
        codes = [behind[1] or behind[2]] if behind else _CODE_IN_LATIN.findall(fold(address.raw))
        near = rows[max(0, address.row) : address.row + _NEAR_ADDRESS]
        codes += [row.text.strip() for row in near if _CODE_ALONE.fullmatch(row.text.strip())]
        for code in codes:
            yield ValueCandidate(
                str(name), PlacedValue(0, 0, code, 1.0, code), code, address.row, _AT_ADDRESS
            )


def _is_no_mention(type_: FieldType, value: PlacedValue, text: str) -> bool:
    """Return whether a value is not one of a place nearby; an address is most of the text."""
    if text[: value.start].strip() and _JOURNEY.search(text):
        return False
    if type_ is not FieldType.ADDRESS or _WE_ARE_AT.search(
        text, max(0, value.start - _LEAD), value.start
    ):
        return True
    if text.startswith(("...", "…"), value.end):
        return False  # teaser of a news article
    return len(text) < 60 or value.end - value.start >= 0.5 * len(text.strip())


def _in_links(at: int, row: PageRow, first: Mapping[FieldType, str]) -> Iterator[ValueCandidate]:
    """Yield the values of links, except where the text itself gave a value."""
    if not row.line.links:
        return
    rest = row.rest(LineScope(None, 0, len(row.text)))
    for start, end, href in row.line.links:
        if TAKEN in rest[start : max(end, start + 1)]:
            continue
        if (number := qq_of_link(href)) and (name := first.get(FieldType.QQ)):
            found = PlacedValue(start, end, number, 1.0, number)
            row.values += 1
            yield ValueCandidate(name, found, number, at, _SURE[FieldType.QQ])
        elif linked := linked_value(href):
            type_, text = linked
            for value in read_typed(type_, text, labelled=True) if type_ in first else ():
                row.values += 1
                yield ValueCandidate(first[type_], value, text, at, _IN_LINK * value.sure)


# Candidates for the name of the site's owner.

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
_LONGEST_NAME = 200
_LONGEST_ROW, _MOST_SPANS = 2_000, 6
_SHORT_NAME = 40
_NEAR_BELOW, _WIDEST = 3, 12  # rows
_BEFORE, _BEHIND = 16, 30  # characters of prose kept around a name
_MOST_NAMES = 60
# The value of a licence or account, which a name may follow.
_ACCOUNT_NUMBER = re.compile(r"\s*\S*\d\S*")
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
        found.append(NameEvidence(title[:_LONGEST_NAME], "title"))
    found += _of_pictures(parser)
    found += _of_meta(parser)
    found += _of_rows(rows, weights)
    return tuple(dict.fromkeys(found))[:_MOST_NAMES]


def _of_rows(rows: Sequence[PageRow], weights: Sequence[float]) -> Iterator[NameEvidence]:
    """Yield the lines that name organisations, those of the owner first."""
    prose = list[NameEvidence]()
    for at, (row, weight) in enumerate(zip(rows, weights, strict=True)):
        text = _own_words(row)
        if _COPYRIGHT.search(row.text):
            yield NameEvidence(text[:_LONGEST_NAME], "copyright")
        elif _ICP.search(row.text):
            yield NameEvidence(text[:_LONGEST_NAME], "icp")
        elif len(text) > 3 and (spans := organisations(text[:_LONGEST_ROW])):
            if len(text) < _SHORT_NAME and _heads_block(rows, at):
                yield NameEvidence(text, "block")
            elif len(text) < _SHORT_NAME and row.line.block.tag in HEADING_TAGS:
                yield NameEvidence(text, "heading")
            elif weight >= _CONTACT_WEIGHT:
                yield NameEvidence(text[:_LONGEST_NAME], "contact")
            else:
                prose += _around(text, spans)
    yield from prose


def _heads_block(rows: Sequence[PageRow], at: int) -> bool:
    """Return whether a name heads a block of contact data: values follow, and it is not in a list of names."""
    if rows[at].labelled:
        return True
    column = _column(rows[at])
    if at and _column(rows[at - 1]) == column and _names_organisation(rows[at - 1]):
        return False
    below = [row for row in rows[at + 1 : at + 1 + _WIDEST] if _column(row) == column]
    for row in below[:_NEAR_BELOW]:
        if row.labelled or row.values or any(scope.fields for scope in row.scopes):
            return True
        if _names_organisation(row):
            return False
    return False


def _column(row: PageRow) -> tuple[LineBlock, int] | None:
    cell = row.line.block.cell
    return (cell.table, cell.column) if cell else None


def _names_organisation(row: PageRow) -> bool:
    """Return whether a line names an organisation, other than by a translation below its name."""
    return any(not span.text.isascii() for span in organisations(row.line.text[:_LONGEST_NAME]))


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
                number = _ACCOUNT_NUMBER.match(rest)
                rest = rest[number.end() :] if number else ""
            before = row.line.text[at : scope.label.start]
            name = label if is_of_owner else f"{_end_of_name(before, label)} | "
            kept += f"{before}{name}{TAKEN_RUN.sub(' | ', rest)}"
            at = scope.end
    return (kept + row.line.text[at:]).strip(" |")


def _end_of_name(before: str, label: str) -> str:
    """Return the part of a label that ends a name: 某有限 | 公司 电话:, 某公司电话:."""
    before = before[-_SHORT_NAME:]
    ends = [span.end - len(before) for span in organisations(before + label)]
    return label[: max(ends, default=0)] if ends and ends[-1] > 0 else ""


def _of_pictures(parser: LexborHTMLParser) -> Iterator[NameEvidence]:
    for node in parser.css("img[alt]")[:60]:
        own = node.attributes
        parent = node.parent.attributes.get("class") if node.parent else ""
        where = f"{own.get('src')} {own.get('class')} {own.get('id')} {parent}".lower()
        if "logo" in where and (alt := (own.get("alt") or "").strip()):
            yield NameEvidence(alt[:_LONGEST_NAME], "logo")


def _of_meta(parser: LexborHTMLParser) -> Iterator[NameEvidence]:
    for node in parser.css("meta[content]")[:60]:
        own = node.attributes
        name = (own.get("name") or own.get("property") or "").lower()
        if name in _META and (content := (own.get("content") or "").strip()):
            yield NameEvidence(content[:_LONGEST_NAME], "meta")


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
