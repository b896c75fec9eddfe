"""``scrapy crawl`` with user errors in one line instead of a traceback."""

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
from scrapy.settings import BaseSettings

from focuscrawl.command_support.crawl_errors import crawl_error
from focuscrawl.command_support.exception_hook import INTERRUPTED
from focuscrawl.command_support.option_types import check_options, refuse
from focuscrawl.command_support.project_settings import check_inside_project, uses_focuscrawl
from focuscrawl.command_support.setting_errors import (
    named_options,
    named_settings,
)
from focuscrawl.command_support.spider_help import print_help, spider_loader, unknown_spider
from focuscrawl.crawl_run import (
    CALLBACK_ERRORS_STAT,
    ERROR_STAT,
    INCOMPLETE_STAT,
    PIPELINE_ERRORS_STAT,
    UNCLOSED_STAT,
)
from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.secret_masking import masked


class Command(ScrapyCrawl):
    """Run a spider by name; exit code 2 for errors that the user can fix.

    In a project that does not use focuscrawl, it behaves like Scrapy's own command.
    """

    is_ours = True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options; report a wrong one in one line, without the usage."""
        super().add_options(parser)
        parser.error = refuse  # type: ignore[method-assign]
        parser.add_argument(
            "-h", "--help", action="store_true",
            help="show this help; after the name of a spider, its arguments",
        )  # fmt: skip
        self._show_usage = parser.print_help

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prepare the process for a crawl, then read the options."""
        assert self.settings is not None
        if opts.help and not args:
            self._show_usage()
            sys.exit()
        check_inside_project("crawl SPIDER")
        with named_options(opts.set), named_settings(self.settings):
            super().process_options(args, opts)
            self.is_ours = uses_focuscrawl(self.settings)
        self.requires_crawler_process = not opts.help
        if not self.is_ours:
            return
        check_options(args, "-")
        # Created in run(), where its errors can be explained.
        self.requires_crawler_process = False
        # Requests, responses and trees are created by the thousand and rarely form cycles: a collection
        # after every 700 new objects takes a tenth of the crawl's time.
        gc.set_threshold(50_000, 20, 100)
        # Nothing has started yet that needs an orderly shutdown.
        signal.signal(signal.SIGINT, _end_at_once)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, then print the error that ended the run, if any, in one line."""
        assert self.settings is not None
        if opts.help:
            _explain(args[0], self.settings)
            return
        if not self.is_ours:
            super().run(args, opts)
            return
        if len(args) != 1:
            raise UsageError("give one spider; `scrapy list` shows them", print_help=False)
        with named_settings(self.settings):
            process = AsyncCrawlerProcess(self.settings)
        try:
            crawler = process.create_crawler(args[0])
        except KeyError:
            raise unknown_spider(args[0], process.spider_loader) from None
        task = process.crawl(crawler, **opts.spargs)
        process.start()
        # The process is about to end, so a search for cycles would be wasted.
        gc.freeze()
        error = crawl_error(task, crawler.settings)
        if isinstance(error, FocuscrawlError):
            self._report(error)
        elif error is not None:
            raise error
        elif sentence := crawler.stats.get_value(ERROR_STAT):
            self._report(sentence)
        else:
            self.exitcode = _exit_code(crawler)

    def _report(self, error: Any) -> None:
        print(f"error: {masked(str(error))}", file=sys.stderr)
        self.exitcode = 2


def _explain(name: str, settings: BaseSettings) -> None:
    loader = spider_loader(settings)
    try:
        spider = loader.load(name)
    except KeyError:
        raise unknown_spider(name, loader) from None
    print_help(spider)


def _exit_code(crawler: Crawler) -> int:
    stats = crawler.stats
    reason = stats.get_value("finish_reason")
    if reason == "start_error" or any(map(_is_fault, stats.get_stats())):
        return 1
    # The exit code of shells for Ctrl-C.
    if reason in (None, "shutdown"):
        return INTERRUPTED
    return 3 if stats.get_value(INCOMPLETE_STAT) else 0


def _is_fault(stat: str) -> bool:
    return stat.startswith((CALLBACK_ERRORS_STAT, PIPELINE_ERRORS_STAT, UNCLOSED_STAT))


def _end_at_once(_signal: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
