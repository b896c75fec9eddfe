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
    page_url,
    read_articles,
    show_articles,
    show_entries,
    show_files,
)
from focuscrawl.errors import ArgumentError, FocuscrawlError, ProfileError

if TYPE_CHECKING:
    from scrapy.http import Response

    from focuscrawl.sites.profile_checks import Problem
    from focuscrawl.sites.site_profile import AnyListRules, SiteProfile


class Command(PlainCommand):
    """Shows what the rules of a profile select on a list page and some of its articles."""

    usage = "PROFILE [URL] [--articles N]"
    summary = "Show what a site profile selects, and what looks wrong; nothing is stored"
    explanation = (
        f"{summary}. PROFILE is the name of a shipped profile or a file, URL a list "
        "page (default: the first of the profile) or an article. The exit code is 3 if something looks wrong."
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
        url = page_url(args[1]) if len(args) > 1 else profile.start_urls[0]
        checked: list[Problem] = []
        responses: list[Response] = []

        def find_rules(response: Response) -> AnyListRules:
            responses.append(response)
            checked.extend(list_page_problems(response, profile, today, profile.start_urls))
            return profile.list

        assert self.settings is not None
        try:
            samples = fetch_samples(self.settings, url, find_rules, opts.articles, profile)
        except FocuscrawlError:
            # A URL that is given may be that of an article.
            if len(args) < 2 or not responses or not _show_article(responses[0], profile, today):
                raise
            return
        if profile.login:
            print(f"login: {profile.login.url}, done")
        if samples.entries:
            show_entries(samples)
        unread: list[str] = []
        articles = read_articles(samples, profile, today, unread)
        show_articles(articles)
        show_files(samples)
        checked += article_problems(articles, profile, {entry.url for entry in samples.entries})
        problems = [one.sentence for one in checked if not one.may_be_right]
        problems += [*unread, *samples.failures]
        for problem in problems:
            print(f"problem: {problem}")
        for one in checked:
            if one.may_be_right:
                print(f"note: {one.sentence}")
        self.exitcode = 3 if problems else 0


def _show_article(response: Response, profile: SiteProfile, today: date) -> bool:
    """Show what the profile reads on the page of an article; return whether it reads anything."""
    from focuscrawl.crawling.fetched_page import page_tree
    from focuscrawl.sites.page_reading import ListEntry, read_article_page

    try:
        root, encoding = page_tree(response)
        page = read_article_page(root, response.url, profile, today, encoding)
    except ProfileError:
        return False
    show_articles([(ListEntry(response.url, "", None, ""), page)])
    print(f"next page of the article: {page.next_url or 'none'}")
    return True
