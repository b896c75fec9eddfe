"""Values behind their labels: in the same line, the next cell, the line below or the one above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from focuscrawl.templates import candidates as how
from focuscrawl.templates.address_lines import HAS_STREET, joined_address
from focuscrawl.templates.addresses import looks_like_address
from focuscrawl.templates.candidates import Candidate
from focuscrawl.templates.found import Found
from focuscrawl.templates.labels import Kind, Labels
from focuscrawl.templates.neighbours import Neighbours
from focuscrawl.templates.page_blocks import HEADING_TAGS
from focuscrawl.templates.readers import read_typed
from focuscrawl.templates.scopes import Row, Scope
from focuscrawl.templates.spans import folded
from focuscrawl.templates.template import ExtractionField, FieldType
from focuscrawl.templates.web_addresses import web_addresses

_BARE_NUMBERS = frozenset({FieldType.PHONE})
_ELECTRONIC = frozenset({FieldType.EMAIL, FieldType.URL})
_BESIDE_LABEL = 3
_LINES_BELOW = 4
_MOST_COLUMNS = 8
_LONGEST_BESIDE = 120
_LIKE_ADDRESS = 0.2
_GOING_ON = frozenset({FieldType.PHONE, FieldType.EMAIL, FieldType.QQ})
# Any text may be one of these: a line further away is hardly it.
_NEAR_ONLY = frozenset({FieldType.TEXT, FieldType.ORGANISATION, FieldType.ADDRESS})


class LabelledValues:
    """Reads what labels stand for, and marks it in the rows as read."""

    def __init__(
        self, rows: Sequence[Row], fields: Mapping[str, ExtractionField], labels: Labels
    ) -> None:
        self.rows = rows
        self.fields = fields
        self.neighbours = Neighbours(rows)
        self.labels = labels
        self.found: list[Candidate] = []
        self._last_of_row: dict[int, Candidate] = {}

    def read(self) -> list[Candidate]:
        """Return the values of all labels, those within a line first."""
        pending: list[tuple[int, Scope]] = []
        for at, row in enumerate(self.rows):
            pending += [(at, scope) for scope in self._within(at, row)]
        paired = self._in_columns(pending)
        for at, scope in pending:
            if at not in paired:
                self._elsewhere(at, scope)
        for at in range(len(self.rows)):
            self._going_on(at)
        return self.found

    def _within(self, at: int, row: Row) -> Iterator[Scope]:
        """Read the parts of a line; yield those whose value stands elsewhere."""
        own, makers = set[str](), False
        for scope in row.scopes:
            if scope.label is None or scope.label.kind is Kind.OTHER:
                continue
            makers = makers or scope.label.kind is Kind.MAKER
            if makers and (not own or own & set(scope.fields)):
                # Who made the site has a telephone, too.
                row.taken.append((scope.start, scope.end))
                continue
            own |= set(scope.fields)
            if row.is_blank(scope):
                # 电话： 地址：某路: what another label follows has no value.
                if scope is row.scopes[-1] and scope.label.kind is not Kind.MAKER:
                    yield scope
                continue
            sure = how.OPEN_LABEL if scope.label.is_open else how.SAME_LINE
            for name in scope.fields:
                self._take(name, at, scope, self._values(name, row, scope), sure)

    def _values(self, name: str, row: Row, scope: Scope) -> list[Found]:
        kind = self.fields[name].type
        is_open = scope.label is not None and scope.label.is_open
        text = row.line.text[scope.start : scope.end]
        if is_open and kind in _NEAR_ONLY:
            # Without a colon, only the looks of the value tell that the word before is a label.
            is_word = len(row.text[: scope.start].split()[-1]) > 1
            values = self._fitting(name, text, labelled=kind is FieldType.ADDRESS and is_word)
            return [value for value in values if not text[: value.start].strip()]
        values = read_typed(kind, text, labelled=True)
        return values or (_linked_sites(row, scope) if kind is FieldType.URL else [])

    def _take(
        self, name: str, at: int, scope: Scope, values: Sequence[Found], sure: float
    ) -> list[Candidate]:
        row = self.rows[at]
        text = row.line.text[scope.start : scope.end]
        if self.fields[name].type not in _ELECTRONIC:
            sure *= row.density(scope)
        sure *= row.visibility
        made = [
            Candidate(
                own,
                value,
                text[value.start : value.end].strip() or value.value,
                at,
                sure * value.sure,
            )
            for value in values
            for own in self._names(name, row, scope.start + value.end)
        ]
        row.take(scope, values)
        row.labelled += bool(made)
        self.found += made
        if made:
            self._last_of_row[at] = made[-1]
        return made

    def _names(self, name: str, row: Row, end: int) -> tuple[str, ...]:
        """Return the fields of a value that ends there: brackets behind it count before labels."""
        behind = self.labels.behind(row.text, end)
        same = [own for own in behind if self.fields[own].type is self.fields[name].type]
        added = [o for o in self.labels.added(row.text, end) if o not in (*same, name)]
        return (*(same or [name]), *added)

    def _in_columns(self, pending: Sequence[tuple[int, Scope]]) -> set[int]:
        """Read values that follow their labels all together; return the rows of these labels."""
        done: set[int] = set()
        for first in range(len(pending)):
            at = pending[first][0]
            labels = [
                scope.fields
                for n, (row, scope) in enumerate(pending[first : first + _MOST_COLUMNS])
                if row == at + n
            ]
            if at in done or len(labels) < 2 or len(set(labels)) < len(labels) or () in labels:
                continue
            below = range(at + len(labels), at + 2 * len(labels))
            if below.stop <= len(self.rows) and all(
                not self.rows[row].has_label and self._values_of_row(row, names)
                for row, names in zip(below, labels, strict=True)
            ):
                for row, names in zip(below, labels, strict=True):
                    self._take_row(row, names, how.NEXT_LINE)
                done.update(range(at, below.start))
        return done

    def _elsewhere(self, at: int, scope: Scope) -> None:
        """Read the value of a label that stands alone."""
        names = scope.fields
        if not names or self._in_cells(at, names):
            return
        row = self.rows[at]
        if ":" not in row.text and row.line.block.tag not in HEADING_TAGS:
            # Any line follows a word of the menu; it is no value.
            names = tuple(n for n in names if self.fields[n].type is not FieldType.TEXT)
        below = self._below(at, names)
        above = self._above(at, names)
        nearness = self.neighbours.nearness
        # As near as the one below, and nobody else's: on this page, labels follow their values.
        if above is not None and (below is None or nearness(at, above) >= nearness(at, below)):
            self._take_row(above, names, how.LINE_BEFORE)
        elif below is not None:
            self._take_row(below, names, how.NEXT_LINE)
            while self._goes_on(below, names):
                below += 1
                self._take_row(below, names, how.NEXT_LINE)

    def _goes_on(self, at: int, names: Sequence[str]) -> bool:
        """Whether the line below holds nothing but further values."""
        if at + 1 >= len(self.rows) or self.rows[at + 1].has_label:
            return False
        if not self._is_beside(at + 1):
            return False
        return self.fields[names[0]].type in _GOING_ON and any(
            _is_all(values, scope, self.rows[at + 1])
            for _, scope, values in self._values_of_row(at + 1, names, labelled=False)
        )

    def _is_beside(self, at: int) -> bool:
        """Whether a line is in the same element as the one before, or in the next one like it."""
        here, before = self.rows[at].line.block, self.rows[at - 1].line.block
        return here is before or (here.parent is before.parent and here.tag == before.tag)

    def _in_cells(self, at: int, names: Sequence[str]) -> bool:
        lines = [line for cell in self.neighbours.cells_of_value(at) for line in cell]
        taken = [self._take_row(line, names, how.NEXT_CELL) for line in lines]
        return any(taken)

    def _below(self, at: int, names: Sequence[str]) -> int | None:
        far = all(self.fields[name].type in _NEAR_ONLY for name in names)
        seen = 0
        for other in range(at + 1, min(at + 1 + _LINES_BELOW, len(self.rows))):
            row = self.rows[other]
            if self._values_of_row(other, names):
                return other
            own = row.scopes[0].fields
            if row.has_label and not (set(own) & set(names)):
                return None
            seen += not row.has_label
            if seen > (0 if far else 1):
                return None
        return None

    def _above(self, at: int, names: Sequence[str]) -> int | None:
        if at == 0 or self.rows[at - 1].taken:
            return None
        if any(scope.label for scope in self.rows[at - 1].scopes):
            return None
        # What follows a value of another label is a further one of that.
        if at > 1 and not self.rows[at - 2].has_label and self.rows[at - 2].taken:
            return None
        strict = [n for n in names if self.fields[n].type is not FieldType.TEXT]
        return at - 1 if self._values_of_row(at - 1, strict, labelled=False) else None

    def _values_of_row(
        self, at: int, names: Sequence[str], *, labelled: bool = True
    ) -> list[tuple[str, Scope, list[Found]]]:
        """Return what a line without a label of its own holds of the fields."""
        row = self.rows[at]
        if row.taken or not row.scopes[0].is_free:
            return []
        return [
            (name, scope, values)
            for scope in row.scopes
            if scope.is_free and not row.is_form(scope)
            for name in names
            if (values := self._fitting(name, row.rest(scope), labelled=labelled))
        ]

    def _fitting(self, name: str, text: str, *, labelled: bool) -> list[Found]:
        kind = self.fields[name].type
        if len(text) > _LONGEST_BESIDE:
            return []
        if kind is FieldType.ADDRESS:
            values = read_typed(kind, text, labelled=False)
            if not values and labelled and looks_like_address(text) >= _LIKE_ADDRESS:
                values = read_typed(kind, text, labelled=True)
            return values
        # Beside words, a number that only a label could tell from others may be a date.
        alone = not any(c.isalpha() for c in text) or kind not in _BARE_NUMBERS
        return read_typed(kind, text, labelled=labelled and alone)

    def _take_row(self, at: int, names: Sequence[str], sure: float) -> bool:
        taken = self._values_of_row(at, names)
        for name, scope, values in taken:
            self._take(name, at, scope, values, sure)
        return bool(taken)

    def _join(self, before: Candidate, row: Row) -> None:
        if value := joined_address(before.found.value, row.line.text):
            found = before.found._replace(value=value, key=folded(value))
            raw = f"{before.raw}\n{row.line.text.strip()}"
            longer = before._replace(found=found, raw=raw, row=before.row + 1)
            self.found[self.found.index(before)] = longer
            self._last_of_row[before.row + 1] = longer
            row.taken.append((0, len(row.text)))

    def _going_on(self, at: int) -> None:
        """Read a line of nothing but values as going on with the label of the line before."""
        if at == 0 or self.rows[at].has_label or self.rows[at].taken:
            return
        before = self._last_of_row.get(at - 1)
        row = self.rows[at]
        if not before or not self._is_beside(at):
            return
        name = before.field
        is_same = row.line.block is self.rows[at - 1].line.block
        if self.fields[name].type is FieldType.ADDRESS and (
            is_same or not HAS_STREET.search(before.found.value)
        ):
            self._join(before, row)
        if not is_same:
            return
        if self.fields[name].type not in _GOING_ON:
            return
        scope = row.scopes[0]
        values = read_typed(self.fields[name].type, row.line.text, labelled=False)
        if values and _is_all(values, scope, row):
            self._take(name, at, scope, values, how.GOES_ON)


def _linked_sites(row: Row, scope: Scope) -> list[Found]:
    """Return the sites that a part of a line leads to with words: 网址：点击访问."""
    return [
        Found(start - scope.start, end - scope.start, *site[2:])
        for start, end, href in row.line.links
        if scope.start <= start <= scope.start + _BESIDE_LABEL
        for site in web_addresses(href)
    ]


def _is_all(values: Sequence[Found], scope: Scope, row: Row) -> bool:
    text = row.text[scope.start : scope.end]
    for value in reversed(values):
        text = text[: value.start] + text[value.end :]
    return not any(map(str.isalnum, text))
