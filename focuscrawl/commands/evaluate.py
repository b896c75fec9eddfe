"""``scrapy evaluate``: how good the link classifier of a topic is on labelled links."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.labelled_data import (
    add_source_options,
    check_sources,
    labelled_data,
    made_folder,
    shown_progress,
)
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.evaluation.links.link_experiments import Plan

ADD_ON = "focuscrawl.addon.FocuscrawlAddon"
_ALGORITHMS = "nb,logistic,svm"


class Command(PlainCommand):
    """Trains and judges on labelled links, prints the tables, writes them and pictures to a folder."""

    requires_project = False

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "TOPIC [--labels FILE | --recorded WARC --truth CSV] [--out FOLDER]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Measure the link classifier of a topic on labelled links"

    def long_desc(self) -> str:
        """Return the text of ``scrapy evaluate -h``."""
        return (
            f"{self.short_desc()}: feature groups, training on links against training on pages, other"
            " classifiers, calibration, relative entropy, speed. The links come from a file that"
            " scrapy crawl labels wrote, or from a recorded web with the relevance of its pages."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        group = parser.add_argument_group("Evaluation")
        add_source_options(group)
        add = group.add_argument
        add("--folds", default="5", metavar="N",
            help="parts that are held out in turn (default: 5)")  # fmt: skip
        add("--split", default="host", metavar="host|link",
            help="what is held out together: all links to a host, or each link for itself (default: host)")  # fmt: skip
        add("--algorithms", default=_ALGORITHMS, metavar="NAMES",
            help=f"which to compare (default: {_ALGORITHMS}), the topic's own first")  # fmt: skip
        add("--seed", type=int, default=0, help="another seed, other splits (default: 0)")
        add("--out", type=Path, metavar="FOLDER",
            help="write the tables (CSV) and pictures (PNG) there")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Measure."""
        _run(args, opts, settings)


def _run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    if len(args) != 1:
        raise ArgumentError("name one topic: scrapy evaluate machine-learning")
    check_sources(opts)
    # Here: scrapy loads this module for every command, and scikit-learn takes a second to load.
    from focuscrawl.evaluation.links.contenders import Setup
    from focuscrawl.evaluation.links.evaluation_report import draw, tables_of
    from focuscrawl.evaluation.links.link_experiments import run
    from focuscrawl.topics import load_topic

    # Scrapy asks add-ons for their settings only when it makes a crawler.
    load_object(ADD_ON)().update_settings(settings)
    plan = _plan(opts)
    topic = load_topic(args[0], Path(settings["FOCUSCRAWL_TOPICS"]))
    folder = made_folder(opts.out) if opts.out else None
    with shown_progress() as shown:
        data, source = labelled_data(topic, opts, Path(settings["FOCUSCRAWL_DATA"]), shown)
        shown.stretch("training and judging", plan.trainings())
        results = run(data, Setup(topic), plan, shown.step)
    tables = tables_of(results)
    print("\n\n".join([source, *(table.as_text() for table in tables)]))
    if folder:
        written = [*(table.write(folder) for table in tables), *draw(results, folder)]
        print(f"\n{len(written)} files in {folder}")


def _plan(opts: argparse.Namespace) -> Plan:
    from focuscrawl.evaluation.datasets.host_splits import SplitBy
    from focuscrawl.evaluation.links.link_experiments import ALGORITHMS, Plan

    if opts.split not in list(SplitBy):
        raise ArgumentError(f"--split {opts.split!r} is none; choose host or link")
    names = [name.strip() for name in opts.algorithms.split(",") if name.strip()]
    if wrong := sorted({*names} - {*ALGORITHMS}):
        raise ArgumentError(
            f"there is no algorithm {wrong[0]!r}; choose from {', '.join(ALGORITHMS)}"
        )
    if not names or len({*names}) < len(names):
        raise ArgumentError(f"--algorithms {opts.algorithms!r} must name each once, like nb,svm")
    chosen = sorted((name for name in ALGORITHMS if name in names), key=names.index)
    if not 0 <= opts.seed < 2**32:
        raise ArgumentError(f"--seed {opts.seed} must be a number from 0 up to 4294967295")
    return Plan(_folds(opts.folds), SplitBy(opts.split), tuple(chosen), opts.seed)


def _folds(text: str) -> int:
    if not text.isdecimal() or not 2 <= int(text) <= 20:
        raise ArgumentError(f"--folds {text!r} must be a number from 2 to 20")
    return int(text)
