"""``scrapy lab``: compare crawl policies on one recorded web, each by a real crawl."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.settings import BaseSettings
from scrapy.utils.python import global_object_name

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.labelled_data import Shown, made_folder, shown_progress
from focuscrawl.command_support.option_types import whole_number
from focuscrawl.command_support.package_extras import require_matplotlib
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.lab.crawl_outcomes import Outcome
    from focuscrawl.lab.crawl_policies import Policy
    from focuscrawl.topics import Topic

_POLICIES = "breadth,random,lexicon,keyword-front,parent,nb,nb+learn,tunnel,sparse-tunnel,oracle"
_BUDGET = 2000
_LENGTHS = "1-30"
# Name: policies, budget (None: no limit).
_PRESETS: dict[str, tuple[str, int | None]] = {
    "tunnel-length": ("tunnel,sparse-tunnel", None),
    "harvest": ("nb,breadth", 50_000),
}


class Command(PlainCommand):
    """Runs every policy on every set of seeds, then writes tables and pictures."""

    starts_crawls = True

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "TOPIC --replay WARC --truth CSV --seeds FILE… --out FOLDER | --join FOLDER… --out FOLDER"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Compare crawl policies on a recorded web"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Lab").add_argument
        add("--replay", type=Path, metavar="WARC",
            help="the recorded web (default: the web behind http_proxy, if that is on 127.0.0.1)")  # fmt: skip
        add("--truth", type=Path, metavar="CSV",
            help="relevance of its pages, columns url and relevant (0 or 1)")  # fmt: skip
        add("--seeds", type=Path, nargs="+", metavar="FILE",
            help="sets of seeds: a JSON file {name: [URL, …]}, also by topic, or files of URLs")  # fmt: skip
        add("--policies", metavar="NAMES",
            help=f"comma-separated policies, name:argument=value for a variant (default: {_POLICIES})")  # fmt: skip
        add("--concurrency", default="1", metavar="LIST",
            help="concurrent requests, such as 1,16 (default: 1: each page is chosen knowing all before)")  # fmt: skip
        add("--latency", default="0", metavar="LIST",
            help="latency of a response in seconds, such as 0,0.15; needs --replay (default: 0)")  # fmt: skip
        add("--delay", default="0", metavar="LIST",
            help="seconds between requests to a host, such as 0,0.5 (default: 0)")  # fmt: skip
        add("--eagerness", default="", metavar="LIST",
            help="how readily a slot is filled, from 0 to 1, such as 0.5,0.8,1 (default: the spider's)")  # fmt: skip
        add("--budget", type=whole_number(1, 10_000_000), metavar="N",
            help=f"number of pages of each crawl (default: {_BUDGET})")  # fmt: skip
        add("--out", type=Path, metavar="FOLDER", help="where tables, pictures and crawls go")
        add("--jobs", type=whole_number(1, 64), default=1, metavar="N",
            help="concurrent crawls (default: 1)")  # fmt: skip
        add("--folds", type=whole_number(0, 20), default=5, metavar="N",
            help="train classifiers that have not seen the host they judge, in so many folds of hosts;"
            " 0: use those of FOCUSCRAWL_MODELS (default: 5)")  # fmt: skip
        add("--preset", choices=tuple(_PRESETS), help="an experiment with policies and a budget")
        add("--lengths", type=tunnel_lengths, default=_LENGTHS, metavar="LIST",
            help=f"what --preset tunnel-length tries, such as 1-5,10,20 (default: {_LENGTHS})")  # fmt: skip
        add("--join", type=Path, nargs="+", metavar="FOLDER",
            help="join the results of earlier labs in one table, without crawling")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Compare."""
        _run(args, opts, settings)


def _run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    _check(args, opts)
    require_matplotlib()
    policies, budget = _plan(opts)
    # Here: scrapy loads this module for every command.
    from focuscrawl.lab.crawl_outcomes import read_outcomes
    from focuscrawl.lab.lab_report import write_report

    folder = made_folder(opts.out)
    if opts.join:
        outcomes = read_outcomes(opts.join)
    else:
        add_defaults(settings)
        outcomes = _crawled(args[0], policies, budget, opts, settings)
    # Joined crawls may have had any budget.
    end = budget if opts.budget or not opts.join else None
    tables, paths = write_report(outcomes, end, folder)
    print("\n\n".join(table.as_text() for table in tables))
    print(f"\n{', '.join(path.name for path in paths)} in {folder.resolve()}")


def _check(args: list[str], opts: argparse.Namespace) -> None:
    if not opts.out:
        raise ArgumentError("say where tables and pictures go: --out FOLDER")
    if opts.join:
        if args or opts.replay or opts.truth or opts.seeds:
            raise ArgumentError("--join FOLDER… --out FOLDER reads earlier labs: give nothing else")
        return
    if len(args) != 1:
        raise ArgumentError("name one topic: scrapy lab machine-learning --replay …")
    for option in ("truth", "seeds"):
        if not getattr(opts, option):
            raise ArgumentError(f"a lab needs --{option}; see scrapy lab -h")
    if not opts.replay:
        for scheme in ("http", "https"):
            if urlsplit(getproxies().get(scheme, "")).hostname not in ("127.0.0.1", "localhost"):
                raise ArgumentError(
                    "the lab asks no strangers: give --replay WARC, or set http_proxy and https_proxy"
                    " to a demo web on 127.0.0.1"
                )
    elif not opts.replay.is_file():
        raise ArgumentError(f"there is no file {opts.replay}; give a recording: --replay WARC")


def _plan(opts: argparse.Namespace) -> tuple[list[Policy], int | None]:
    """Return policies and budget, those of a preset unless others are given."""
    from focuscrawl.lab.crawl_policies import parse_policies, with_lengths

    names, budget = _PRESETS.get(opts.preset, (_POLICIES, _BUDGET))
    if opts.budget:
        budget = opts.budget
    policies = parse_policies(names if opts.policies is None else opts.policies)
    if opts.preset == "tunnel-length":
        policies = with_lengths(policies, opts.lengths)
    return policies, budget


def _crawled(
    name: str,
    policies: list[Policy],
    budget: int | None,
    opts: argparse.Namespace,
    settings: BaseSettings,
) -> list[Outcome]:
    from focuscrawl.evaluation.datasets.recorded_web_labels import read_truth
    from focuscrawl.lab.crawl_conditions import parse_conditions
    from focuscrawl.lab.crawl_runner import Bench, crawl_all, jobs_of
    from focuscrawl.lab.seed_sets import read_seed_sets
    from focuscrawl.topics import load_topic

    topic = load_topic(name, Path(settings["FOCUSCRAWL_TOPICS"]))
    seed_sets = read_seed_sets(opts.seeds, topic.name)
    truth = read_truth(opts.truth)
    conditions = parse_conditions(opts.concurrency, opts.latency, opts.delay, opts.eagerness)
    if not opts.replay and any(condition.latency for condition in conditions):
        raise ArgumentError("--latency is that of a replay: give --replay WARC")
    folder = opts.out.resolve()
    with shown_progress() as shown:
        common = _settings(settings)
        if opts.replay:
            common["FOCUSCRAWL_REPLAY"] = str(_indexed(opts.replay, folder))
            if opts.folds:
                models = folder / "models"
                _train(topic, opts, models / topic.name, shown)
                common["FOCUSCRAWL_MODELS"] = str(models)
        bench = Bench(
            topic.name, name, opts.truth.resolve(), truth, budget, folder / "crawls", common
        )
        jobs = list(jobs_of(seed_sets, policies, conditions))
        shown.stretch("crawling", len(jobs))
        return crawl_all(bench, jobs, opts.jobs, shown.step)


def _settings(settings: BaseSettings) -> dict[str, str]:
    """Return what every crawl is told: keep nothing but the list of pages, and wait for nobody."""
    pipelines = {
        part if isinstance(part, str) else global_object_name(part): None
        for part in settings.getdict("ITEM_PIPELINES")
    }
    return {
        "ITEM_PIPELINES": json.dumps(pipelines),
        "FOCUSCRAWL_MODELS": str(Path(settings["FOCUSCRAWL_MODELS"]).resolve()),
        # All of the web is on this machine.
        "AUTOTHROTTLE_ENABLED": "False",
        "LOG_LEVEL": "INFO",
    }


def _indexed(recording: Path, folder: Path) -> Path:
    """Return the recording by a name in a folder of ours, with its index beside it for all crawls."""
    from focuscrawl.pages.canonical_urls import canonical_url
    from focuscrawl.replay.warc_index import open_index

    link = folder / "recording" / recording.name
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(recording.resolve())
    except OSError as error:
        raise ArgumentError(
            f"cannot write {link}: {error.strerror}; give another folder: --out FOLDER"
        ) from None
    open_index(link, folder, canonical_url).close()
    return link


def _train(topic: Topic, opts: argparse.Namespace, folder: Path, shown: Shown) -> None:
    """Train, unless an earlier lab has done so on the same."""
    from focuscrawl.evaluation.datasets.recorded_web_labels import read_recorded_web
    from focuscrawl.evaluation.training.fold_training import train_folds
    from focuscrawl.scoring.model_files.fold_files import FOLDS_FILE, read_fold_map

    file = opts.replay.stat()
    told = f"{file.st_size} {file.st_mtime_ns} {opts.folds} {sorted(topic.terms)}".encode()
    source = hashlib.md5(told + opts.truth.read_bytes(), usedforsecurity=False).hexdigest()
    path = folder / FOLDS_FILE
    if path.is_file() and read_fold_map(path).source == source:
        return
    shown.stretch(f"reading {opts.replay.name}")
    data = read_recorded_web(opts.replay, opts.truth, step=shown.step).data_set()
    shown.stretch("training", opts.folds)
    train_folds(data, topic, opts.folds, folder, source, shown.step)


def tunnel_lengths(text: str) -> list[int]:
    """Return the lengths of a list such as 1-5,10,20; a type of option."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low = whole_number(1, 30)(first)
        found += range(low, (whole_number(low, 30)(last) if dash else low) + 1)
    return sorted({*found})
