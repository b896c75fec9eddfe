"""Base class of the ``scrapy`` sub-commands: mistakes as one line, and exit codes."""

# Not in the package of the commands: scrapy would take it for one.

from __future__ import annotations

import argparse
import sys
from abc import abstractmethod
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from focuscrawl.command_support.option_types import refuse
from focuscrawl.command_support.project_settings import provide_spiders
from focuscrawl.errors import ArgumentError, FocuscrawlError
from focuscrawl.known_settings import read_environment
from focuscrawl.system.machine_faults import machine_fault
from focuscrawl.system.secret_masking import masked
from focuscrawl.system.standard_output import allow_all_characters, mute

# By its path: the add-on stands above the commands.
_DEFAULTS = "focuscrawl.addon.DEFAULTS"


class PlainCommand(ScrapyCommand):
    """A command whose exit code is 2 for what the user can correct, and 130 if stopped.

    ``stopped`` is the message in that case. ``starts_crawls`` is true for a command that starts
    ``scrapy crawl`` with our spiders. Logs are off.
    """

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    stopped = "stopped"
    starts_crawls = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options; let a wrong value be one line, without the usage before it."""
        super().add_options(parser)
        parser.error = refuse  # type: ignore[method-assign]

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Carry the command out."""
        assert self.settings is not None
        allow_all_characters()
        try:
            _check_options(args)
            read_environment(self.settings, load_object(_DEFAULTS))
            if self.starts_crawls:
                provide_spiders(self.settings)
            self.carry_out(args, opts, self.settings)
            if sys.stdout:
                sys.stdout.flush()
        except FocuscrawlError as error:
            print(f"error: {masked(str(error))}", file=sys.stderr)
            self.exitcode = 2
        except BrokenPipeError:
            # The reader of a pipe had enough; keep the interpreter from flushing into it again.
            mute()
            self.exitcode = 1
        except (OSError, MemoryError) as error:
            fault = machine_fault(error)
            if fault is None:
                raise
            # Else the interpreter tries again to write what it could not.
            mute()
            print(f"error: {fault}", file=sys.stderr)
            self.exitcode = 2
        except KeyboardInterrupt:
            print(self.stopped, file=sys.stderr)
            self.exitcode = 130

    @abstractmethod
    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Do the work; raises a FocuscrawlError for what the user can correct."""


def _check_options(args: list[str]) -> None:
    """Refuse unknown options, which Scrapy passes on among the arguments."""
    for arg in args:
        if arg.startswith("--") and arg != "--":
            raise ArgumentError(f"unknown option {arg}; -h lists the options")
