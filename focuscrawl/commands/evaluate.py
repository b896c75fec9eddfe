"""``scrapy evaluate``: evaluation of a link classifier on labelled links, of the price reader on labelled texts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.labelled_data import (
    add_source_options,
    check_sources,
    labelled_data,
    shown_progress,
)
from focuscrawl.command_support.option_types import names_of, out_folder, whole_number
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.errors import ArgumentError
from focuscrawl.system.package_extras import require_extra

if TYPE_CHECKING:
    from focuscrawl.evaluation.links.link_experiments import ExperimentPlan

_ALGORITHMS = ("nb", "logistic", "svm")
_DEFAULT = ",".join(_ALGORITHMS)
_PRICES = "prices"  # in place of a topic


class Command(PlainCommand):
    """Trains and evaluates on labelled links, prints the tables, writes them and plots to a folder."""

    usage = (
        "TOPIC [--labels FILE | --recorded WARC --truth CSV] [--out FOLDER]"
        " | prices TEXTS.jsonl LABELS.csv ... [--out FOLDER]"
    )
    summary = "Measure the link classifier of a topic on labelled links"
    explanation = (
        f"{summary}: feature groups, training on links against training on pages, other"
        " classifiers, calibration, relative entropy, speed. The links come from a file that"
        " scrapy crawl labels wrote, or from a recorded web with the relevance of its pages."
        " scrapy evaluate prices measures the price reader on labelled texts, in folds by site."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        group = parser.add_argument_group("Evaluation")
        add_source_options(group)
        add = group.add_argument
        add("--folds", type=whole_number(2, 20), default=5, metavar="N",
            help="number of cross-validation folds (default: 5)")  # fmt: skip
        add("--split", default="host", choices=("host", "link"),
            help="unit that is held out: all links to a host, or single links (default: host)")  # fmt: skip
        add("--algorithms", type=names_of(_ALGORITHMS), default=_DEFAULT, metavar="NAMES",
            help=f"algorithms to compare, beginning with the topic's own (default: {_DEFAULT})")  # fmt: skip
        add("--seed", type=whole_number(0, 2**32 - 1), default=0, metavar="N",
            help="random seed of the splits (default: 0)")  # fmt: skip
        add("--out", type=Path, metavar="FOLDER",
            help="folder for the tables (CSV) and plots (PNG)")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Evaluate and print the tables."""
        if args[:1] == [_PRICES]:
            _run_prices(args[1:], opts)
        else:
            _run(args, opts, settings)


def _run_prices(files: list[str], opts: argparse.Namespace) -> None:
    from focuscrawl.evaluation.prices.price_evaluation import evaluate, texts_in

    texts = texts_in(files)
    folder = out_folder(opts.out) if opts.out else None
    tables = evaluate(texts, opts.folds, opts.seed)
    print("\n\n".join(table.as_text() for table in tables))
    if folder:
        written = [table.write(folder) for table in tables]
        print(f"\n{len(written)} files in {folder}")


def _run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    if len(args) != 1:
        raise ArgumentError("name one topic: scrapy evaluate machine-learning")
    check_sources(opts)
    # Imported here: Scrapy loads this module for every command, and scikit-learn takes a second to load.
    from focuscrawl.evaluation.links.contenders import Setup
    from focuscrawl.evaluation.links.evaluation_report import draw, tables_of
    from focuscrawl.evaluation.links.link_experiments import run
    from focuscrawl.topics import load_topic

    add_defaults(settings)
    plan = _plan(opts)
    topic = load_topic(args[0], Path(settings["FOCUSCRAWL_TOPICS"]))
    if opts.out:
        require_extra("lab")
    folder = out_folder(opts.out) if opts.out else None
    with shown_progress() as shown:
        data, source = labelled_data(topic, opts, Path(settings["FOCUSCRAWL_DATA"]), shown)
        shown.stretch("training and judging", plan.trainings())
        results = run(data, Setup(topic), plan, shown.step)
    tables = tables_of(results)
    print("\n\n".join([source, *(table.as_text() for table in tables)]))
    if folder:
        written = [*(table.write(folder) for table in tables), *draw(results, folder)]
        print(f"\n{len(written)} files in {folder}")


def _plan(opts: argparse.Namespace) -> ExperimentPlan:
    from focuscrawl.evaluation.datasets.labelled_dataset import SplitBy
    from focuscrawl.evaluation.links.link_experiments import ExperimentPlan

    return ExperimentPlan(opts.folds, SplitBy(opts.split), opts.algorithms, opts.seed)
