"""``scrapy list`` with the spiders of add-ons."""

from __future__ import annotations

import argparse

from scrapy.addons import AddonManager
from scrapy.commands.list import Command as ScrapyList

from focuscrawl.command_support.project_settings import check_inside_project
from focuscrawl.command_support.setting_errors import named_options, named_settings


class Command(ScrapyList):
    """List the spiders; Scrapy itself loads those of add-ons only before a crawl."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read Scrapy's options."""
        with named_options(opts.set):
            super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the names, one per line."""
        assert self.settings is not None
        check_inside_project("list")
        with named_settings(self.settings):
            AddonManager.load_pre_crawler_settings(self.settings)
            super().run(args, opts)
