"""Plots of the results as PNG files; matplotlib is imported when the first one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sklearn.metrics import precision_recall_curve

from focuscrawl.evaluation.bootstrap_intervals import Interval
from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.evaluation.links.calibration_curve import ReliabilityRow
from focuscrawl.system.picture_files import saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    return saved(figure, path)


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
    return saved(figure, path)


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
    return saved(figure, path)


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
