"""``scrapy train``: learn to score the links and to judge the pages of a topic."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from focuscrawl.commands._labelled import (
    add_source_options,
    check_sources,
    labelled_data,
    shown_progress,
)
from focuscrawl.errors import ArgumentError, ModelError
from focuscrawl.plain_command import PlainCommand

if TYPE_CHECKING:
    from focuscrawl.evaluation.dataset import DataSet
    from focuscrawl.evaluation.training import Trained
    from focuscrawl.links.classifier import LinkClassifier
    from focuscrawl.links.page_classifier import PageClassifier

ADD_ON = "focuscrawl.addon.FocuscrawlAddon"
CARD = "README.md"
_ALGORITHMS = ("nb", "logistic", "svm")
_GROUPS = ("1", "2", "3")


class Command(PlainCommand):
    """Trains on labelled links and pages; writes the models and a card that says how good they are."""

    requires_project = False
    stopped = "stopped; nothing was written"

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "TOPIC [--labels FILE | --recorded WARC --truth CSV] [--models FOLDER]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Train the link and page classifiers of a topic"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        group = parser.add_argument_group("Training")
        add_source_options(group)
        group.add_argument(
            "--algorithm", default="nb", metavar="NAME",
            help=f"of the link classifier: one of {', '.join(_ALGORITHMS)} (default: nb)",
        )  # fmt: skip
        group.add_argument(
            "--group", default="3", metavar="N",
            help="features of links: 1 anchor, 2 and context, 3 and URL (default: 3)",
        )  # fmt: skip
        group.add_argument(
            "--models", type=Path, metavar="FOLDER",
            help="where FOLDER/TOPIC is written (default: setting FOCUSCRAWL_MODELS)",
        )  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Train."""
        _run(args, opts, settings)


def _run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    _check(args, opts)
    # Here: scrapy loads this module for every command, and scikit-learn takes a second to load.
    from focuscrawl.evaluation.model_card import model_card
    from focuscrawl.evaluation.training import FOLDS, train_links, train_pages
    from focuscrawl.links.features import FeatureGroup
    from focuscrawl.topics import load_topic

    # Scrapy asks add-ons for their settings only when it makes a crawler.
    load_object(ADD_ON)().update_settings(settings)
    topic = load_topic(args[0], Path(settings["FOCUSCRAWL_TOPICS"]))
    with shown_progress() as shown:
        data, source = labelled_data(topic, opts, Path(settings["FOCUSCRAWL_DATA"]), shown)
        shown.stretch("training", 2 * (FOLDS + 1))
        group = FeatureGroup(int(opts.group))
        links = train_links(data, topic, opts.algorithm, group, shown.step)
        has_both = len({page.label for page in data.pages}) == 2
        pages = train_pages(data.pages, topic, shown.step) if has_both else None
    folder = Path(opts.models or settings["FOCUSCRAWL_MODELS"]) / topic.name
    card = model_card(topic, source, links, pages)
    _write(folder, topic.name, links, pages, card)
    _say(data, links, pages, folder)


def _check(args: list[str], opts: argparse.Namespace) -> None:
    if len(args) != 1:
        raise ArgumentError("name one topic: scrapy train finance")
    check_sources(opts)
    for option, known in (("algorithm", _ALGORITHMS), ("group", _GROUPS)):
        value = getattr(opts, option)
        if value not in known:
            raise ArgumentError(f"--{option} {value!r} is none; choose one of {', '.join(known)}")


def _write(
    folder: Path,
    topic: str,
    links: Trained[LinkClassifier],
    pages: Trained[PageClassifier] | None,
    card: str,
) -> None:
    from focuscrawl.links.model_files import PAGES_FILE, save_links, save_pages

    save_links(links.classifier, folder, topic, f"{links.examples} links")
    try:
        if pages:
            save_pages(pages.classifier, folder, topic, f"{pages.examples} pages")
        else:
            # One of an earlier training would not belong to these links.
            (folder / PAGES_FILE).unlink(missing_ok=True)
        (folder / CARD).write_text(card, encoding="utf-8")
    except OSError as error:
        raise ModelError(f"cannot write to {folder}: {error.strerror}; give another") from None


def _say(
    data: DataSet,
    links: Trained[LinkClassifier],
    pages: Trained[PageClassifier] | None,
    folder: Path,
) -> None:
    print(f"links: {links}{_quality(links)}")
    if pages:
        print(f"pages: {pages}{_quality(pages)}")
    else:
        print(
            f"pages: {len(data.pages)} with text, not of both labels; they go on being judged by"
            " the page rule of the topic"
        )
    print(f"models and their card: {folder.resolve()}")


def _quality(trained: Trained[LinkClassifier] | Trained[PageClassifier]) -> str:
    figures = trained.figures
    if figures is None:
        return "; too few hosts to say how good"
    return (
        f"; on hosts held out: F1 {figures.f1.estimate:.3f}, average precision"
        f" {figures.average_precision.estimate:.3f}, calibration error"
        f" {figures.calibration_error:.3f}"
    )
