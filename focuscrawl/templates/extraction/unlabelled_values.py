"""Values without a label, recognised by their form and position."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from focuscrawl.templates.extraction.address_lines import joined_address
from focuscrawl.templates.extraction.label_words import MARKS, LabelKind, Labels
from focuscrawl.templates.extraction.page_lines import CODE_AT_TAKEN, TAKEN, LineScope, PageRow
from focuscrawl.templates.extraction.page_values import PlacedValue, ValueCandidate
from focuscrawl.templates.extraction.value_readers import qq_of_link, read_typed
from focuscrawl.templates.keywords import fold
from focuscrawl.templates.names.name_words import folded
from focuscrawl.templates.names.postal_addresses import looks_like_address
from focuscrawl.templates.template_model import ExtractionField, FieldType

# Names of departments and branches, which label the telephone numbers after them.

_NAMES = (
    r"(?:[室处部科股办台院店区县厂站]|中心|窗口|公司|老师|经理|先生|女士|小姐|主任|咨询|客服|服务|投诉|预订|预约|订[座餐房票货购]|外卖"
    r"|报名|挂号|销售|售后|直线|值班|急诊|门诊|门市|总机|零售|批发|加盟)"
)
_LABEL = re.compile(rf"{_NAMES}\s*[:)】]+$")
_CELL = re.compile(rf"[\u4e00-\u9fff ]{{0,12}}{_NAMES}$")
_LOCAL_NUMBER = re.compile(r"[2-9]\d{2,3}[- ]?\d{4}(?:\s*[,、/]\s*[2-9]\d{2,3}[- ]?\d{4})*")


def is_of_department(rows: Sequence[PageRow], at: int, scope: LineScope) -> bool:
    """Return whether a telephone number is likely in a scope of row ``at``: 教务处：88001234.

    Without a label, it is if the row is a table cell of local numbers only, next to a department's.
    """
    row = rows[at]
    if scope.label is not None:
        return bool(_LABEL.search(row.text[scope.label.start : scope.label.end]))
    if at == 0 or not _LOCAL_NUMBER.fullmatch(row.text.strip()):
        return False
    cell, before = row.line.block.cell, rows[at - 1].line.block.cell
    if cell is None or before is None or (cell.table, cell.row) != (before.table, before.row):
        return False
    return cell.column == before.column + 1 and bool(_CELL.fullmatch(rows[at - 1].text.strip()))


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
_LONG = 150
# 某某火车站（某某路1号） 驾车12分钟: the way from a place nearby.
_JOURNEY = re.compile(r"(?:步行|驾车|开车|打车|车程)[^\d。]{0,4}\d+ ?(?:分钟|公里|千米|米)")
# The place of the firm in a long text: 我们就在某某路8号.
_WE_ARE_AT = re.compile(
    r"(?:我们|[本我](?:[店院校园厂司所社馆]|公司|中心))[^。，,！？]{0,10}(?:[在于是至]|地址[:：]?)\s*$"
)
_LEAD = 24
_CODE_ALONE = re.compile(r"[0-8]\d{5}")
_NEAR = 4  # rows


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
            factor = row.visibility * (row.density(scope) if len(row.text) > _LONG else 1.0)
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
        near = rows[max(0, address.row) : address.row + _NEAR]
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
