"""``scrapy help``: the help of a command, and of a spider."""

from __future__ import annotations

import argparse

from scrapy import cmdline
from scrapy.settings import BaseSettings, Settings

from focuscrawl.command_support.base_command import PlainCommand


class Command(PlainCommand):
    """Prints what ``scrapy COMMAND --help`` does; with ``crawl SPIDER``, the spider's arguments."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "[COMMAND] [SPIDER]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return (
            "Show the help of a command; `scrapy help crawl SPIDER` shows the arguments of a spider"
        )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Run the command with ``--help``; without one, list the commands."""
        assert isinstance(settings, Settings)
        cmdline.execute(["scrapy", *args, "--help"] if args else ["scrapy"], settings)
