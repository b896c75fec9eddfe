"""Values after their labels: in the same line, and in the lines that continue it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from focuscrawl.templates.extraction import page_values as how
from focuscrawl.templates.extraction.address_lines import HAS_STREET, joined_address
from focuscrawl.templates.extraction.label_words import LabelKind, Labels
from focuscrawl.templates.extraction.page_lines import (
    HEADING_TAGS,
    LineScope,
    Neighbours,
    PageRow,
    is_adjacent,
)
from focuscrawl.templates.extraction.page_values import PlacedValue, ValueCandidate
from focuscrawl.templates.extraction.value_readers import read_typed, web_addresses
from focuscrawl.templates.names.name_words import folded
from focuscrawl.templates.names.postal_addresses import looks_like_address
from focuscrawl.templates.template_model import ExtractionField, FieldType

# Values collected from the rows of a page for the fields of their labels.

CONTINUED = frozenset({FieldType.PHONE, FieldType.EMAIL, FieldType.QQ})
"""Types of which a line below may contain further values."""
NEAR_ONLY = frozenset({FieldType.TEXT, FieldType.ORGANISATION, FieldType.ADDRESS})
"""Types that any text may have, so that only a near line is accepted."""

_ELECTRONIC = frozenset({FieldType.EMAIL, FieldType.URL})
_ANY_TEXT = frozenset({FieldType.TEXT, FieldType.ORGANISATION})
_LONGEST_NEIGHBOUR = 120
_LIKE_ADDRESS = 0.2
_LITTLE_MORE = 6  # characters: 8号门


class ValueCollector:
    """Values of labels found so far, and the rows in which they are marked as extracted."""

    def __init__(
        self, rows: Sequence[PageRow], fields: Mapping[str, ExtractionField], labels: Labels
    ) -> None:
        self.rows = rows
        self.fields = fields
        self.labels = labels
        self.found: list[ValueCandidate] = []
        self._last_of_row: dict[int, int] = {}  # places in found

    def last_of_row(self, at: int) -> ValueCandidate | None:
        """Return the last value of a row, None if it has none."""
        place = self._last_of_row.get(at)
        return None if place is None else self.found[place]

    def replace_last(self, at: int, longer: ValueCandidate) -> None:
        """Replace the last value of a row with one that ends in row ``longer.row``."""
        place = self._last_of_row[at]
        self.found[place] = longer
        self._last_of_row[longer.row] = place

    def take(
        self, name: str, at: int, scope: LineScope, values: Sequence[PlacedValue], sure: float
    ) -> None:
        """Keep the values of a scope of row ``at`` for field ``name``."""
        row = self.rows[at]
        text = row.line.text[scope.start : scope.end]
        if self.fields[name].type not in _ELECTRONIC:
            sure *= row.density(scope)
        sure *= row.visibility
        made = [
            ValueCandidate(
                own,
                value,
                text[value.start : value.end].strip() or value.value,
                at,
                sure * value.sure,
            )
            for value in values
            for own in self.labels.fields_at(name, row.text, scope.start + value.end)
        ]
        row.take(scope, values)
        row.labelled += bool(made)
        self.found += made
        if made:
            self._last_of_row[at] = len(self.found) - 1

    def fitting(
        self, name: str, text: str, *, labelled: bool, any_text: bool = False
    ) -> list[PlacedValue]:
        """Return the values of a field in a text that is not directly after a label.

        ``any_text``: the label is certain, so any text next to it is its value.
        """
        kind = self.fields[name].type
        if kind in _ANY_TEXT and not any_text:
            labelled = False
        if len(text) > _LONGEST_NEIGHBOUR:
            return []
        if kind is FieldType.ADDRESS:
            values = read_typed(kind, text, labelled=False)
            if not labelled or looks_like_address(text) < _LIKE_ADDRESS:
                return values
            longer = read_typed(kind, text, labelled=True)
            more = longer[0].end - values[0].end if values and longer else 0
            return longer if not values or 0 < more <= _LITTLE_MORE else values
        # Among words, a number recognised by its label only may be a date.
        alone = not any(c.isalpha() for c in text) or kind is not FieldType.PHONE
        return read_typed(kind, text, labelled=labelled and alone)


def is_all(values: Sequence[PlacedValue], scope: LineScope, row: PageRow) -> bool:
    """Return whether a scope contains only the values."""
    letters = list(row.text[scope.start : scope.end])
    for value in reversed(values):
        del letters[value.start : value.end]
    return not any(map(str.isalnum, letters))


# Values of labels without one in their line: in the next cell, or the line below or above.

_LINES_BELOW = 4
_MOST_COLUMNS = 12
_MOST_BEFORE = 12  # characters before a label alone in its line: 24小时热线, Office Address


class NeighbouringValues:
    """Reader of the values of labels that have none in their own line."""

    def __init__(self, collector: ValueCollector) -> None:
        self._collector = collector
        self._rows = collector.rows
        self._fields = collector.fields
        self._neighbours = Neighbours(collector.rows)

    def read(self, pending: Sequence[tuple[int, LineScope]]) -> None:
        """Read the values of ``pending``, the rows and scopes of the labels in order."""
        paired = self._in_columns()
        for at, scope in pending:
            if at not in paired:
                self._elsewhere(at, scope)

    def _in_columns(self) -> set[int]:
        """Read blocks of values that follow blocks of labels; return the rows of these labels."""
        done: set[int] = set()
        first = 0
        while first < len(self._rows):
            end = first
            while end < len(self._rows) and _is_label_alone(self._rows[end]):
                end += 1
            if 2 <= end - first <= _MOST_COLUMNS and self._are_columns(first, end):
                for at in range(first, end):
                    names = self._rows[at].scopes[-1].fields
                    self._take_row(end - first + at, names, how.NEXT_LINE, any_text=True)
                done.update(range(first, end))
            first = end + 1
        return done

    def _are_columns(self, first: int, end: int) -> bool:
        """Return whether the lines below, as many as there are labels, each have a value for their label."""
        below = range(end, 2 * end - first)
        if below.stop > len(self._rows) or self._neighbours.are_in_cells(first, end - 1):
            return False
        labels = [self._rows[at].scopes[-1].fields for at in range(first, end)]
        return any(labels) and all(
            not self._rows[row].has_label
            and (not names or self._values_of_row(row, names, any_text=True))
            for row, names in zip(below, labels, strict=True)
        )

    def _elsewhere(self, at: int, scope: LineScope) -> None:
        """Read the value of a label alone in its line."""
        names = scope.fields
        if not names or self._in_cells(at, names):
            return
        row = self._rows[at]
        # The line after a word of the menu is arbitrary, not a value.
        is_sure = ":" in row.text or row.line.block.tag in HEADING_TAGS
        below = self._below(at, names, any_text=is_sure)
        above = self._above(at, names)
        nearness = self._neighbours.nearness
        # As near as the line below, and of no other label: on this page, labels follow their values.
        if above is not None and (below is None or nearness(at, above) >= nearness(at, below)):
            self._take_row(above, names, how.LINE_BEFORE)
        elif below is not None:
            self._take_row(below, names, how.NEXT_LINE, any_text=is_sure)
            while self._goes_on(below, names):
                below += 1
                self._take_row(below, names, how.NEXT_LINE)

    def _goes_on(self, at: int, names: Sequence[str]) -> bool:
        """Return whether the line below contains only further values."""
        if at + 1 >= len(self._rows) or self._rows[at + 1].has_label:
            return False
        if not is_adjacent(self._rows, at + 1):
            return False
        return self._fields[names[0]].type in CONTINUED and any(
            is_all(values, scope, self._rows[at + 1])
            for _, scope, values in self._values_of_row(at + 1, names, labelled=False)
        )

    def _in_cells(self, at: int, names: Sequence[str]) -> bool:
        for lines in self._neighbours.cells_of_value(at):
            taken = [self._take_row(line, names, how.NEXT_CELL, any_text=True) for line in lines]
            if any(taken):
                return True
        return False

    def _below(self, at: int, names: Sequence[str], *, any_text: bool) -> int | None:
        far = all(self._fields[name].type in NEAR_ONLY for name in names)
        seen = 0
        for other in range(at + 1, min(at + 1 + _LINES_BELOW, len(self._rows))):
            row = self._rows[other]
            if self._values_of_row(other, names, any_text=any_text):
                return other
            own = row.scopes[0].fields
            if row.has_label and not (set(own) & set(names)):
                return None
            seen += not row.has_label
            if seen > (0 if far else 1):
                return None
        return None

    def _above(self, at: int, names: Sequence[str]) -> int | None:
        # The line before a term is the definition of another.
        if at == 0 or self._rows[at - 1].taken or self._rows[at].line.block.tag == "dt":
            return None
        if any(scope.label for scope in self._rows[at - 1].scopes):
            return None
        # A value after one of another label belongs to that label as well.
        if at > 1 and not self._rows[at - 2].has_label and self._rows[at - 2].taken:
            return None
        # Nor may it belong to a label above: 外贸部: / 0571-88001234 / 传真:.
        if at > 1 and self._rows[at - 2].text.rstrip().endswith(":"):
            return None
        strict = [n for n in names if self._fields[n].type is not FieldType.TEXT]
        if self._values_of_row(at - 1, strict, labelled=False):
            return at - 1
        numbers = [n for n in strict if self._fields[n].type not in NEAR_ONLY]
        alone = self._values_of_row(at - 1, numbers)
        return at - 1 if any(is_all(v, s, self._rows[at - 1]) for _, s, v in alone) else None

    def _values_of_row(
        self, at: int, names: Sequence[str], *, labelled: bool = True, any_text: bool = False
    ) -> list[tuple[str, LineScope, list[PlacedValue]]]:
        """Return the values of the fields in a line without a label."""
        row = self._rows[at]
        if row.taken or not row.scopes[0].is_free:
            return []
        return [
            (name, scope, values)
            for scope in row.scopes
            if scope.is_free and not row.is_form(scope)
            for name in names
            if (
                values := self._collector.fitting(
                    name, row.rest(scope), labelled=labelled, any_text=any_text
                )
            )
        ]

    def _take_row(
        self, at: int, names: Sequence[str], sure: float, *, any_text: bool = False
    ) -> bool:
        taken = self._values_of_row(at, names, any_text=any_text)
        for name, scope, values in taken:
            self._collector.take(name, at, scope, values, sure)
        return bool(taken)


def _is_label_alone(row: PageRow) -> bool:
    """Return whether a line consists of a label only, of a field or not."""
    last = row.scopes[-1]
    if last.label is None or last.label.start > _MOST_BEFORE or row.taken or not row.is_blank(last):
        return False
    return bool(last.fields) or row.text.rstrip().endswith(":")


_NEAR_LABEL = 3
# Contact data of the site's maker, not of the firm: 本站由某网络设计制作 电话:.
_MADE_BY = re.compile(r"由.{2,24}(?:设计|制作|建设|开发|承建|维护|技术支持)")


def labelled_values(
    rows: Sequence[PageRow], fields: Mapping[str, ExtractionField], labels: Labels
) -> list[ValueCandidate]:
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

    def within(self, at: int, row: PageRow) -> Iterator[LineScope]:
        """Read the scopes of a line; yield those whose value is in another line."""
        first = row.scopes[0]
        own, makers = set[str](), bool(_MADE_BY.search(row.text[first.start : first.end]))
        for scope in row.scopes:
            if scope.label is None or scope.label.kind is LabelKind.OTHER:
                continue
            makers = makers or scope.label.kind is LabelKind.MAKER
            if makers and (not own or own & set(scope.fields)):
                # The maker of the site also gives a telephone number.
                row.taken.append((scope.start, scope.end))
                continue
            own |= set(scope.fields)
            if row.is_blank(scope):
                if self._before(at, row, scope):
                    continue
                # 电话： 地址：某路: a label directly followed by another has no value.
                if scope is row.scopes[-1] and scope.label.kind is not LabelKind.MAKER:
                    yield scope
                continue
            sure = how.OPEN_LABEL if scope.label.is_open else how.SAME_LINE
            for name in scope.fields:
                self.collector.take(name, at, scope, self._values(name, row, scope), sure)

    def _before(self, at: int, row: PageRow, scope: LineScope) -> bool:
        """Read the value before the label at the end of a line: 0571-88001235 传真."""
        first = row.scopes[0]
        if len(row.scopes) != 2 or scope is first or first.label or row.text.rstrip().endswith(":"):
            return False
        for name in scope.fields:
            values = self.collector.fitting(name, row.line.text[: first.end], labelled=True)
            if values and is_all(values, first, row):
                self.collector.take(name, at, first, values, how.LINE_BEFORE)
        return bool(row.taken)

    def _values(self, name: str, row: PageRow, scope: LineScope) -> list[PlacedValue]:
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

    def _join(self, before: ValueCandidate, row: PageRow) -> None:
        if value := joined_address(before.found.value, row.line.text):
            found = before.found._replace(value=value, key=folded(value))
            raw = f"{before.raw}\n{row.line.text.strip()}"
            longer = before._replace(found=found, raw=raw, row=before.row + 1)
            self.collector.replace_last(before.row, longer)
            row.taken.append((0, len(row.text)))


def _linked_sites(row: PageRow, scope: LineScope) -> list[PlacedValue]:
    """Return the sites that a scope links to with other words as the anchor: 网址：点击访问."""
    return [
        PlacedValue(start - scope.start, end - scope.start, *site[2:])
        for start, end, href in row.line.links
        if scope.start <= start <= scope.start + _NEAR_LABEL
        for site in web_addresses(href)
    ]
