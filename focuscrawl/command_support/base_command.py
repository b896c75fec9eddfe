"""Base class of the ``scrapy`` commands: one-line errors and exit codes."""

# Not in the package of the commands, where Scrapy would load it as a command.

from __future__ import annotations

import argparse
import sys
from abc import abstractmethod
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.settings import BaseSettings

from focuscrawl.command_support.option_types import check_options, refuse
from focuscrawl.command_support.project_settings import add_environment, provide_spiders
from focuscrawl.command_support.setting_errors import named_options
from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.machine_faults import machine_fault
from focuscrawl.system.processes import collect_rarely
from focuscrawl.system.secret_masking import masked
from focuscrawl.system.standard_output import allow_all_characters, mute


class PlainCommand(ScrapyCommand):
    """A command with exit code 2 for errors that the user can fix, and 130 if stopped by Ctrl-C.

    ``usage`` stands after the command's name, ``summary`` is the line that ``scrapy`` lists, ``explanation``
    the text above the options if it is another. ``stopped`` is the message for Ctrl-C. ``starts_crawls`` is true for a command that runs
    ``scrapy crawl`` with the spiders of focuscrawl. Logs are off.
    """

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False, "LOG_LEVEL": "WARNING"}
    usage: ClassVar[str]
    summary: ClassVar[str]
    explanation: ClassVar[str] = ""
    stopped = "stopped"
    starts_crawls = False

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return self.usage

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return self.summary

    def long_desc(self) -> str:
        """Return the text above the options."""
        return self.explanation or self.short_desc()

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options; report a wrong value in one line, without the usage."""
        super().add_options(parser)
        parser.error = refuse  # type: ignore[method-assign]

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read Scrapy's options."""
        with named_options(opts.set):
            super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command and set its exit code."""
        assert self.settings is not None
        allow_all_characters()
        # Records come by the million: the collector took an eighth of the time.
        collect_rarely()
        try:
            check_options(args)
            add_environment(self.settings)
            if self.starts_crawls:
                provide_spiders(self.settings)
            self.carry_out(args, opts, self.settings)
            if sys.stdout:
                sys.stdout.flush()
        except FocuscrawlError as error:
            print(f"error: {masked(str(error))}", file=sys.stderr)
            self.exitcode = 2
        except BrokenPipeError:
            # The reader of a pipe has closed it; the interpreter would flush into it again.
            mute()
            self.exitcode = 1
        except (OSError, MemoryError) as error:
            fault = machine_fault(error)
            if fault is None:
                raise
            # Otherwise the interpreter would retry the failed write.
            mute()
            print(f"error: {fault}", file=sys.stderr)
            self.exitcode = 2
        except KeyboardInterrupt:
            print(self.stopped, file=sys.stderr)
            self.exitcode = 130

    @abstractmethod
    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Do the work; raises a FocuscrawlError for an error that the user can fix."""
