"""``scrapy help``: the help of a command, and of a spider."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from io import StringIO

from scrapy import cmdline
from scrapy.settings import BaseSettings, Settings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.errors import FocuscrawlError


class Command(PlainCommand):
    """Prints what ``scrapy COMMAND --help`` does; with ``crawl SPIDER``, the spider's arguments."""

    usage = "[COMMAND] [SPIDER]"
    summary = (
        "Show the help of a command; `scrapy help crawl SPIDER` shows the arguments of a spider"
    )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Run the command with ``--help``; without one, list the commands."""
        assert isinstance(settings, Settings)
        output = StringIO()
        try:
            with redirect_stdout(output):
                cmdline.execute(["scrapy", *args, "--help"] if args else ["scrapy"], settings)
        except SystemExit as end:
            text = output.getvalue()
            if end.code == 2 and text:
                # Scrapy says on five lines that it has no such command.
                raise FocuscrawlError(
                    f"no command {args[0]!r} here; `scrapy` without arguments lists them"
                ) from end
            sys.stdout.write(text)
            raise
