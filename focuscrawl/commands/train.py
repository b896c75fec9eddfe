"""``scrapy train``: training of the link and page classifiers of a topic."""

from __future__ import annotations

import argparse
import sys
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
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.evaluation.datasets.labelled_dataset import DataSet
    from focuscrawl.evaluation.model_training import Trained
    from focuscrawl.scoring.harvest_estimate import ModelQuality
    from focuscrawl.scoring.link_classifier import LinkClassifier
    from focuscrawl.scoring.page_classifier import PageClassifier
    from focuscrawl.topics import Topic

CARD = "README.md"
_PRICES = "prices"  # in place of a topic
_ALGORITHMS = ("nb", "logistic", "svm")


class Command(PlainCommand):
    """Trains on labelled links and pages; writes the models and a model card with their quality."""

    stopped = "stopped; nothing was written"
    usage = (
        "TOPIC [--labels FILE | --recorded WARC --truth CSV] [--models FOLDER]"
        " | prices TEXTS.jsonl LABELS.csv ... [--models FOLDER]"
    )
    summary = "Train the link and page classifiers of a topic"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        group = parser.add_argument_group("Training")
        add_source_options(group)
        group.add_argument(
            "--algorithm", default="nb", choices=_ALGORITHMS,
            help="algorithm of the link classifier (default: nb)",
        )  # fmt: skip
        group.add_argument(
            "--group", type=int, default=3, choices=(1, 2, 3),
            help="features of links: 1 anchor, 2 plus context, 3 plus URL (default: 3)",
        )  # fmt: skip
        group.add_argument(
            "--models", type=Path, metavar="FOLDER",
            help="folder of the models, which has a folder per topic (default: setting FOCUSCRAWL_MODELS)",
        )  # fmt: skip
        group.add_argument(
            "--install-worse", action="store_true",
            help="install models even if they are worse than no model, badly calibrated, or cannot be measured",
        )  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Train and install the models; exit code 3 if they are not to be trusted."""
        add_defaults(settings)
        if args[:1] == [_PRICES]:
            _train_prices(args[1:], Path(opts.models or settings["FOCUSCRAWL_MODELS"]) / _PRICES)
        elif refusal := _run(args, opts, settings):
            remedy = "label pages of more hosts, or install it anyway with --install-worse"
            # What was installed comes first, also where both go to one file.
            sys.stdout.flush()
            print(f"not installed: {refusal}; {remedy}", file=sys.stderr)
            self.exitcode = 3


def _train_prices(files: list[str], folder: Path) -> None:
    from focuscrawl.evaluation.prices.price_evaluation import FOLDS, check_sites, texts_in
    from focuscrawl.evaluation.prices.price_training import price_card, read_by_rules, trained
    from focuscrawl.prices.confidence.price_model import MODEL_FILE, as_text
    from focuscrawl.scoring.model_files.model_installation import install

    labelled = texts_in(files, "train")
    check_sites(labelled, FOLDS)
    texts = [read_by_rules(text) for text in labelled]
    model = trained(texts, FOLDS)
    card = price_card(model, [Path(name).name for name in files])
    install(folder, {MODEL_FILE: as_text(model) + "\n", CARD: card})
    path = (folder / MODEL_FILE).resolve()
    print(f"{card}\nuse it with -s FOCUSCRAWL_PRICE_MODEL={path}")


def _run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> str:
    """Train and install; return the reason why a model was not installed, and what stays in use."""
    _check(args, opts)
    # Imported here: Scrapy loads this module for every command, and scikit-learn takes a second to load.
    from focuscrawl.evaluation.model_training import (
        FOLDS,
        judges_quality,
        train_links,
        train_pages,
    )
    from focuscrawl.scoring.link_features import FeatureGroup
    from focuscrawl.topics import load_topic

    topic = load_topic(args[0], Path(settings["FOCUSCRAWL_TOPICS"]))
    with shown_progress() as shown:
        data, source = labelled_data(topic, opts, Path(settings["FOCUSCRAWL_DATA"]), shown)
        shown.stretch("training", 2 * (FOLDS + 1))
        group = FeatureGroup(opts.group)
        links = train_links(data, topic, opts.algorithm, group, shown.step)
        has_both = len({page.label for page in data.pages}) == 2
        pages = train_pages(data.pages, topic, shown.step) if has_both else None
    _say(data, links, pages)
    models = Path(opts.models or settings["FOCUSCRAWL_MODELS"])
    if (doubt := links.doubt("lexicon")) and not opts.install_worse:
        return f"the link model {doubt}; {_kept(topic, models)}"
    doubt = pages.doubt("page rule") if pages and not opts.install_worse else ""
    used = None if doubt else pages
    quality = judges_quality(data, topic, links.held_out, used.held_out if used else [])
    _install(models / topic.name, topic, source, links, used, quality)
    print(f"models and their card: {(models / topic.name).resolve()}")
    return f"the page model {doubt}; the page rule stays in use" if doubt else ""


def _kept(topic: Topic, models: Path) -> str:
    from focuscrawl.scoring.model_files.classifier_files import LINKS_FILE
    from focuscrawl.scoring.model_files.fold_files import FOLDS_FILE
    from focuscrawl.scoring.model_files.scorer_loading import find_model

    earlier = find_model(topic.name, (FOLDS_FILE, LINKS_FILE), models)
    return (
        f"the earlier model in {earlier.parent.resolve()} stays in use"
        if earlier
        else "the lexicon stays in use"
    )


def _check(args: list[str], opts: argparse.Namespace) -> None:
    if len(args) != 1:
        raise ArgumentError("name one topic: scrapy train finance")
    check_sources(opts)


def _install(
    folder: Path,
    topic: Topic,
    source: str,
    links: Trained[LinkClassifier],
    pages: Trained[PageClassifier] | None,
    quality: ModelQuality,
) -> None:
    from focuscrawl.evaluation.model_training import model_card
    from focuscrawl.scoring.harvest_estimate import QUALITY_FILE
    from focuscrawl.scoring.model_files.classifier_files import (
        LINKS_FILE,
        PAGES_FILE,
        links_text,
        pages_text,
    )
    from focuscrawl.scoring.model_files.model_installation import install

    texts: dict[str, str | None] = {
        LINKS_FILE: links_text(links.classifier, topic.name, f"{links.examples} links"),
        # One of an earlier training would not belong to these links.
        PAGES_FILE: None,
        CARD: model_card(topic, source, links, pages, quality),
        QUALITY_FILE: quality.model_dump_json() + "\n",
    }
    if pages:
        texts[PAGES_FILE] = pages_text(pages.classifier, topic.name, f"{pages.examples} pages")
    install(folder, texts)


def _say(
    data: DataSet, links: Trained[LinkClassifier], pages: Trained[PageClassifier] | None
) -> None:
    print(f"links: {links}{_quality(links, 'lexicon')}: {links.expectation}")
    if pages:
        print(f"pages: {pages}{_quality(pages, 'page rule')}: {pages.expectation}")
    else:
        print(
            f"pages: {len(data.pages)} with text, without examples of both labels; the page rule of the"
            " topic stays in use"
        )


def _quality(trained: Trained[LinkClassifier] | Trained[PageClassifier], untrained: str) -> str:
    figures = trained.figures
    if figures is None:
        return "; too few hosts for an evaluation"
    return (
        f"; on hosts held out: F1 {figures.f1.estimate:.3f}, average precision"
        f" {figures.average_precision.estimate:.3f} ({untrained} {figures.untrained:.3f}),"
        f" calibration error {figures.calibration_error:.3f}"
    )
