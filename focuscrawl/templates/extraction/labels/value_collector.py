"""Values collected from the rows of a page for the fields of their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.templates.extraction.labels.label_words import Labels
from focuscrawl.templates.extraction.lines.label_scopes import Row, Scope
from focuscrawl.templates.extraction.value_candidates import Candidate
from focuscrawl.templates.extraction.values.found_value import Found
from focuscrawl.templates.extraction.values.value_readers import read_typed
from focuscrawl.templates.names.postal_addresses import looks_like_address
from focuscrawl.templates.template_model import ExtractionField, FieldType

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
        self, rows: Sequence[Row], fields: Mapping[str, ExtractionField], labels: Labels
    ) -> None:
        self.rows = rows
        self.fields = fields
        self.labels = labels
        self.found: list[Candidate] = []
        self._last_of_row: dict[int, int] = {}  # places in found

    def last_of_row(self, at: int) -> Candidate | None:
        """Return the last value of a row, None if it has none."""
        place = self._last_of_row.get(at)
        return None if place is None else self.found[place]

    def replace_last(self, at: int, longer: Candidate) -> None:
        """Replace the last value of a row with one that ends in row ``longer.row``."""
        place = self._last_of_row[at]
        self.found[place] = longer
        self._last_of_row[longer.row] = place

    def take(self, name: str, at: int, scope: Scope, values: Sequence[Found], sure: float) -> None:
        """Keep the values of a scope of row ``at`` for field ``name``."""
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
            for own in self.labels.fields_at(name, row.text, scope.start + value.end)
        ]
        row.take(scope, values)
        row.labelled += bool(made)
        self.found += made
        if made:
            self._last_of_row[at] = len(self.found) - 1

    def fitting(
        self, name: str, text: str, *, labelled: bool, any_text: bool = False
    ) -> list[Found]:
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


def is_all(values: Sequence[Found], scope: Scope, row: Row) -> bool:
    """Return whether a scope contains only the values."""
    letters = list(row.text[scope.start : scope.end])
    for value in reversed(values):
        del letters[value.start : value.end]
    return not any(map(str.isalnum, letters))
