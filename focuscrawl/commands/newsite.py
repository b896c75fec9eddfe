"""``scrapy newsite``: a site profile made from the URL of a list page."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.option_types import whole_number
from focuscrawl.command_support.output_file import text_output
from focuscrawl.command_support.page_samples import (
    fetch_samples,
    page_url,
    read_articles,
    show_articles,
    show_entries,
    show_files,
)
from focuscrawl.errors import ArgumentError, FocuscrawlError, ProfileError
from focuscrawl.system.durable_files import made_folder
from focuscrawl.system.yaml_files import parse_yaml

if TYPE_CHECKING:
    from scrapy.http import Response

    from focuscrawl.crawling.page_sampler import PageSamples
    from focuscrawl.sites.induction.profile_draft import AnyDraft
    from focuscrawl.sites.site_profile import AnyListRules, SiteProfile

_FOLDER = Path("sites")
_BODIES = 2
_ATTACHED = (
    "sample articles link to files; article.attachments: read adds their text to the article"
)
_PRICES = "most sample articles have prices, which are read; delete reader: prices if they are none"


class Command(PlainCommand):
    """Writes ``sites/NAME.yaml``, a profile that selects the main list of a page and its articles."""

    usage = "URL [--name NAME] [--articles N] [--link URL] [--no-feed] [--drawn] [--json] [--force]"
    summary = "Write a site profile from the URL of a page that lists articles, or of a feed"
    explanation = (
        f"{summary}: fetch the page and a few of its articles, write "
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
        add(
            "--link",
            default="",
            metavar="URL",
            help="for JSON: URL of an article with {id} in place of the value of its key id",
        )
        add("--no-feed", action="store_true", help="read the page even if its feed has as much")
        add(
            "--drawn",
            action="store_true",
            help="describe the page as a browser draws it, also if its list is there as JSON",
        )
        add("--json", action="store_true", help="print the result as one line of JSON")
        add("--force", action="store_true", help="overwrite an existing profile")

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Write the profile and show what it selects."""
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.articles.article_page import attached_files
        from focuscrawl.prices.quote_reader import have_prices
        from focuscrawl.sites.induction.feed_draft import has_whole_texts
        from focuscrawl.sites.induction.profile_draft import draft_articles, profile_yaml
        from focuscrawl.sites.profile_checks import article_problems
        from focuscrawl.sites.site_profile import SiteProfile

        url = _list_url(args)
        name = opts.name or _name(url)
        file = _FOLDER / f"{name}.yaml"
        if not re.fullmatch(r"[\w-]+", name):
            raise ArgumentError(f"--name {name}: use letters, digits, - and _")
        if opts.link:
            _check_link(opts.link)
        if file.exists() and not opts.force:
            raise ArgumentError(f"{file} exists; --force overwrites it, --name gives another name")
        today = date.today()
        drafts: dict[str, tuple[AnyDraft, Any]] = {}

        def find_rules(response: Response) -> AnyListRules:
            link = opts.link or response.meta.get("link", "")
            drafts[response.url] = _draft(response, today, link)
            return drafts[response.url][0].rules

        assert self.settings is not None
        wants_feeds = not opts.no_feed
        samples = fetch_samples(
            self.settings,
            url,
            find_rules,
            opts.articles,
            wants_feeds=wants_feeds,
            ignores_data=opts.drawn,
        )
        if samples.url not in drafts:
            raise FocuscrawlError(
                f"{url} could not be read by a fault of the program; please report it"
            )
        lists, list_page = drafts[samples.url]
        articles = draft_articles(samples.articles, list_page, today)
        lists, notes = _with_feed(samples, lists)
        if samples.files:
            notes.append(
                f"{len(samples.files)} sample articles are files, which crawls read as well"
            )
            articles = articles if samples.articles else replace(articles, doubts=[])
        start = samples.index or samples.url
        bare = SiteProfile.model_validate(
            {"name": name, "start_urls": [start], "list": lists.rules} | {"article": articles.rules}
        )
        if any(attached_files(page, one.url, bare, "utf-8") for one, page in samples.articles):
            articles.doubts.append(_ATTACHED)
        unread: list[str] = []
        read = read_articles(samples, bare, today, unread)
        if has_whole_texts(read):
            articles = replace(articles, rules=articles.rules.model_copy(update={"feed": True}))
        texts = [(page.title or entry.title, page.text) for entry, page in read]
        texts += [(entry.title, file.text) for entry, file in samples.files]
        with_prices = have_prices(texts)
        if with_prices:
            articles.doubts.append(_PRICES)
        text = profile_yaml(
            name,
            start,
            lists,
            articles,
            today,
            samples.drawn,
            with_prices=with_prices,
            cookies=samples.cookies,
            notes=notes,
        )
        profile = parse_yaml(text, SiteProfile, f"site profile {name}", ProfileError, "")
        doubts = [*lists.doubts, *articles.doubts, *unread]
        entries = {entry.url for entry in samples.entries}
        doubts += [problem.sentence for problem in article_problems(read, profile, entries)]
        doubts += samples.failures
        made_folder(_FOLDER, ArgumentError, "run this in a folder of yours")
        # A crawl may read the file at any moment, and a full disk must leave the earlier one.
        with text_output(str(file), "utf-8") as out:
            out.write(text)
        if opts.json:
            print(_json_line(file, profile, samples, lists, doubts))
        else:
            show_entries(samples)
            show_articles(read[:_BODIES])
            show_files(samples)
            print(*(f"note: {note}\n" for note in notes), sep="", end="")
            _explain(file, samples, lists, doubts)


def _draft(response: Response, today: date, link: str) -> tuple[AnyDraft, Any]:
    """Return the rules for a list page, and its tree without scripts, None for JSON and feeds."""
    from focuscrawl.crawling.fetched_page import page_tree
    from focuscrawl.crawling.list_response import feed_text, is_feed, is_json, json_content
    from focuscrawl.sites.feed_list import read_feed
    from focuscrawl.sites.induction.feed_draft import draft_feed
    from focuscrawl.sites.induction.json_draft import draft_json
    from focuscrawl.sites.induction.list_draft import draft_list
    from focuscrawl.sites.site_profile import FeedListRules

    if not link and is_feed(response):
        every = FeedListRules(feed="")
        page = read_feed(feed_text(response), response.url, every, today)
        return draft_feed(page, response.url), None
    if is_json(response):
        return draft_json(json_content(response), response.url, today, link), None
    if link:
        raise ProfileError(
            f"--link is for lists of JSON, and {response.url} is a page; leave it out"
        )
    root = page_tree(response)[0]
    return draft_list(root, response.url, today), root


def _with_feed(samples: PageSamples, lists: AnyDraft) -> tuple[AnyDraft, list[str]]:
    """Return the draft of a feed in place of the list that it has whole, and notes on how far it goes back."""
    from focuscrawl.sites.induction.feed_draft import FeedDraft, compare_feed

    if samples.index and isinstance(lists, FeedDraft):
        said = f"the start URL is the index {samples.index}; the entries are those of {samples.url}"
        return replace(lists, pages=None), [said]
    notes = []
    for url, feed in samples.feeds:
        draft, said = compare_feed(feed, url, samples.entries, lists.pages)
        notes.append(said)
        if draft is None:
            continue
        notes[-1] += f"; the feed is read, scrapy newsite --no-feed {samples.url} reads the list"
        samples.url, samples.entries, samples.next_url = url, feed.entries, ""
        named = {entry.url: entry for entry in feed.entries}
        samples.articles = [(named.get(one.url, one), page) for one, page in samples.articles]
        return draft, notes
    return lists, notes


def _check_link(link: str) -> None:
    from focuscrawl.sites.site_profile import checked_link, filled_in

    try:
        checked_link(link)
    except ValueError as error:
        if "{" in link or "}" in link:
            raise ArgumentError(f"--link {link}: {error}") from None
    if not filled_in(link):
        raise ArgumentError(f"--link {link}: put a key of the entries in braces, such as {{id}}")


def _list_url(args: list[str]) -> str:
    if len(args) != 1:
        raise ArgumentError("give the URL of one page that lists articles: scrapy newsite URL")
    return page_url(args[0])


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


def _json_line(
    file: Path,
    profile: SiteProfile,
    samples: PageSamples,
    lists: AnyDraft,
    doubts: list[str],
) -> str:
    rules = profile.model_dump(by_alias=True, exclude_defaults=True)
    facts = {
        "profile": str(file),
        "url": samples.url,
        "entries": len(samples.entries),
        "pages": lists.pages,
        "next": samples.next_url,
        "articles": len(samples.articles) + len(samples.files),
        "render": profile.render,
        "undrawn": samples.undrawn,
        "data_of": samples.data_of,
        "reader": profile.reader,
        "list": rules["list"],
        "article": rules.get("article", {}),
        "doubts": doubts,
    }
    return json.dumps(facts, ensure_ascii=False)


def _explain(file: Path, samples: PageSamples, lists: AnyDraft, doubts: list[str]) -> None:
    if samples.frame_of:
        print(
            f"{samples.frame_of} shows the list in a frame, which is the start URL: {samples.url}"
        )
    count, pages = len(samples.entries), lists.pages
    if samples.data_of:
        print(
            f"{samples.data_of} is drawn by a script from {samples.url}: the profile reads that JSON, "
            "which takes one request and no browser (--drawn describes the drawn page)"
        )
    elif "list" in samples.drawn:
        print(
            f"the list appears only after scripts have run: {count} entries, {samples.undrawn} before; "
            "the profile says render, and crawls need Chromium"
        )
    if "article" in samples.drawn:
        print("the articles have text only after scripts have run; Chromium draws each of them")
    if pages is None:
        print(f"expected: an unknown number of list pages of {count} entries")
    elif pages == 1:
        print(f"expected: {count} entries on this page only")
    else:
        print(f"expected: {pages} list pages of {count} entries, about {pages * count} in all")
    for doubt in doubts:
        print(f"uncertain: {doubt}")
    print(
        f"{file}: written. Check it by `scrapy trysite {file}`, crawl by `scrapy crawl list -a site={file}`"
    )
