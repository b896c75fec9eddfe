"""Tables of the accuracy of a price reader: by file, style, commodity and field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from focuscrawl.evaluation.classification_metrics import Bools, Floats, Interval, count_intervals
from focuscrawl.evaluation.prices.labelled_texts import FIELDS, LabelledText, normal
from focuscrawl.evaluation.prices.quote_matching import Matching, matching
from focuscrawl.evaluation.result_tables import Cell, ResultTable
from focuscrawl.items import Quote

_LEAST_LABELS = 10  # of a commodity, for a row of its own
_QUALITY = ("quotes", "precision", "recall", "F1", "wrong price", "spurious", "missed")


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A labelled text with what a reader read in it."""

    text: LabelledText
    quotes: Sequence[Quote]
    outcome: Matching

    @classmethod
    def of(cls, text: LabelledText, quotes: Sequence[Quote]) -> JudgedText:
        """Match the quotes of a text with its labels."""
        return cls(text, quotes, matching(quotes, text.labels))


def tables_of(judged: Sequence[JudgedText], reader: str) -> list[ResultTable]:
    """Return the tables of one reader; intervals are a bootstrap over sites."""
    return [
        _table(
            "files",
            f"{reader}: all texts, by file",
            "file",
            _by(judged, lambda j: j.text.file),
            judged,
        ),
        _table(
            "styles", f"{reader}: by style", "style", _by(judged, lambda j: j.text.style or "-"), []
        ),
        _table("commodities", f"{reader}: by commodity", "commodity", _by_commodity(judged), []),
        _fields(judged, reader),
    ]


def comparison(readers: Mapping[str, Sequence[JudgedText]]) -> ResultTable:
    """Return the quality of several readers on the same texts, by style."""
    rows: list[list[Cell]] = []
    for name, judged in readers.items():
        rows.append([name, "all", *quality_row(judged)])
        groups = _by(judged, lambda j: j.text.style or "-")
        rows += [[name, style, *quality_row(each)] for style, each in groups.items()]
    title = "Readers on sites that the model has not seen"
    return ResultTable("prices-readers", title, ["reader", "style", *_QUALITY], rows)


def confidence_table(
    confidences: Floats, is_right: Bools, labels: int, thresholds: Sequence[float], note: str
) -> ResultTable:
    """Return precision above each threshold, and the share of all labelled quotes above it."""
    rows: list[list[Cell]] = []
    for threshold in thresholds:
        above = confidences >= threshold
        right = int(is_right[above].sum())
        precision = right / int(above.sum()) if above.any() else float("nan")
        rows.append([threshold, int(above.sum()), precision, right / max(labels, 1)])
    title = "Quotes at or above a confidence, on sites that the model has not seen"
    columns = ["confidence", "quotes", "precision", "recall"]
    return ResultTable("prices-confidence", title, columns, rows, note)


def _by(judged: Iterable[JudgedText], key: object) -> dict[str, list[JudgedText]]:
    groups: dict[str, list[JudgedText]] = defaultdict(list)
    for each in judged:
        groups[key(each)].append(each)  # type: ignore[operator]
    return dict(sorted(groups.items()))


def _by_commodity(judged: Sequence[JudgedText]) -> dict[str, list[JudgedText]]:
    """Return the texts with labels of each commodity, in which those of other goods are not scored."""
    groups: dict[str, list[JudgedText]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for each in judged:
        for goods in {label.commodity for label in each.text.labels if label.is_scored}:
            labels = [
                replace(label, is_scored=label.is_scored and label.commodity == goods)
                for label in each.text.labels
            ]
            counts[goods] += sum(label.is_scored for label in labels)
            groups[goods].append(JudgedText.of(replace(each.text, labels=labels), each.quotes))
    common = sorted(
        (g for g in groups if g and counts[g] >= _LEAST_LABELS), key=lambda g: -counts[g]
    )
    return {goods: groups[goods] for goods in common}


def _table(
    name: str,
    title: str,
    column: str,
    groups: Mapping[str, Sequence[JudgedText]],
    whole: Sequence[JudgedText],
) -> ResultTable:
    rows: list[list[Cell]] = [[key, *quality_row(each)] for key, each in groups.items()]
    if whole:
        rows.append(["all", *quality_row(whole)])
    return ResultTable(f"prices-{name}", title, [column, *_QUALITY], rows)


def quality_row(judged: Sequence[JudgedText]) -> list[Cell]:
    """Return the number of quotes, precision, recall, F1, and the errors by kind."""
    found = [each.outcome for each in judged]
    wrong, spurious, missed = (
        sum(len(getattr(outcome, kind)) for outcome in found)
        for kind in ("wrong", "spurious", "missed")
    )
    right = sum(len(outcome.pairs) for outcome in found)
    return [right + missed, *quality_of(judged), wrong, spurious, missed]


def quality_of(judged: Sequence[JudgedText]) -> list[Interval]:
    """Return precision, recall and F1 with their intervals."""
    sites: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for each in judged:
        outcome = each.outcome
        counts = (
            len(outcome.pairs),
            len(outcome.wrong) + len(outcome.spurious),
            len(outcome.missed),
        )
        for column, count in enumerate(counts):
            sites[each.text.site][column] += count
    return count_intervals(np.array(list(sites.values()), dtype=np.float64))


def _fields(judged: Sequence[JudgedText], reader: str) -> ResultTable:
    """Return the agreement of each field on matched quotes, by file."""
    pairs: dict[str, list[tuple[Mapping[str, str], Mapping[str, str]]]] = defaultdict(list)
    for each in judged:
        pairs[each.text.file] += [(r.fields, label.fields) for r, label in each.outcome.pairs]
    rows: list[list[Cell]] = []
    for file, found in sorted(pairs.items()):
        shares = []
        for name in FIELDS:
            both = [(normal(r[name]), normal(t[name])) for r, t in found if name in t]
            shares.append(sum(a == b for a, b in both) / len(both) if both else float("nan"))
        rows.append([file, len(found), *shares])
    return ResultTable("prices-fields", f"{reader}: agreement of the fields of matched quotes",
                 ["file", "matched", *FIELDS], rows)  # fmt: skip
