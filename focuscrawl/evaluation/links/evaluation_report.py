"""Tables and plots of the results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.metrics import precision_recall_curve

from focuscrawl.evaluation.classification_metrics import Bools, Floats, Interval
from focuscrawl.evaluation.links.classifier_contest import (
    Bins,
    HeldOut,
    ReliabilityRow,
    brier,
    calibration_error,
    reliability_table,
)
from focuscrawl.evaluation.links.link_experiments import AS_PUBLISHED, ExperimentResults
from focuscrawl.evaluation.result_tables import Cell, ResultTable, saved_figure
from focuscrawl.scoring.link_features import FeatureGroup

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Plots of the results as PNG files; matplotlib is imported when the first one is drawn.

_GREY = "0.6"


class Bar(NamedTuple):
    """One bar: its label, its length and the bounds of its error bar."""

    label: str
    value: Interval


def precision_recall(path: Path, title: str, labels: Bools, scores: Mapping[str, Floats]) -> Path:
    """Plot a precision-recall curve for each of the scores (n,), by name."""
    figure, axes = _figure(title, "Recall", "Precision")
    for name, values in scores.items():
        precision, recall, _ = precision_recall_curve(labels, values)
        # Steps, since precision and recall are undefined between two thresholds.
        axes.plot(recall, precision, label=name, linewidth=1.6, drawstyle="steps-post")
    axes.axhline(labels.mean(), color=_GREY, linestyle=":", label="chance")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    axes.legend(loc="lower left", framealpha=0.9)
    return saved_figure(figure, path)


def reliability(path: Path, title: str, curves: Mapping[str, Sequence[ReliabilityRow]]) -> Path:
    """Plot the share of relevant links against the probability, and the number of links per bin."""
    figure, (upper, lower) = _two_figures(title)
    upper.plot([0, 1], [0, 1], color=_GREY, linestyle=":", label="perfect")
    width = 0.8 / (15 * max(1, len(curves)))
    for number, (name, rows) in enumerate(curves.items()):
        line = upper.plot(
            [row.probability for row in rows],
            [row.relevant for row in rows],
            marker="o",
            markersize=4,
            label=name,
        )
        middles = [
            (row.low + row.high) / 2 + (number - len(curves) / 2 + 0.5) * width for row in rows
        ]
        lower.bar(middles, [row.links for row in rows], width=width, color=line[0].get_color())
    upper.set_ylabel("Share of relevant links")
    upper.set_ylim(-0.02, 1.02)
    upper.legend(loc="upper left", framealpha=0.9)
    lower.set_yscale("log")
    lower.set_ylabel("Links")
    lower.set_xlabel("Probability given")
    lower.set_xlim(0, 1)
    return saved_figure(figure, path)


def bars(path: Path, title: str, axis: str, values: Sequence[Bar]) -> Path:
    """Plot horizontal bars with error bars, the first on top."""
    figure, axes = _figure(title, axis, "", height=1.4 + 0.5 * len(values))
    rows = range(len(values))
    estimates = [bar.value.estimate for bar in values]
    whiskers = [
        [max(0.0, bar.value.estimate - bar.value.low) for bar in values],
        [max(0.0, bar.value.high - bar.value.estimate) for bar in values],
    ]
    axes.barh(rows, estimates, xerr=whiskers, capsize=4, color="#4878a8", height=0.6)
    axes.set_yticks(rows, [bar.label for bar in values])
    axes.invert_yaxis()
    for row, bar in enumerate(values):
        axes.annotate(
            f"{bar.value.estimate:.2f}",
            (max(bar.value.estimate, bar.value.high), row),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
        )
    axes.set_xlim(0, 1.12 * max(max(bar.value) for bar in values) or 1)
    axes.grid(axis="y", visible=False)
    return saved_figure(figure, path)


def _figure(title: str, x: str, y: str, height: float = 5.0) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    return figure, axes


def _two_figures(title: str) -> tuple[Figure, tuple[Axes, Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 7), layout="constrained")
    FigureCanvasAgg(figure)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    upper.set_title(title)
    for axes in (upper, lower):
        axes.grid(color="0.9")
        axes.set_axisbelow(True)
    return figure, (upper, lower)


Row = tuple[Cell, ...]
_QUALITY = ("precision", "recall", "F1", "F1 best", "average precision")
_HOW = (
    "Precision, recall, F1: links of probability >= 0.5; F1 best: at the threshold that is best on"
    " other links.\nGain: in average precision, on the same draws of hosts. [ ]: 95 % bootstrap interval by host."
)
_GROUPS = {
    FeatureGroup.ANCHOR: "1: words of the anchor",
    FeatureGroup.CONTEXT: "2: and of the context, lexicon",
    FeatureGroup.URL: "3: and of the URL, position",
}


def tables_of(results: ExperimentResults) -> list[ResultTable]:
    """Return all tables: data, tables 1 and 2, comparison, calibration, relative entropy, speed."""
    found = [_data(results), _table_1(results)]
    if results.page_trained:
        found.append(_table_2(results))
    found += [_comparison(results), _calibration(results)]
    if results.entropies:
        found.append(_entropy(results))
    return [*found, _speed(results)]


def draw(results: ExperimentResults, folder: Path) -> list[Path]:
    """Write the plots into the folder and return their paths."""
    own = results.own
    shown = [
        Bar(result.name, result.intervals(result.likely())["average_precision"])
        for result in results.contenders
    ]
    curves = {result.name: result.scores for result in results.contenders}
    tables = {
        "before calibration": reliability_table(own.labels, _logistic(own.scores)),
        "after calibration": reliability_table(own.labels, own.probabilities),
    }
    drawn = [
        bars(folder / "comparison.png", "Finding relevant links", "Average precision (95 % interval)", shown),
        precision_recall(folder / "precision-recall.png", "Finding relevant links", own.labels, curves),
        reliability(folder / "reliability.png", f"Reliability of {own.name}", tables),
    ]  # fmt: skip
    if results.entropies:
        drawn.append(_draw_entropy(results, folder / "entropy.png"))
    return drawn


def _data(results: ExperimentResults) -> ResultTable:
    data = results.data
    rows: list[Row] = [
        ("links", len(data.links), int(data.labels.sum()), float(data.labels.mean())),
        (
            "hosts linked to",
            len(set(data.hosts)),
            len({host for host, label in zip(data.hosts, data.labels, strict=True) if label}),
            math.nan,
        ),
    ]
    if data.pages:
        relevant = sum(page.label for page in data.pages)
        rows.append(("pages", len(data.pages), relevant, relevant / len(data.pages)))
    return ResultTable("data", "Labelled data", ("what", "number", "relevant", "share"), rows)


def _quality(result: HeldOut) -> tuple[Interval, ...]:
    at_half = result.intervals(result.likely())
    best = result.intervals(result.chosen)["f1"]
    return (
        at_half["precision"],
        at_half["recall"],
        at_half["f1"],
        best,
        at_half["average_precision"],
    )


def _gain(result: HeldOut, other: HeldOut) -> Cell:
    return math.nan if result is other else result.gain_over(other)


def _table_1(results: ExperimentResults) -> ResultTable:
    rows: list[Row] = [
        (
            protocol,
            _GROUPS[group],
            *_quality(result),
            _gain(result, results.groups[protocol, FeatureGroup.ANCHOR]),
        )
        for (protocol, group), result in results.groups.items()
    ]
    columns = ("split", "features", *_QUALITY, "gain over 1")
    return ResultTable("table1", "Table 1: features of the link classifier", columns, rows, _HOW)


def _table_2(results: ExperimentResults) -> ResultTable:
    folds = next(iter(results.groups))[0]
    learned_from = {result.name: result for result in results.page_trained} | {
        "links": results.groups[folds, FeatureGroup.CONTEXT],
        "links, with their URL": results.groups[folds, FeatureGroup.URL],
    }
    rows: list[Row] = [
        (name, *_quality(result), _gain(result, results.page_trained[0]))
        for name, result in learned_from.items()
    ]
    columns = ("trained on", *_QUALITY, "gain over pages")
    return ResultTable("table2", "Table 2: judging links by training data", columns, rows, _HOW)


def _comparison(results: ExperimentResults) -> ResultTable:
    own = results.own
    rows: list[Row] = [
        (result.name, *_quality(result), result.roc_auc(), _gain(own, result))
        for result in results.contenders
    ]
    columns = ("classifier", *_QUALITY, "ROC AUC", f"gain of {own.name} over it")
    return ResultTable("comparison", "Classifiers on the same held-out links", columns, rows, _HOW)


def _calibration(results: ExperimentResults) -> ResultTable:
    rows: list[Row] = []
    for result in results.contenders[1:]:
        before, after = _logistic(result.scores), result.probabilities
        rows.append(
            (
                result.name,
                calibration_error(result.labels, before),
                calibration_error(result.labels, after),
                calibration_error(result.labels, after, by=Bins.MASS),
                brier(result.labels, before),
                brier(result.labels, after),
            )
        )
    columns = (
        "classifier", "ECE before", "ECE after", "ECE after, equal mass", "Brier before", "Brier after",
    )  # fmt: skip
    note = "ECE: expected calibration error, 15 bins. Before: the logistic function of the score."
    return ResultTable("calibration", "Calibration on held-out links", columns, rows, note)


def _entropy(results: ExperimentResults) -> ResultTable:
    rows: list[Row] = [
        (
            name,
            *(side.mean for side in table[:3]),
            max(side.deviation for side in table[:3]),
            table.words,
        )
        for name, table in results.entropies.items()
    ]
    columns = ("texts", "pages - contexts", "pages - pages", "contexts - contexts", "deviation <=", "words a side")  # fmt: skip
    note = (
        "Nats, mean of both directions and of 10 halvings; the same number of words on each side.\n"
        f"{AS_PUBLISHED}: shared words only, no smoothing, from pages to contexts; all words of each side."
    )
    return ResultTable("entropy", "Relative entropy of word distributions", columns, rows, note)


def _speed(results: ExperimentResults) -> ResultTable:
    rows: list[Row] = [(name, round(speed)) for name, speed in results.speeds.items()]
    note = "One core, batches of a hundred links, each judged for the first time."
    return ResultTable("speed", "Links judged per second", ("classifier", "links/s"), rows, note)


def _draw_entropy(results: ExperimentResults, path: Path) -> Path:
    shown = [
        Bar(
            f"{what}\n{name}",
            Interval(side.mean, side.mean - side.deviation, side.mean + side.deviation),
        )
        for name, table in results.entropies.items()
        if name.startswith("all")
        for what, side in zip(
            ("pages - contexts", "pages - pages", "contexts - contexts"), table[:3], strict=True
        )
    ]
    return bars(path, "Relative entropy of word distributions", "nats", shown)


def _logistic(scores: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -500, 500))))
