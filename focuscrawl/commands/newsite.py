"""``scrapy newsite``: a site profile made from the URL of a list page."""

from __future__ import annotations

import argparse
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import whole_number
from focuscrawl.command_support.page_samples import fetch_samples, show_entries
from focuscrawl.errors import ArgumentError

if TYPE_CHECKING:
    from lxml.etree import _Element

    from focuscrawl.crawling.page_sampler import PageSamples
    from focuscrawl.sites.induction.list_draft import ListDraft
    from focuscrawl.sites.site_profile import ListRules

_FOLDER = Path("sites")


class Command(PlainCommand):
    """Writes ``sites/NAME.yaml``, a profile that selects the main list of a page and its articles."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "URL [--name NAME] [--articles N] [--force]"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Write a site profile from the URL of a page that lists articles"

    def long_desc(self) -> str:
        """Return the text of ``scrapy newsite -h``."""
        return (
            f"{self.short_desc()}: fetch the page and a few of its articles, write "
            f"{_FOLDER}/NAME.yaml, and show what the profile selects and what is uncertain."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Site profile").add_argument
        add("--name", help="name of the profile (default: from the host)")
        add(
            "--articles",
            type=whole_number(1, 20),
            default=3,
            metavar="N",
            help="number of articles to fetch (default: 3)",
        )
        add("--force", action="store_true", help="overwrite an existing profile")

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the profile and show what it selects."""
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.sites.induction.list_draft import draft_list
        from focuscrawl.sites.induction.profile_draft import draft_articles, profile_yaml

        url = _list_url(args)
        name = opts.name or _name(url)
        file = _FOLDER / f"{name}.yaml"
        if not re.fullmatch(r"[\w-]+", name):
            raise ArgumentError(f"--name {name}: use letters, digits, - and _")
        if file.exists() and not opts.force:
            raise ArgumentError(f"{file} exists; --force overwrites it, --name gives another name")
        today = date.today()
        drafts: list[ListDraft] = []

        def find_rules(page: _Element, address: str) -> ListRules:
            drafts.append(draft_list(page, address, today))
            return drafts[0].rules

        assert self.settings is not None
        samples = fetch_samples(self.settings, url, find_rules, opts.articles)
        assert samples.list_page is not None
        articles = draft_articles(samples.articles, samples.list_page, today)
        _write(file, profile_yaml(name, samples.url, drafts[0], articles, today))
        _show(file, samples, [*drafts[0].doubts, *articles.doubts])


def _list_url(args: list[str]) -> str:
    if len(args) != 1:
        raise ArgumentError("give the URL of one page that lists articles: scrapy newsite URL")
    url = args[0] if "://" in args[0] else f"http://{args[0]}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ArgumentError(f"{args[0]} is not an http or https URL")
    return url


def _name(url: str) -> str:
    """Return the host without www and the top-level domain, such as ``yz88`` for www.yz88.cn."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    labels = host.split(".")
    name = (
        labels[0]
        if len(labels) < 3 or labels[-2] in ("com", "github", "gov", "net", "org")
        else "-".join(labels[:-1])
    )
    return re.sub(r"[^\w-]", "-", name)


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"cannot write {file}: {error.strerror}") from None


def _show(file: Path, samples: PageSamples, doubts: list[str]) -> None:
    show_entries(samples)
    for doubt in (*doubts, *samples.failures):
        print(f"uncertain: {doubt}")
    print(
        f"{file}: written. Check it by `scrapy trysite {file}`, crawl by `scrapy crawl list -a site={file}`"
    )
