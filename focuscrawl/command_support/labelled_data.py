"""Labelled links, output folder and progress bar of the commands that train and evaluate."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.command_support.option_types import recordings
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from rich.progress import Progress

    from focuscrawl.evaluation.datasets.labelled_dataset import DataSet
    from focuscrawl.topics import Topic


def add_source_options(group: argparse._ArgumentGroup) -> None:
    """Add ``--labels``, ``--recorded`` and ``--truth``."""
    group.add_argument(
        "--labels", type=Path, metavar="FILE",
        help="labelled links (default: labels-TOPIC.sqlite in the data folder)",
    )  # fmt: skip
    group.add_argument(
        "--recorded", type=recordings, metavar="WARC",
        help="a recorded web, in place of --labels: one or several files, comma-separated",
    )  # fmt: skip
    group.add_argument(
        "--truth", type=Path, metavar="CSV",
        help="with --recorded: relevance of its pages, columns url and relevant (0 or 1)",
    )  # fmt: skip


def check_sources(opts: argparse.Namespace) -> None:
    """Raise :class:`ArgumentError` for options that contradict each other."""
    if bool(opts.recorded) != bool(opts.truth) or (opts.labels and opts.recorded):
        raise ArgumentError("give --labels FILE, or --recorded WARC together with --truth CSV")


def labelled_data(
    topic: Topic, opts: argparse.Namespace, folder: Path, shown: PhaseProgress
) -> tuple[DataSet, str]:
    """Return the labelled links and pages, and a line about their source.

    ``folder`` is that of setting ``FOCUSCRAWL_DATA``.
    """
    from focuscrawl.evaluation.datasets.labelled_dataset import data_set

    if opts.recorded:
        from focuscrawl.evaluation.datasets.recorded_web_labels import read_recorded_web

        names = ", ".join(path.name for path in opts.recorded)
        shown.stretch(f"reading {names}")
        web = read_recorded_web(opts.recorded, opts.truth, step=shown.step)
        return web.data_set(), f"{names}: {web}"
    from focuscrawl.labelling.label_store import LabelStore

    path = opts.labels or folder / f"labels-{topic.name}.sqlite"
    with closing(LabelStore(path)) as store:
        if store.topic != topic.name:
            raise ArgumentError(
                f"{path} has labels of topic {store.topic!r}, not of {topic.name!r}; give that topic"
            )
        return data_set(store.links(), store.pages()), f"{path.name} (labels={store.labels})"


class PhaseProgress:
    """Progress bar on standard error, if that is a terminal, for one phase of work after another."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def stretch(self, what: str, total: int | None = None) -> None:
        """Start a phase of ``total`` steps, None if their number is unknown."""
        self._progress.reset(self._task, description=what, total=total)

    def show(self, what: str, done: int, total: int) -> None:
        """Show ``done`` of ``total`` steps of a phase."""
        self._progress.update(self._task, description=what, completed=done, total=total)

    def step(self, what: str = "") -> None:
        """Count one more step; ``what`` is shown as its description."""
        self._progress.advance(self._task)
        if what:
            self._progress.update(self._task, description=what)


@contextmanager
def shown_progress() -> Iterator[PhaseProgress]:
    """Show a progress bar inside the context."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        yield PhaseProgress(bar)
