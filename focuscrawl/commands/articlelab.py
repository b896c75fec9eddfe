"""``scrapy articlelab``: what concurrent requests, the HTTP cache and cookies bring to a crawl."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import seconds
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from focuscrawl.demo import DemoServer

_HEADER = ("crawl", "at once", "cache", "cookies", "numbers", "asked", "seconds", "numbers/s")
_MANY = 32


@dataclass(frozen=True, slots=True)
class _Trial:
    """One crawl of the comparison; trials with a cache share it, and each begins with empty stores."""

    name: str
    at_once: int = _MANY
    cache: bool = False
    cookies: bool = False


_TRIALS = (
    _Trial("one by one", at_once=1),
    _Trial("many at once"),
    _Trial("cache, empty", cache=True),
    _Trial("cache, filled", cache=True),
    _Trial("cookies", cookies=True),
)


@dataclass(frozen=True, slots=True)
class _Outcome:
    trial: _Trial
    numbers: int
    asked: int
    seconds: float

    def cells(self) -> tuple[str, ...]:
        trial = self.trial
        words = ["on" if value else "off" for value in (trial.cache, trial.cookies)]
        rate = self.numbers / self.seconds
        return (trial.name, str(trial.at_once), *words, str(self.numbers), str(self.asked),
                f"{self.seconds:.1f}", f"{rate:.1f}")  # fmt: skip


class Command(PlainCommand):
    """Crawls the numbered site of the demo web several times, and prints the table."""

    starts_crawls = True

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "[options]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Compare crawls of numbered articles: concurrency, HTTP cache, cookies"

    def long_desc(self) -> str:
        """Return the text of ``scrapy articlelab -h``."""
        return (
            f"{self.short_desc()}, on a local server that delays each response. The time is that "
            "from the first response to the last plus one delay, or that of the whole run where "
            "the cache answers all requests."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Comparison").add_argument
        add("--numbers", type=int, default=320, metavar="N",
            help="numbers to crawl (default: 320)")  # fmt: skip
        add(
            "--latency-ms",
            type=seconds,
            default=500,
            metavar="MS",
            help="latency of a response in milliseconds (default: 500)",
        )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Compare."""
        if args:
            raise UsageError(f"unknown argument: {args[0]}", print_help=False)
        _print_rows(_HEADER)
        for outcome in _outcomes(opts.numbers, opts.latency_ms):
            _print_rows(outcome.cells())


def _outcomes(numbers: int, latency_ms: float) -> Iterator[_Outcome]:
    # Here: every scrapy command loads this module.
    from focuscrawl.demo import DemoServer, DemoWeb
    from focuscrawl.demo.numbered.numbered_site import HOST, TimedSite

    site = TimedSite(numbers=numbers, big_mb=0, faults=False)
    web = DemoWeb(latency_ms=latency_ms, more_sites={HOST: site})
    with tempfile.TemporaryDirectory() as folder, DemoServer(web) as server:
        for place, trial in enumerate(_TRIALS):
            answers = site.answers = []
            begin = time.monotonic()
            _crawl(trial, numbers, Path(folder), place, server)
            # Of a filled cache there are hardly any: then all counts.
            seconds = (
                answers[-1] - answers[0] if len(answers) > numbers else time.monotonic() - begin
            )
            yield _Outcome(trial, numbers, len(answers), seconds + latency_ms / 1000)


def _crawl(trial: _Trial, numbers: int, folder: Path, place: int, server: DemoServer) -> None:
    arguments = {"profile": "demo", "stop": numbers, "stop_after": 0, "concurrency": trial.at_once}
    settings = {
        "FOCUSCRAWL_DATA": folder / str(place),
        "FOCUSCRAWL_STORES": f"sqlite:///{folder.as_posix()}/{place}.sqlite",
        "HTTPCACHE_ENABLED": trial.cache,
        "HTTPCACHE_DIR": folder / "cache",
        "COOKIES_ENABLED": trial.cookies,
    }
    command = [sys.executable, "-m", "scrapy", "crawl", "article"]
    command += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    environment = {**os.environ, **server.proxy_environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ArgumentError(
            f"the crawl {trial.name!r} failed ({last}); correct that, then compare again"
        )


def _print_rows(cells: tuple[str, ...]) -> None:
    first, *others = cells
    print(f"{first:<14}", *(f"{cell:>9}" for cell in others), flush=True)
