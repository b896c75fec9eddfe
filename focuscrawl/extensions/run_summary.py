"""Extension that prints a summary at the end of every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol, runtime_checkable

from scrapy import signals
from scrapy.crawler import Crawler
from twisted.python.failure import Failure

from focuscrawl.crawl_run import (
    CALLBACK_ERRORS_STAT,
    ERROR_STAT,
    FAILED_SEEDS_STAT,
    FAILED_STAT,
    INCOMPLETE_STAT,
    PIPELINE_ERRORS_STAT,
    UNCLOSED_STAT,
    archive_of,
    notes,
    stores_needed,
)
from focuscrawl.items import NumberedArticle, Page, TemplateRecord
from focuscrawl.system.standard_output import print_lines

_ARTICLE_OUTCOMES = ("new", "changed", "unchanged", "gone", "incomplete")
_PAGE_OUTCOMES = ("new", "changed", "unchanged")
_MOST_SEEDS = 10
Line = tuple[str, str]
"""A line of the summary: its label, one word or two, and its text."""


class Results(NamedTuple):
    """Result lines of a run, and lines that say where the results are."""

    counts: list[Line]
    places: list[Line]


@runtime_checkable
class TellsResults(Protocol):
    """A spider whose results are not in the stores, or that adds lines to them."""

    async def results(self) -> Results:
        """Return the result lines of the run."""


class RunSummary:
    """Extension: prints the summary on standard output once spider and stores are closed."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunSummary:
        """Build the extension of a crawler."""
        extension = cls(crawler)
        crawler.signals.connect(extension.item_error, signals.item_error)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def item_error(self, failure: Failure) -> None:
        """Count an error in a pipeline."""
        self.crawler.stats.inc_value(PIPELINE_ERRORS_STAT + type(failure.value).__name__)

    async def spider_closed(self, reason: str) -> None:
        """Print the summary."""
        await self.crawler.signals.send_catch_log_async(stores_needed)
        spider, stats = self.crawler.spider, self.crawler.stats.get_stats()
        if isinstance(spider, TellsResults):
            results = await spider.results()
        else:
            results = stored_results(self.crawler)
        lines = [
            ("pages", _pages(stats)),
            *results.counts,
            *(() if "failed" in dict(results.counts) else counted("failed", FAILED_STAT, stats)),
            *_failed_seeds(stats),
            *_raised(stats),
            *counted("dropped", "focuscrawl/dropped/", stats),
            *(("note", text) for text in notes(self.crawler)),
            *(("not done", text) for text in stats.get(INCOMPLETE_STAT, ())),
            *results.places,
        ]
        if ERROR_STAT in stats:
            lines.append(("error", stats[ERROR_STAT]))
        crawl = getattr(spider, "crawl_name", None) or self.crawler.spidercls.name
        words = [f"{crawl}: {reason}", *(f"  {name:<9} {text}" for name, text in lines)]
        print_lines(words)


def stored_results(crawler: Crawler) -> Results:
    """Return the counts of stored items, by the spider's ``item_class`` (default: articles)."""
    archive, stats = archive_of(crawler), crawler.stats.get_stats()
    kept = getattr(crawler.spider, "item_class", None)
    counts = _COUNTS.get(kept, article_counts)(stats)
    if not (getattr(crawler.spider, "reads_prices", True) or stats.get("focuscrawl/quotes")):
        counts = [line for line in counts if line[0] != "quotes"]
    waiting = [
        (
            "waiting",
            f"{count} records for {label} in {archive.spill_files[label]}; the next run loads them first",
        )
        for label, count in archive.spilled.items()
    ]
    places = [("results" if n == 0 else "", place) for n, place in enumerate(archive.locations)]
    return Results(counts, waiting + places)


def page_counts(stats: dict[str, Any]) -> list[Line]:
    """Return the counts of a topical crawl, from Scrapy's stats."""
    return [("kept", _outcomes(stats, "kept", _PAGE_OUTCOMES))]


def numbered_counts(stats: dict[str, Any]) -> list[Line]:
    """Return the counts of a crawl of numbered articles, from Scrapy's stats."""
    return [
        ("articles", _outcomes(stats, "numbered", _PAGE_OUTCOMES)),
        ("missing", _outcomes(stats, "missing", ("new", "changed", "found"))),
    ]


def record_counts(stats: dict[str, Any]) -> list[Line]:
    """Return the counts of a crawl by a template, from Scrapy's stats."""
    return [("records", _outcomes(stats, "records", (*_PAGE_OUTCOMES, "gone")))]


def article_counts(stats: dict[str, Any]) -> list[Line]:
    """Return the counts of a crawl of articles, from Scrapy's stats."""
    flagged = stats.get("focuscrawl/quotes/flagged", 0)
    quotes = f"{stats.get('focuscrawl/quotes', 0)} read"
    quotes += f", {flagged} flagged (sheet 数据质量)" if flagged else ""
    return [("articles", _outcomes(stats, "articles", _ARTICLE_OUTCOMES)), ("quotes", quotes)]


_COUNTS: dict[type | None, Callable[[dict[str, Any]], list[Line]]] = {
    Page: page_counts,
    NumberedArticle: numbered_counts,
    TemplateRecord: record_counts,
}


def _outcomes(stats: dict[str, Any], group: str, names: Sequence[str]) -> str:
    return ", ".join(f"{stats.get(f'focuscrawl/{group}/{name}', 0)} {name}" for name in names)


def counted(name: str, prefix: str, stats: dict[str, Any]) -> list[Line]:
    """Return one line with all nonzero stats whose names begin with ``prefix``; no line without any."""
    counts = {
        key.removeprefix(prefix): n for key, n in stats.items() if key.startswith(prefix) and n
    }
    words = ", ".join(f"{n} {why}" for why, n in sorted(counts.items()))
    return [(name, words)] if words else []


def _raised(stats: dict[str, Any]) -> list[Line]:
    """Return the errors in callbacks and pipelines, which Scrapy only logs."""
    callbacks = {name: n for name, n in stats.items() if name != f"{CALLBACK_ERRORS_STAT}count"}
    lines = [
        (label, f"{words} in {place}; the log shows where")
        for place, prefix, found in (
            ("callbacks", CALLBACK_ERRORS_STAT, callbacks),
            ("pipelines", PIPELINE_ERRORS_STAT, stats),
        )
        for label, words in counted("raised", prefix, found)
    ]
    if stats.get(UNCLOSED_STAT):
        lines.append(("raised", "1 error in close_spider of pipelines; the log shows where"))
    return lines


def _failed_seeds(stats: dict[str, Any]) -> list[Line]:
    seeds = stats.get(FAILED_SEEDS_STAT, {})
    named = [f"{url} ({reason})" for url, reason in islice(seeds.items(), _MOST_SEEDS)]
    rest = len(seeds) - len(named)
    more = [f"and {rest} more"] if rest else []
    return [("seeds", f"failed: {', '.join(named + more)}")] if named else []


def _pages(stats: dict[str, Any]) -> str:
    requests = stats.get("downloader/request_count", 0)
    responses = stats.get("response_received_count", 0)
    failed = stats.get("focuscrawl/pages/failed", 0)
    return f"{requests} requests, {responses} responses" + (f", {failed} failed" if failed else "")
