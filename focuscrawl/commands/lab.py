"""``scrapy lab``: comparison of crawl policies on one recorded web, each by a real crawl."""

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
from focuscrawl.command_support.labelled_data import PhaseProgress, shown_progress
from focuscrawl.command_support.option_types import (
    numbers,
    out_folder,
    recordings,
    share,
    whole_number,
    whole_numbers,
)
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.errors import ArgumentError
from focuscrawl.system.package_extras import require_extra

if TYPE_CHECKING:
    from focuscrawl.lab.crawl_outcomes import CrawlOutcome
    from focuscrawl.lab.crawl_policies import Policy
    from focuscrawl.topics import Topic

_POLICIES = (
    "breadth,random,lexicon,keyword-front,crawlee,parent,nb,nb+learn,tunnel,sparse-tunnel,oracle"
)
_BUDGET = 2000
_LENGTHS = "1-30"
# Name: policies, budget (None: no limit).
_PRESETS: dict[str, tuple[str, int | None]] = {
    "tunnel-length": ("tunnel,sparse-tunnel", None),
    "harvest": ("nb,breadth", 50_000),
}


class Command(PlainCommand):
    """Runs every policy on every set of seeds, then writes tables and plots."""

    starts_crawls = True
    usage = (
        "TOPIC --replay WARC --truth CSV --seeds FILE… --out FOLDER | --join FOLDER… --out FOLDER"
    )
    summary = "Compare crawl policies on a recorded web"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Lab").add_argument
        add("--replay", type=recordings, metavar="WARC",
            help="the recorded web: one or several files, comma-separated"
            " (default: the web behind http_proxy, if that is on 127.0.0.1)")  # fmt: skip
        add("--truth", type=Path, metavar="CSV",
            help="relevance of its pages, columns url and relevant (0 or 1)")  # fmt: skip
        add("--seeds", type=Path, nargs="+", metavar="FILE",
            help="sets of seeds, as a JSON file {name: [URL, …]} or {topic: {name: [URL, …]}}, or as files of URLs")  # fmt: skip
        add("--policies", type=policies, metavar="NAMES",
            help=f"policies to compare; name:argument=value is a variant (default: {_POLICIES})")  # fmt: skip
        add("--concurrency", type=whole_numbers(1, 1000), default="1", metavar="LIST",
            help="concurrent requests, such as 1,16 (default: 1, where each page is chosen with all earlier links known)")  # fmt: skip
        add("--latency", type=numbers(0, 3600), default="0", metavar="LIST",
            help="seconds before a response, such as 0,0.15; needs --replay (default: 0)")  # fmt: skip
        add("--dead", type=share, default=0.0, metavar="SHARE",
            help="share of the hosts not recorded that are dead, such as 0.3; needs --replay (default: 0)")  # fmt: skip
        add("--off-topic", type=share, default=0.0, metavar="SHARE",
            help="share of the hosts not recorded that have pages off the topic; needs --replay (default: 0)")  # fmt: skip
        add("--delay", type=numbers(0, 3600), default="0", metavar="LIST",
            help="seconds between requests to a host, such as 0,0.5 (default: 0)")  # fmt: skip
        add("--eagerness", type=numbers(0, 1), default=(), metavar="LIST",
            help="eagerness to fill a slot, from 0 to 1, such as 0.5,0.8,1 (default: the spider's)")  # fmt: skip
        add("--budget", type=whole_number(1, 10_000_000), metavar="N",
            help=f"pages of each crawl (default: {_BUDGET})")  # fmt: skip
        add("--out", type=Path, metavar="FOLDER", help="folder for tables, plots and crawls")
        add("--jobs", type=whole_number(1, 64), default=1, metavar="N",
            help="concurrent crawls (default: 1)")  # fmt: skip
        add("--folds", type=whole_number(0, 20), default=5, metavar="N",
            help="number of folds of hosts: no classifier scores a host that it was trained on;"
            " 0: use the models of FOCUSCRAWL_MODELS (default: 5)")  # fmt: skip
        add("--preset", choices=tuple(_PRESETS), help="an experiment with policies and a budget")
        add("--lengths", type=tunnel_lengths, default=_LENGTHS, metavar="LIST",
            help=f"lengths of --preset tunnel-length, such as 1-5,10,20 (default: {_LENGTHS})")  # fmt: skip
        add("--join", type=Path, nargs="+", metavar="FOLDER",
            help="merge the outcomes of earlier labs into one table, without a crawl")  # fmt: skip

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Run the crawls, or join earlier ones, and print the tables."""
        _run(args, opts, settings)


def _run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    _check(args, opts)
    require_extra("lab")
    chosen, budget = _plan(opts)
    # Imported here: Scrapy loads this module for every command.
    from focuscrawl.lab.crawl_outcomes import read_outcomes
    from focuscrawl.lab.lab_report import write_report

    folder = out_folder(opts.out)
    if opts.join:
        outcomes = read_outcomes(opts.join)
    else:
        add_defaults(settings)
        outcomes = _crawled(args[0], chosen, budget, opts, settings)
    # Joined crawls may have had any budget.
    end = budget if opts.budget or not opts.join else None
    tables, paths = write_report(outcomes, end, folder)
    print("\n\n".join(table.as_text() for table in tables))
    print(f"\n{', '.join(path.name for path in paths)} in {folder.resolve()}")


def _check(args: list[str], opts: argparse.Namespace) -> None:
    if not opts.out:
        raise ArgumentError("a lab needs a folder for its tables and plots; give --out FOLDER")
    if opts.join:
        if args or opts.replay or opts.truth or opts.seeds:
            raise ArgumentError("--join needs only --out; remove the other arguments")
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
                    "the lab sends no requests to the internet; give --replay WARC, or set http_proxy"
                    " and https_proxy to a demo web on 127.0.0.1"
                )


def _plan(opts: argparse.Namespace) -> tuple[list[Policy], int | None]:
    """Return policies and budget; options override those of a preset."""
    from focuscrawl.lab.crawl_policies import with_lengths

    names, budget = _PRESETS.get(opts.preset, (_POLICIES, _BUDGET))
    chosen = opts.policies or policies(names)
    if opts.preset == "tunnel-length":
        chosen = with_lengths(chosen, opts.lengths)
    return chosen, opts.budget or budget


def _crawled(
    name: str,
    chosen: list[Policy],
    budget: int | None,
    opts: argparse.Namespace,
    settings: BaseSettings,
) -> list[CrawlOutcome]:
    from focuscrawl.evaluation.datasets.recorded_web_labels import read_truth
    from focuscrawl.lab.crawl_conditions import all_conditions
    from focuscrawl.lab.crawl_runner import Bench, crawl_all, jobs_of
    from focuscrawl.lab.seed_sets import read_seed_sets
    from focuscrawl.topics import load_topic

    topic = load_topic(name, Path(settings["FOCUSCRAWL_TOPICS"]))
    seed_sets = read_seed_sets(opts.seeds, topic.name)
    truth = read_truth(opts.truth)
    conditions = all_conditions(opts.concurrency, opts.latency, opts.delay, opts.eagerness)
    latency = max(condition.latency for condition in conditions)
    of_replays = {"--latency": latency, "--dead": opts.dead, "--off-topic": opts.off_topic}
    if not opts.replay and (given := [name for name, value in of_replays.items() if value]):
        raise ArgumentError(f"{given[0]} needs a replay; give --replay WARC")
    folder = opts.out.resolve()
    with shown_progress() as shown:
        common = _settings(settings)
        if opts.replay:
            common["FOCUSCRAWL_REPLAY"] = _indexed(opts.replay, folder)
            common["FOCUSCRAWL_REPLAY_DEAD"] = str(opts.dead)
            common["FOCUSCRAWL_REPLAY_OFF_TOPIC"] = str(opts.off_topic)
            if opts.folds:
                models = folder / "models"
                _train(topic, opts, models / topic.name, shown)
                common["FOCUSCRAWL_MODELS"] = str(models)
        bench = Bench(
            topic.name, name, opts.truth.resolve(), truth, budget, folder / "crawls", common
        )
        jobs = list(jobs_of(seed_sets, chosen, conditions))
        shown.stretch("crawling", len(jobs))
        return crawl_all(bench, jobs, opts.jobs, shown.step)


def _settings(settings: BaseSettings) -> dict[str, str]:
    """Return the settings of every crawl: no pipelines, no delays."""
    pipelines = {
        part if isinstance(part, str) else global_object_name(part): None
        for part in settings.getdict("ITEM_PIPELINES")
    }
    return {
        "ITEM_PIPELINES": json.dumps(pipelines),
        "FOCUSCRAWL_MODELS": str(Path(settings["FOCUSCRAWL_MODELS"]).resolve()),
        # The whole web is on this machine.
        "AUTOTHROTTLE_ENABLED": "False",
        "LOG_LEVEL": "INFO",
    }


def _indexed(paths: list[Path], folder: Path) -> str:
    """Return links to the recordings, comma-separated, with indexes beside them that all crawls share."""
    from focuscrawl.pages.canonical_urls import canonical_url
    from focuscrawl.replay.warc_index import open_index

    if "," in str(folder):
        raise ArgumentError(
            f"{folder} has a comma, which separates recordings; give another folder: --out FOLDER"
        )
    # Files of several folders may have the same name.
    links = [folder / "recording" / str(n) / path.name for n, path in enumerate(paths, 1)]
    for link, path in zip(links, paths, strict=True):
        try:
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(path.resolve())
        except OSError as error:
            raise ArgumentError(
                f"cannot write {link}: {error.strerror}; give another folder: --out FOLDER"
            ) from None
        open_index(link, folder, canonical_url).close()
    return ",".join(map(str, links))


def _train(topic: Topic, opts: argparse.Namespace, folder: Path, shown: PhaseProgress) -> None:
    """Train on all folds, unless an earlier lab has done so on the same data."""
    from focuscrawl.evaluation.datasets.recorded_web_labels import read_recorded_web
    from focuscrawl.evaluation.model_training import train_folds
    from focuscrawl.scoring.model_files.fold_files import FOLDS_FILE, read_fold_map

    files = [(file.st_size, file.st_mtime_ns) for file in map(Path.stat, opts.replay)]
    facts = f"{files} {opts.folds} {sorted(topic.terms)}".encode()
    source = hashlib.md5(facts + opts.truth.read_bytes(), usedforsecurity=False).hexdigest()
    path = folder / FOLDS_FILE
    if path.is_file() and read_fold_map(path).source == source:
        return
    shown.stretch(f"reading {', '.join(path.name for path in opts.replay)}")
    data = read_recorded_web(opts.replay, opts.truth, step=shown.step).data_set()
    shown.stretch("training", opts.folds)
    train_folds(data, topic, opts.folds, folder, source, shown.step)


def policies(text: str) -> list[Policy]:
    """Return the policies of a list such as nb,tunnel:length=5; an option type."""
    # Imported here: Scrapy loads this module for every command.
    from focuscrawl.lab.crawl_policies import parse_policies

    try:
        return parse_policies(text)
    except ArgumentError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def tunnel_lengths(text: str) -> list[int]:
    """Return the lengths of a list such as 1-5,10,20; an option type."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low = whole_number(1, 30)(first)
        found += range(low, (whole_number(low, 30)(last) if dash else low) + 1)
    return sorted({*found})
