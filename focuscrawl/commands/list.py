"""``scrapy list`` with the spiders of add-ons."""

from __future__ import annotations

import argparse

from scrapy.commands.list import Command as ScrapyList

from focuscrawl.command_support.project_settings import check_inside_project
from focuscrawl.command_support.setting_errors import named_options
from focuscrawl.command_support.spider_help import first_sentence, spider_loader


class Command(ScrapyList):
    """List the spiders; Scrapy itself loads those of add-ons only before a crawl."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options, and one for descriptions."""
        super().add_options(parser)
        parser.add_argument(
            "-v", "--verbose", action="store_true", help="say what each spider does"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read Scrapy's options."""
        with named_options(opts.set):
            super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the names, one per line, with descriptions if they are to be shown."""
        assert self.settings is not None
        check_inside_project("list")
        loader = spider_loader(self.settings)
        names = sorted(loader.list())
        width = max(map(len, names), default=0)
        for name in names:
            what = first_sentence(loader.load(name)) if opts.verbose else ""
            print(f"{name:<{width}}  {what}" if what else name)
