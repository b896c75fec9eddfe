"""Lines split at their labels into scopes, with the values extracted from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from focuscrawl.templates.extraction.labels.label_icons import INPUT
from focuscrawl.templates.extraction.labels.label_words import Kind, Label, Labels
from focuscrawl.templates.extraction.lines.page_blocks import Place
from focuscrawl.templates.extraction.lines.page_lines import Line
from focuscrawl.templates.extraction.values.found_value import Found
from focuscrawl.templates.width_folding import fold

TAKEN = "\ue90f"
"""Replacement of each character already extracted, in the result of :meth:`Row.rest`."""
TAKEN_RUN = re.compile(f"{TAKEN}+")
CODE_AT_TAKEN = re.compile(
    rf"{TAKEN}[\s,，(（\[/-]{{0,4}}([0-8]\d{{5}})(?![\d-])|(?<!\d)([0-8]\d{{5}})[\s,，]{{1,3}}{TAKEN}"
)
"""A postcode directly before or after a value, in the result of :meth:`Row.rest`."""
_TEXT_OF_LABEL = 100  # characters
_AROUND = 120
_LOOSEST = 0.6
_MOST_LABELS = 100  # per line
_HIDDEN = 0.7


@dataclass(slots=True)
class Scope:
    """Part of a line from ``start`` to ``end``, behind ``label``; None before the first label."""

    label: Label | None
    start: int
    end: int

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields of the label."""
        return self.label.fields if self.label else ()

    @property
    def is_free(self) -> bool:
        """Return whether the label assigns the text neither to a field nor to none."""
        return self.label is None or self.label.kind is Kind.OTHER


@dataclass(slots=True)
class Row:
    """A line, its scopes, and the spans of values extracted from it (``taken``)."""

    line: Line
    text: str
    scopes: list[Scope]
    taken: list[tuple[int, int]] = field(default_factory=list)
    labelled: int = 0
    values: int = 0

    @property
    def has_label(self) -> bool:
        """Return whether the line has a label, of a field or of other data."""
        return any(not scope.is_free for scope in self.scopes)

    def density(self, part: Scope) -> float:
        """Return 1 for a scope among many labels, less in a long text with few of them."""
        first, last = max(0, part.start - _AROUND), min(len(self.text), part.end + _AROUND)
        labels = sum(bool(s.fields) and first <= s.start <= last for s in self.scopes)
        return max(_LOOSEST, min(1.0, max(labels, 1) * _TEXT_OF_LABEL / max(last - first, 1)))

    @property
    def visibility(self) -> float:
        """Return 1 for a visible line, less for a hidden one, which may be spam or may unfold."""
        return _HIDDEN if self.line.block.place is Place.HIDDEN else 1.0

    def is_blank(self, scope: Scope) -> bool:
        """Return whether a scope contains neither text nor an input field."""
        text = self.text[scope.start : scope.end]
        return INPUT not in text and not any(map(str.isalnum, text))

    def is_form(self, scope: Scope) -> bool:
        """Return whether a scope contains an input field."""
        return INPUT in self.text[scope.start : scope.end]

    def rest(self, scope: Scope) -> str:
        """Return the printed text of a scope with extracted values masked by ``TAKEN``."""
        text = self.line.text[scope.start : scope.end]
        if not self.taken:
            return text
        letters = list(text)
        for start, end in self.taken:
            a, b = max(start - scope.start, 0), min(end, scope.end) - scope.start
            if a < b:
                letters[a:b] = TAKEN * (b - a)
        return "".join(letters)

    def take(self, scope: Scope, values: Sequence[Found]) -> None:
        """Mark the values, with offsets relative to ``scope``, as extracted."""
        self.taken += [(scope.start + v.start, scope.start + v.end) for v in values]


def rows_of(lines: Sequence[Line], labels: Labels) -> list[Row]:
    """Return the lines with their scopes."""
    rows = []
    for line in lines:
        text = fold(line.text)
        rows.append(Row(line, text, _scopes(text, labels.find(text)[:_MOST_LABELS])))
    return rows


def _scopes(text: str, labels: Sequence[Label]) -> list[Scope]:
    scopes = []
    first = labels[0].start if labels else len(text)
    if first or not labels:
        scopes.append(Scope(None, 0, first))
    for at, label in enumerate(labels):
        end = labels[at + 1].start if at + 1 < len(labels) else len(text)
        scopes.append(Scope(label, label.end, end))
    return scopes
