"""``scrapy crawl`` that reports a user's mistake in one line instead of a traceback."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
from types import FrameType
from typing import Any

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import UsageError

from focuscrawl.command_support.exception_hook import INTERRUPTED
from focuscrawl.command_support.option_types import refuse
from focuscrawl.command_support.project_settings import check_inside_project, uses_focuscrawl
from focuscrawl.crawl_run import ERROR_STAT, INCOMPLETE_STAT
from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.machine_faults import named
from focuscrawl.system.secret_masking import masked


class Command(ScrapyCrawl):
    """Run a spider by name; exit code 2 for what the user can correct.

    In a project that uses nothing of focuscrawl it is Scrapy's own command.
    """

    is_ours = True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options; let a mistake be one line, without the usage before it."""
        super().add_options(parser)
        parser.error = refuse  # type: ignore[method-assign]

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prepare the process for a crawl, then read the options."""
        assert self.settings is not None
        check_inside_project("crawl SPIDER")
        self.is_ours = uses_focuscrawl(self.settings)
        if not self.is_ours:
            super().process_options(args, opts)
            return
        # Requests, responses and trees come by the thousand and seldom form cycles: looking for
        # some after every 700 new objects takes a tenth of the crawl's time.
        gc.set_threshold(50_000, 20, 100)
        # Nothing has begun that would have to be ended in order.
        signal.signal(signal.SIGINT, _end_at_once)
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, then say in one line what ended the run, if anything did."""
        if not self.is_ours:
            super().run(args, opts)
            return
        if len(args) != 1:
            raise UsageError("give one spider; `scrapy list` shows them", print_help=False)
        assert isinstance(self.crawler_process, AsyncCrawlerProcess)
        try:
            crawler = self.crawler_process.create_crawler(args[0])
        except KeyError:
            known = ", ".join(self.crawler_process.spider_loader.list())
            raise UsageError(f"no spider {args[0]!r}; known: {known}", print_help=False) from None
        task = self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        # The process ends soon, and frees everything at once without looking for cycles.
        gc.freeze()
        error = None if task.cancelled() or not task.done() else named(task.exception())
        if mistake := _mistake_in(error):
            self._complain(mistake)
        elif error is not None:
            raise error
        elif sentence := crawler.stats.get_value(ERROR_STAT):
            self._complain(sentence)
        else:
            self.exitcode = _exit_code(crawler)

    def _complain(self, sentence: Any) -> None:
        print(f"error: {masked(str(sentence))}", file=sys.stderr)
        self.exitcode = 2


def _mistake_in(error: BaseException | None) -> FocuscrawlError | None:
    """Return the user's mistake, also where Scrapy fails at closing what it has not opened for that."""
    while error is not None and not isinstance(error, FocuscrawlError):
        error = error.__context__
    return error


def _exit_code(crawler: Crawler) -> int:
    stats = crawler.stats
    reason = stats.get_value("finish_reason")
    if reason == "start_error" or stats.get_value("spider_exceptions/count"):
        return 1
    # As a shell says that Ctrl-C ended a program.
    if reason in (None, "shutdown"):
        return INTERRUPTED
    return 3 if stats.get_value(INCOMPLETE_STAT) else 0


def _end_at_once(_signal: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
