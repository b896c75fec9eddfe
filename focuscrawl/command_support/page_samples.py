"""Sample pages for commands: fetched by a crawl, and shown as a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from focuscrawl.command_support.project_settings import add_environment, provide_spiders
from focuscrawl.command_support.setting_errors import crawl_error, named_settings
from focuscrawl.crawl_run import ERROR_STAT
from focuscrawl.errors import ArgumentError, FocuscrawlError, ProfileError
from focuscrawl.system.package_extras import has_browser, require_browser

if TYPE_CHECKING:
    from focuscrawl.crawling.page_sampler import FindRules, PageSamples, Sampler
    from focuscrawl.scoring.page_log_odds import PageText
    from focuscrawl.sites.page_reading import ArticlePage, ListEntry
    from focuscrawl.sites.site_profile import SiteProfile

_ENTRIES_SHOWN = 5
_SHOWN = 60


def page_url(text: str) -> str:
    """Return the URL in an argument, which may lack ``http://``; raises ArgumentError if it is none."""
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ArgumentError(f"{text or 'an empty text'} is not an http or https URL")
    return url


def fetch_samples(
    settings: Settings,
    url: str,
    find_rules: FindRules,
    count: int,
    profile: SiteProfile | None = None,
    *,
    wants_feeds: bool = False,
    ignores_data: bool = False,
) -> PageSamples:
    """Fetch a list page and ``count`` of its articles with the settings of the project.

    ``find_rules`` returns the rules of the list page, ``profile`` has the login; with ``wants_feeds``, the
    feeds that the page links to are fetched, too. A browser draws what the profile says; without one, what
    scripts draw, if a browser is installed. Raises a FocuscrawlError if the page cannot be
    fetched or read.
    """
    from focuscrawl.crawling.page_sampler import PageSampler, PageSamples

    samples = PageSamples(url)
    add_environment(settings)
    program, is_replay = (
        settings.get("FOCUSCRAWL_CHROMIUM"),
        bool(settings.get("FOCUSCRAWL_REPLAY")),
    )
    renders = profile is None and (is_replay or has_browser(program))
    if profile and profile.render and not is_replay:
        require_browser(program)
    options = {"wants_feeds": wants_feeds, "renders": renders, "ignores_data": ignores_data}
    _run(settings, PageSampler, samples, find_rules, count, profile, **options)
    return samples


def fetch_texts(settings: Settings, urls: Sequence[str]) -> tuple[dict[str, PageText], list[str]]:
    """Fetch pages with the settings of the project.

    Returns the title and the main text by URL, and sentences about the pages that cannot be read.
    """
    from focuscrawl.crawling.page_sampler import TextSampler

    texts: dict[str, PageText] = {}
    failures: list[str] = []
    _run(settings, TextSampler, urls, texts, failures)
    return texts, failures


def _run(settings: Settings, spider: type[Sampler], *arguments: Any, **options: Any) -> None:
    provide_spiders(settings)
    with named_settings(settings):
        process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider)
    task = process.crawl(crawler, *arguments, **options)
    process.start()
    if error := crawl_error(task, crawler.settings):
        raise error
    if crawler.stats.get_value("finish_reason") in (None, "shutdown"):
        raise KeyboardInterrupt
    if sentence := crawler.stats.get_value(ERROR_STAT):
        raise FocuscrawlError(sentence)


def show_entries(samples: PageSamples) -> None:
    """Print the first entries of the list page, and the URL of the next one."""
    from rich.console import Console
    from rich.table import Table

    title = f"{len(samples.entries)} entries of {samples.url}"
    table = Table(title=title, title_justify="left")
    for column in ("date", "title", "URL"):
        table.add_column(column, overflow="fold")
    for entry in samples.entries[:_ENTRIES_SHOWN]:
        table.add_row(str(entry.published or "-"), entry.title, entry.url)
    Console(file=sys.stdout, highlight=False).print(table)
    print(f"next list page: {samples.next_url or 'none'}")


def read_articles(
    samples: PageSamples, profile: SiteProfile, today: date, problems: list[str]
) -> list[tuple[ListEntry, ArticlePage]]:
    """Return the articles as the profile reads them, and files; add the reason for each that it does not."""
    from focuscrawl.sites.feed_list import feed_article
    from focuscrawl.sites.page_reading import ArticlePage, read_article_page

    files = [(entry, file) for entry, file in samples.files if file.text]
    read = [(entry, ArticlePage("", file.text, None, "")) for entry, file in files]
    for entry, file in samples.files:
        problems += [f"{entry.url} ({file.kind}): {reason}" for reason in file.lacks]
    for entry, page in samples.articles:
        if profile.article.feed and (whole := feed_article(entry)):
            read.append((entry, whole))
            continue
        try:
            read.append((entry, read_article_page(page, entry.url, profile, today)))
        except ProfileError as error:
            problems.append(str(error))
    return read


def show_articles(articles: Sequence[tuple[ListEntry, ArticlePage]]) -> None:
    """Print date, title, and the beginning and end of the text of articles."""
    from rich.console import Console
    from rich.table import Table

    if not articles:
        return
    table = Table(title="articles", title_justify="left", show_lines=True)
    for column in ("date", "title", "text"):
        table.add_column(column, overflow="fold")
    for entry, page in articles:
        text = " ".join(page.text.split())
        is_short = len(text) <= 2 * _SHOWN
        shown = text if is_short else f"{text[:_SHOWN]} … {text[-_SHOWN:]}"
        further = ", goes on" if page.next_url else ""
        published = page.published or entry.published
        table.add_row(
            str(published or "-"),
            page.title or entry.title,
            f"{shown} ({len(text)} characters{further})",
        )
    Console(file=sys.stdout, highlight=False).print(table)
