"""``scrapy trysite``: what a site profile selects, without storing anything."""

from __future__ import annotations

import argparse
from datetime import date
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import whole_number
from focuscrawl.command_support.page_samples import (
    fetch_samples,
    read_articles,
    show_articles,
    show_entries,
)
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from scrapy.http import Response

    from focuscrawl.sites.site_profile import AnyListRules


class Command(PlainCommand):
    """Shows what the rules of a profile select on a list page and some of its articles."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "PROFILE [URL] [--articles N]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Show what a site profile selects, and what looks wrong; nothing is stored"

    def long_desc(self) -> str:
        """Return the text of ``scrapy trysite -h``."""
        return (
            f"{self.short_desc()}. PROFILE is the name of a shipped profile or a file, URL a list "
            "page (default: the first of the profile). The exit code is 3 if something looks wrong."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Site profile").add_argument
        add(
            "--articles",
            type=whole_number(0, 20),
            default=3,
            metavar="N",
            help="number of articles to fetch (default: 3)",
        )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Fetch the pages and show what the profile reads."""
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.crawling.list_response import list_page_problems
        from focuscrawl.sites.profile_checks import article_problems
        from focuscrawl.sites.site_profile import load_profile

        if not 1 <= len(args) <= 2:
            raise ArgumentError("give a profile, and at most one URL: scrapy trysite PROFILE [URL]")
        profile, today = load_profile(args[0]), date.today()
        url = args[1] if len(args) > 1 else profile.start_urls[0]
        problems: list[str] = []

        def find_rules(response: Response) -> AnyListRules:
            found = list_page_problems(response, profile, today)
            problems.extend(problem.sentence for problem in found)
            return profile.list

        assert self.settings is not None
        samples = fetch_samples(self.settings, url, find_rules, opts.articles, profile.name)
        show_entries(samples)
        articles = read_articles(samples, profile, today, problems)
        show_articles(articles)
        entries = {entry.url for entry in samples.entries}
        problems += [*article_problems(articles, profile, entries), *samples.failures]
        for problem in problems:
            print(f"problem: {problem}")
        self.exitcode = 3 if problems else 0
