"""``scrapy crawl`` with user errors in one line instead of a traceback."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import FrameType
from typing import NoReturn

from scrapy import Spider
from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import BaseSettings, Settings

from focuscrawl.command_support.option_types import check_options
from focuscrawl.command_support.project_settings import (
    add_defaults,
    add_environment,
    check_inside_project,
    uses_focuscrawl,
)
from focuscrawl.command_support.setting_errors import crawl_error, named_options, named_settings
from focuscrawl.command_support.spider_help import print_help, spider_loader, unknown_spider
from focuscrawl.crawl_run import ERROR_STAT, RunningCrawl
from focuscrawl.errors import INTERRUPTED, ArgumentError, FocuscrawlError
from focuscrawl.extensions.run_summary import RunSummary
from focuscrawl.known_settings import ENVIRONMENT_PRIORITY, MANNERS, SUMMARY, switched_on
from focuscrawl.summary import report_mail, report_webhook
from focuscrawl.summary.report_delivery import Target, deliver, is_due
from focuscrawl.summary.report_mail import mail_target
from focuscrawl.summary.report_webhook import webhook_target
from focuscrawl.summary.rule_version import rules_of
from focuscrawl.summary.run_report import Clock, RunReport, as_json, as_text
from focuscrawl.system.secret_masking import masked
from focuscrawl.system.standard_output import print_lines
from focuscrawl.workers.crawl_workers import run_workers, stores_of, worker_count, workers_report

# End of a run of ``scrapy crawl``: mail and webhook if something is wrong, log file, line of JSON.

_TARGETS: dict[str, tuple[str, Callable[[str, str], Target[RunReport]]]] = {
    report_mail.SETTING: (report_mail.PASSWORD, mail_target),
    report_webhook.SETTING: (report_webhook.TOKEN, webhook_target),
}
_INCOMPLETE = 3
_log = logging.getLogger(__name__)


class RunEnding:
    """Report of the run of a spider, also of one that fails before it begins.

    ``is_json`` prints it as one line of JSON.
    """

    def __init__(self, settings: BaseSettings, spider: str, *, is_json: bool) -> None:
        self.spider = spider
        self.is_json = is_json
        self._settings = settings
        self._clock = Clock()

    def check_targets(self) -> None:
        """Raise ArgumentError for a setting of mail or webhook that cannot be used."""
        for name in _TARGETS:
            self._target(name)

    def report_of(self, crawler: Crawler | None, error: str) -> RunReport:
        """Return the report of a crawl; without a summary it has the time and the error only."""
        if summary := _summary_of(crawler):
            return replace(summary, error=error)
        return RunReport(
            crawl=RunningCrawl.of(crawler).name if crawler else self.spider or "crawl",
            spider=self.spider,
            began=self._clock.began,
            seconds=self._clock.seconds,
            reason="error" if error else "shutdown",
            rules=rules_of(crawler.spider) if crawler else None,
            error=error,
        )

    def finish(self, report: RunReport) -> int:
        """Send and print a report that has an exit code; return the exit code of the process.

        That is 3 if all was done, but an alarm could not be sent or the line not be printed.
        """
        failures = deliver(report, self._usable_targets()) if is_due(report) else []
        for failure in failures:
            print(f"error: {masked(failure)}", file=sys.stderr)
        code = report.exit_code or (_INCOMPLETE if failures else 0)
        self._write_into_log(report, code)
        line = as_json(replace(report, exit_code=code, not_sent=failures))
        if self.is_json and not print_lines([line]):
            return code or _INCOMPLETE
        return code

    def _write_into_log(self, report: RunReport, code: int) -> None:
        # A log file may be all that a user sees of a run, as of the jobs of Scrapyd.
        if self._settings.get("LOG_FILE") and logging.getLogger().hasHandlers():
            level = logging.ERROR if code else logging.INFO
            _log.log(level, "%s", masked("\n".join(as_text(report))))

    def _usable_targets(self) -> list[Target[RunReport]]:
        targets = []
        for name in _TARGETS:
            try:
                target = self._target(name)
            except ArgumentError:
                # The error that ended this run, or one that the next run reports.
                continue
            if target:
                targets.append(target)
        return targets

    def _target(self, name: str) -> Target[RunReport] | None:
        secret, make = _TARGETS[name]
        # A run that fails early has not read the environment yet.
        if given := os.environ.get(name):
            self._settings.set(name, given, priority=ENVIRONMENT_PRIORITY)
        url = self._settings.get(name)
        return make(str(url), os.environ.get(secret, "")) if url else None


def _summary_of(crawler: Crawler | None) -> RunReport | None:
    # Scrapy raises RuntimeError where the extensions have not been created.
    with suppress(RuntimeError):
        extension = crawler.get_extension(RunSummary) if crawler else None
        return extension.report if extension else None
    return None


class Command(ScrapyCrawl):
    """Run a spider by name; exit code 2 for errors that the user can fix.

    In a project that does not use focuscrawl, and for a spider without its summary, it behaves like
    Scrapy's own command.
    """

    is_ours = True
    _started: Crawler | None = None
    _ending: RunEnding

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options and ``--json``; report a wrong one in one line, without the usage."""
        super().add_options(parser)
        parser.add_argument(
            "--json",
            action="store_true",
            help="print the summary as one line of JSON, also if the run fails",
        )
        parser.add_argument(
            "-h", "--help", action="store_true",
            help="show this help; after the name of a spider, its arguments",
        )  # fmt: skip
        # Scrapy names its own, without that of the add-on.
        parser._option_string_actions["--loglevel"].help = "log level (default: WARNING)"
        self._show_usage = parser.print_help
        parser.error = self._refuse  # type: ignore[method-assign]
        # Options that cannot be read are reported as well.
        self._ending = RunEnding(self._own_settings, "", is_json="--json" in sys.argv)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prepare the process for a crawl, then read the options."""
        self._ending.spider, self._ending.is_json = " ".join(args[:1]), opts.json
        if opts.help and not args:
            self._show_usage()
            sys.exit()
        try:
            self._read_options(args, opts)
        except FocuscrawlError as error:
            if opts.help:
                raise
            self._end_early(error)

    def _read_options(self, args: list[str], opts: argparse.Namespace) -> None:
        settings = self._own_settings
        check_inside_project("crawl SPIDER")
        with named_options(opts.set), named_settings(settings):
            super().process_options(args, opts)
            self.is_ours = uses_focuscrawl(settings)
            if self.is_ours:
                add_environment(settings)
        if opts.json:
            _check_json(settings, is_ours=self.is_ours)
        if self.is_ours:
            check_options(args, "-")
            if len(args) == 1 and not (opts.help or settings.getbool(MANNERS)):
                self.is_ours = _has_summary(args[0], settings) or opts.json
        if not self.is_ours:
            self.requires_crawler_process = not opts.help
            return
        # Created in run(), where its errors can be explained.
        self.requires_crawler_process = False
        # Requests, responses and trees are created by the thousand and rarely form cycles: a collection
        # after every 700 new objects takes a tenth of the crawl's time.
        gc.set_threshold(50_000, 20, 100)
        # Nothing has started yet that needs an orderly shutdown.
        signal.signal(signal.SIGINT, _end_at_once)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, print the error that ended the run, if any, in one line, then report the run."""
        if opts.help:
            print_help(_spider_class(args[0], self._own_settings))
            return
        if not self.is_ours:
            super().run(args, opts)
            return
        try:
            self._ending.check_targets()
            if len(args) != 1:
                raise ArgumentError("give one spider; `scrapy list` shows them")
            if worker_count(self._own_settings) > 1:
                self._supervise(args, opts)
                return
            crawler = self._crawl(args, opts)
        except FocuscrawlError as error:
            self._end_early(error)
        except Exception as error:
            self._finish(" ".join(f"{type(error).__name__}: {error}".split()), 1)
            raise
        sentence = crawler.stats.get_value(ERROR_STAT, "")
        code = RunningCrawl.of(crawler).exit_code
        if not code and _lacks_feeds(crawler):
            sentence, code = "a feed (-o or FEEDS) could not be written; the log shows why", 3
        if sentence:
            _print_error(sentence)
        self._finish(sentence, code)

    def _supervise(self, args: list[str], opts: argparse.Namespace) -> None:
        """Let several workers crawl, and report them as one."""
        settings = self._own_settings
        with named_settings(settings):
            add_defaults(settings)
        spider = _spider_class(args[0], settings)
        if getattr(spider, "discards_frontier", False) and not getattr(
            spider, "shares_seeds", False
        ):
            raise ArgumentError(
                f"a {args[0]} crawl is walked by one worker, so more gain nothing: leave "
                "FOCUSCRAWL_WORKERS unset"
            )
        end = run_workers(args[0], opts, settings)
        report, code = workers_report(
            self._ending.report_of(None, ""), end, stores_of(settings), settings
        )
        if report.error:
            _print_error(report.error)
        if settings.getbool(SUMMARY):
            print_lines(as_text(report))
        self.exitcode = self._ending.finish(replace(report, exit_code=code))

    def _crawl(self, args: list[str], opts: argparse.Namespace) -> Crawler:
        """Run the crawl; raises the error that ended it."""
        settings = self._own_settings
        with named_settings(settings):
            process = AsyncCrawlerProcess(settings)
        try:
            crawler = self._started = process.create_crawler(args[0])
        except KeyError:
            raise unknown_spider(args[0], process.spider_loader) from None
        task = process.crawl(crawler, **opts.spargs)
        process.start()
        # The process is about to end, so a search for cycles would be wasted.
        gc.freeze()
        if error := crawl_error(task, crawler.settings):
            raise error
        return crawler

    @property
    def _own_settings(self) -> Settings:
        assert isinstance(self.settings, Settings)
        return self.settings

    def _refuse(self, message: str) -> NoReturn:
        self._end_early(ArgumentError(message))

    def _end_early(self, error: FocuscrawlError) -> NoReturn:
        _print_error(str(error))
        self._finish(str(error), 2)
        raise SystemExit(self.exitcode) from None

    def _finish(self, error: str, code: int) -> None:
        # The crawl is over, so Ctrl-C ends the process, even while a report is being sent.
        signal.signal(signal.SIGINT, _end_at_once)
        report = replace(self._ending.report_of(self._started, error), exit_code=code)
        self.exitcode = self._ending.finish(report)


def _spider_class(name: str, settings: BaseSettings) -> type[Spider]:
    loader = spider_loader(settings)
    try:
        return loader.load(name)
    except KeyError:
        raise unknown_spider(name, loader) from None


def _has_summary(name: str, settings: BaseSettings) -> bool:
    """Return whether the user has switched on our summary for a spider; ours brings its manners."""
    own = settings.copy()
    try:
        spider = _spider_class(name, settings)
        spider.update_settings(own)
        on = switched_on(spider, own)
    except FocuscrawlError:
        raise
    except Exception:
        # run() reports a project that cannot be loaded.
        return True
    if MANNERS in on:
        settings.set(MANNERS, True, priority="cmdline")
    return SUMMARY in on


def _check_json(settings: Settings, *, is_ours: bool) -> None:
    if not is_ours:
        raise ArgumentError("--json needs focuscrawl.addon.FocuscrawlAddon in ADDONS; add it")
    if "stdout:" in settings.getdict("FEEDS"):
        raise ArgumentError("--json and -o - both write to standard output; give -o a file")
    settings.set(SUMMARY, False, priority="cmdline")
    settings.setdefault_in_component_priority_dict("EXTENSIONS", RunSummary, 20)


def _print_error(sentence: str) -> None:
    print(f"error: {masked(sentence)}", file=sys.stderr)


def _lacks_feeds(crawler: Crawler) -> bool:
    # Scrapy only logs such errors, and does not count those of a full disk.
    counts = crawler.stats.get_stats()
    written = sum(n for stat, n in counts.items() if stat.startswith("feedexport/success_count/"))
    settings = crawler.settings
    return settings.getbool("FEED_STORE_EMPTY") and written < len(settings.getdict("FEEDS"))


def _end_at_once(_signal: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
