"""A line in parts, each the text behind one label, and the values that have been read from it."""

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
"""Stands for each character that has been read already, in what :meth:`Row.rest` returns."""
TAKEN_RUN = re.compile(f"{TAKEN}+")
CODE_AT_TAKEN = re.compile(
    rf"{TAKEN}[\s,，(（\[]{{0,4}}([0-8]\d{{5}})(?![\d-])|(?<!\d)([0-8]\d{{5}})[\s,，]{{1,3}}{TAKEN}"
)
"""A postcode right behind a value, or right before it, in what :meth:`Row.rest` returns."""
_TEXT_OF_LABEL = 100  # characters
_AROUND = 120
_LOOSEST = 0.6
_MOST_LABELS = 100  # of a line
_HIDDEN = 0.7


@dataclass(slots=True)
class Scope:
    """``text[start:end]`` of a line stands behind ``label``, or before the first one."""

    label: Label | None
    start: int
    end: int

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields that the label is of."""
        return self.label.fields if self.label else ()

    @property
    def is_free(self) -> bool:
        """Whether no label says of what field the text is, nor that it is of none."""
        return self.label is None or self.label.kind is Kind.OTHER


@dataclass(slots=True)
class Row:
    """A line, its parts, and which of its characters belong to values that were read."""

    line: Line
    text: str
    scopes: list[Scope]
    taken: list[tuple[int, int]] = field(default_factory=list)
    labelled: int = 0
    values: int = 0

    @property
    def has_label(self) -> bool:
        """Whether a label of a field, or of what is none, stands in the line."""
        return any(not scope.is_free for scope in self.scopes)

    def density(self, part: Scope) -> float:
        """Return 1 for a part of a text full of labels, less where a long text has few of them."""
        first, last = max(0, part.start - _AROUND), min(len(self.text), part.end + _AROUND)
        labels = sum(bool(s.fields) and first <= s.start <= last for s in self.scopes)
        return max(_LOOSEST, min(1.0, max(labels, 1) * _TEXT_OF_LABEL / max(last - first, 1)))

    @property
    def visibility(self) -> float:
        """Return 1 for a line that a reader sees, less for one that may be spam, or may unfold."""
        return _HIDDEN if self.line.block.place is Place.HIDDEN else 1.0

    def is_blank(self, scope: Scope) -> bool:
        """Whether a part holds no text; where the visitor is to type is no blank."""
        text = self.text[scope.start : scope.end]
        return INPUT not in text and not any(map(str.isalnum, text))

    def is_form(self, scope: Scope) -> bool:
        """Whether the visitor is to fill in what the label asks for."""
        return INPUT in self.text[scope.start : scope.end]

    def rest(self, scope: Scope) -> str:
        """Return the printed text of a part with what has been read blotted out."""
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
        """Mark the values, whose places count from the begin of ``scope``, as read."""
        self.taken += [(scope.start + v.start, scope.start + v.end) for v in values]


def rows_of(lines: Sequence[Line], labels: Labels) -> list[Row]:
    """Return the lines with their parts."""
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
