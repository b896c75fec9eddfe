"""Values after their labels: in the same line, and in the lines that continue it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from focuscrawl.templates.extraction import value_candidates as how
from focuscrawl.templates.extraction.labels.address_lines import HAS_STREET, joined_address
from focuscrawl.templates.extraction.labels.label_words import Kind, Labels
from focuscrawl.templates.extraction.labels.neighbouring_values import NeighbouringValues
from focuscrawl.templates.extraction.labels.value_collector import (
    CONTINUED,
    NEAR_ONLY,
    ValueCollector,
    is_all,
)
from focuscrawl.templates.extraction.lines.label_scopes import Row, Scope
from focuscrawl.templates.extraction.lines.line_neighbours import is_adjacent
from focuscrawl.templates.extraction.value_candidates import Candidate
from focuscrawl.templates.extraction.values.found_value import Found
from focuscrawl.templates.extraction.values.value_readers import read_typed
from focuscrawl.templates.extraction.values.web_addresses import web_addresses
from focuscrawl.templates.names.text_spans import folded
from focuscrawl.templates.template_model import ExtractionField, FieldType

_NEAR_LABEL = 3
# Contact data of the site's maker, not of the firm: 本站由某网络设计制作 电话:.
_MADE_BY = re.compile(r"由.{2,24}(?:设计|制作|建设|开发|承建|维护|技术支持)")


def labelled_values(
    rows: Sequence[Row], fields: Mapping[str, ExtractionField], labels: Labels
) -> list[Candidate]:
    """Return the values of all labels, and mark them in the rows as extracted."""
    collector = ValueCollector(rows, fields, labels)
    values = _Values(collector)
    pending = [(at, scope) for at, row in enumerate(rows) for scope in values.within(at, row)]
    NeighbouringValues(collector).read(pending)
    for at in range(1, len(rows)):
        values.going_on(at)
    return collector.found


class _Values:
    def __init__(self, collector: ValueCollector) -> None:
        self.collector = collector
        self.rows = collector.rows
        self.fields = collector.fields

    def within(self, at: int, row: Row) -> Iterator[Scope]:
        """Read the scopes of a line; yield those whose value is in another line."""
        first = row.scopes[0]
        own, makers = set[str](), bool(_MADE_BY.search(row.text[first.start : first.end]))
        for scope in row.scopes:
            if scope.label is None or scope.label.kind is Kind.OTHER:
                continue
            makers = makers or scope.label.kind is Kind.MAKER
            if makers and (not own or own & set(scope.fields)):
                # The maker of the site also gives a telephone number.
                row.taken.append((scope.start, scope.end))
                continue
            own |= set(scope.fields)
            if row.is_blank(scope):
                if self._before(at, row, scope):
                    continue
                # 电话： 地址：某路: a label directly followed by another has no value.
                if scope is row.scopes[-1] and scope.label.kind is not Kind.MAKER:
                    yield scope
                continue
            sure = how.OPEN_LABEL if scope.label.is_open else how.SAME_LINE
            for name in scope.fields:
                self.collector.take(name, at, scope, self._values(name, row, scope), sure)

    def _before(self, at: int, row: Row, scope: Scope) -> bool:
        """Read the value before the label at the end of a line: 0571-88001235 传真."""
        first = row.scopes[0]
        if len(row.scopes) != 2 or scope is first or first.label or row.text.rstrip().endswith(":"):
            return False
        for name in scope.fields:
            values = self.collector.fitting(name, row.line.text[: first.end], labelled=True)
            if values and is_all(values, first, row):
                self.collector.take(name, at, first, values, how.LINE_BEFORE)
        return bool(row.taken)

    def _values(self, name: str, row: Row, scope: Scope) -> list[Found]:
        kind = self.fields[name].type
        is_open = scope.label is not None and scope.label.is_open
        text = row.line.text[scope.start : scope.end]
        if is_open and kind in NEAR_ONLY:
            # Without a colon, only the form of the value shows that the word before is a label.
            is_word = len(row.text[: scope.start].split()[-1]) > 1
            values = self.collector.fitting(
                name, text, labelled=kind is FieldType.ADDRESS and is_word
            )
            return [value for value in values if not text[: value.start].strip()]
        values = read_typed(kind, text, labelled=True)
        return values or (_linked_sites(row, scope) if kind is FieldType.URL else [])

    def going_on(self, at: int) -> None:
        """Read a line of values only as further values of the label of the line before."""
        if self.rows[at].has_label or self.rows[at].taken:
            return
        before = self.collector.last_of_row(at - 1)
        row = self.rows[at]
        if not before or not is_adjacent(self.rows, at):
            return
        name = before.field
        is_same = row.line.block is self.rows[at - 1].line.block
        if self.fields[name].type is FieldType.ADDRESS and (
            is_same or not HAS_STREET.search(before.found.value)
        ):
            self._join(before, row)
        if not is_same:
            return
        if self.fields[name].type not in CONTINUED:
            return
        scope = row.scopes[0]
        values = read_typed(self.fields[name].type, row.line.text, labelled=False)
        if values and is_all(values, scope, row):
            self.collector.take(name, at, scope, values, how.GOES_ON)

    def _join(self, before: Candidate, row: Row) -> None:
        if value := joined_address(before.found.value, row.line.text):
            found = before.found._replace(value=value, key=folded(value))
            raw = f"{before.raw}\n{row.line.text.strip()}"
            longer = before._replace(found=found, raw=raw, row=before.row + 1)
            self.collector.replace_last(before.row, longer)
            row.taken.append((0, len(row.text)))


def _linked_sites(row: Row, scope: Scope) -> list[Found]:
    """Return the sites that a scope links to with other words as the anchor: 网址：点击访问."""
    return [
        Found(start - scope.start, end - scope.start, *site[2:])
        for start, end, href in row.line.links
        if scope.start <= start <= scope.start + _NEAR_LABEL
        for site in web_addresses(href)
    ]
