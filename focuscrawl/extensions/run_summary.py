"""Extension that prints a summary at the end of every run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
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
    RunningCrawl,
    report_made,
    stores_needed,
)
from focuscrawl.errors import FocuscrawlError
from focuscrawl.items import NumberedArticle, Page, TemplateRecord
from focuscrawl.pipelines.topic import OFF_TOPIC, TopicFilter
from focuscrawl.scheduling.scrapy_engine import wait_until_closed
from focuscrawl.summary.harvest_report import HarvestReport
from focuscrawl.summary.rule_version import rules_of
from focuscrawl.summary.run_report import (
    Clock,
    Line,
    NamedCounts,
    RunReport,
    WorkerTotals,
    add_counts,
    as_text,
)
from focuscrawl.system.standard_output import print_lines

_ARTICLE_OUTCOMES = ("new", "changed", "unchanged", "gone", "incomplete", "failed")
_PAGE_OUTCOMES = ("new", "changed", "unchanged")
_NOTHING_READ = "no worker has read a page so far; check the seeds and the network"


class ResultLines(NamedTuple):
    """Result lines of a run, lines that say where the results are, the counts of each store, the harvest rate."""

    counts: Sequence[Line | NamedCounts]
    places: Sequence[Line]
    stores: Mapping[str, Mapping[str, int]] = {}
    harvest: HarvestReport | None = None


@runtime_checkable
class TellsResults(Protocol):
    """A spider whose results are not in the stores, or that adds lines to them."""

    async def results(self) -> ResultLines:
        """Return the result lines of the run."""


class RunSummary:
    """Extension: makes the report of the run once spider and stores are closed, and prints it.

    With ``is_printed`` false, the report is only kept, for ``scrapy crawl --json``.
    """

    def __init__(self, crawler: Crawler, *, is_printed: bool) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self.report: RunReport | None = None
        self._is_printed = is_printed
        self._clock = Clock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunSummary:
        """Build the extension of a crawler."""
        extension = cls(crawler, is_printed=crawler.settings.getbool("FOCUSCRAWL_SUMMARY", True))
        crawler.signals.connect(extension.item_error, signals.item_error)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def item_error(self, failure: Failure) -> None:
        """Count an error in a pipeline."""
        self.crawler.stats.inc_value(PIPELINE_ERRORS_STAT + type(failure.value).__name__)

    async def engine_stopped(self) -> None:
        """Let the end of the crawl finish: Scrapy cuts it off where a signal arrives in the middle of it."""
        await wait_until_closed(self.crawler)

    async def spider_closed(self, reason: str) -> None:
        """Make the report and print it as text."""
        await self.crawler.signals.send_catch_log_async(stores_needed)
        spider = self.crawler.spider
        if isinstance(spider, TellsResults):
            results = await spider.results()
        else:
            results = stored_results(self.crawler)
        topic = getattr(spider, "topic_filter", None)
        judged = [topic.counts()] if isinstance(topic, TopicFilter) else []
        counts = [_pages(self.crawler.stats.get_stats()), *judged, *results.counts]
        # In a thread, since it asks a server.
        totals = await asyncio.to_thread(self._totals, counts)
        if totals.workers and not totals.counts["pages"]["responses"]:
            self.run.mark_incomplete(_NOTHING_READ)
        self.report = self._make_report(reason, results, counts, totals)
        if self._is_printed:
            print_lines(as_text(self.report))
        await self.crawler.signals.send_catch_log_async(report_made, report=self.report)

    def _totals(self, counts: Sequence[Line | NamedCounts]) -> WorkerTotals:
        """Return the counts of all workers of the crawl that have ended, this one among them."""
        services = getattr(self.crawler.engine.scheduler, "services", None)
        if services and services.pages:
            try:
                return add_counts(services.pages, counts)
            except FocuscrawlError as error:
                self.run.note(f"the counts of the other workers are not known: {error}")
        return WorkerTotals(0, {})

    def _make_report(
        self,
        reason: str,
        results: ResultLines,
        counts: Sequence[Line | NamedCounts],
        totals: WorkerTotals,
    ) -> RunReport:
        stats = self.crawler.stats.get_stats()
        return RunReport(
            crawl=self.run.name,
            spider=self.crawler.spidercls.name,
            began=self._clock.began,
            seconds=self._clock.seconds,
            reason=reason,
            rules=rules_of(self.crawler.spider),
            counts=counts,
            failed=_counted(FAILED_STAT, stats),
            failed_seeds=stats.get(FAILED_SEEDS_STAT, {}),
            raised=_raised(stats),
            dropped=_dropped(stats),
            notes=self.run.notes,
            not_done=stats.get(INCOMPLETE_STAT, ()),
            alarms=_alarms(self.crawler, reason),
            places=results.places,
            stores=results.stores,
            harvest=results.harvest,
            error=stats.get(ERROR_STAT, ""),
            worker=self.run.worker,
            workers=totals.workers,
            together=totals.counts,
        )


def stored_results(crawler: Crawler) -> ResultLines:
    """Return the counts of stored items, by the spider's ``item_class`` (default: articles).

    Without stores there are none.
    """
    run = RunningCrawl.of(crawler)
    if not run.has_archive:
        return ResultLines([], [])
    archive, stats = run.archive, crawler.stats.get_stats()
    kept = getattr(crawler.spider, "item_class", None)
    counts = _COUNTS.get(kept, article_counts)(stats)
    if not (getattr(crawler.spider, "reads_prices", True) or stats.get("focuscrawl/quotes")):
        counts = [line for line in counts if line[0] != "quotes"]
    is_of_articles = hasattr(crawler.spider, "reads_prices")
    if not (kept or is_of_articles or _counted("focuscrawl/articles/", stats)):
        counts = []
    # A spider of one's own may yield records of any kind, and further items.
    for group in ("kept", "records", "items"):
        if group not in {line.label for line in counts} and _counted(f"focuscrawl/{group}/", stats):
            counts = [*counts, _outcomes(stats, group, _PAGE_OUTCOMES)]
    waiting = [
        (
            "waiting",
            f"{count} records for {label} in {archive.spill_files[label]}; the next run loads them first",
        )
        for label, count in archive.spilled.items()
    ]
    places = [("results" if n == 0 else "", place) for n, place in enumerate(archive.locations)]
    stores = {
        label: {name: getattr(written, name) for name in _ARTICLE_OUTCOMES}
        | {"waiting": archive.spilled.get(label, 0)}
        for label, written in archive.counts.items()
    }
    return ResultLines(counts, waiting + places, stores)


def page_counts(stats: dict[str, Any]) -> list[NamedCounts]:
    """Return the counts of a topical crawl, from Scrapy's stats."""
    return [_outcomes(stats, "kept", _PAGE_OUTCOMES)]


def numbered_counts(stats: dict[str, Any]) -> list[NamedCounts]:
    """Return the counts of a crawl of numbered articles, from Scrapy's stats."""
    return [
        _outcomes(stats, "numbered", _PAGE_OUTCOMES, "articles"),
        _outcomes(stats, "missing", ("failed", "found")),
    ]


def record_counts(stats: dict[str, Any]) -> list[NamedCounts]:
    """Return the counts of a crawl by a template, from Scrapy's stats."""
    return [_outcomes(stats, "records", (*_PAGE_OUTCOMES, "gone"))]


def article_counts(stats: dict[str, Any]) -> list[NamedCounts]:
    """Return the counts of a crawl of articles, from Scrapy's stats."""
    read, flagged = stats.get("focuscrawl/quotes", 0), stats.get("focuscrawl/quotes/flagged", 0)
    quotes = f"{read} read" + (f", {flagged} flagged (sheet 数据质量)" if flagged else "")
    files = dict(sorted(_counted("focuscrawl/files/", stats).items()))
    return [
        _outcomes(stats, "articles", _ARTICLE_OUTCOMES),
        *([NamedCounts("files", files)] if files else []),
        NamedCounts("quotes", {"read": read, "flagged": flagged}, quotes),
    ]


_COUNTS: dict[type | None, Callable[[dict[str, Any]], list[NamedCounts]]] = {
    Page: page_counts,
    NumberedArticle: numbered_counts,
    TemplateRecord: record_counts,
}


def _outcomes(
    stats: dict[str, Any], group: str, names: Sequence[str], label: str = ""
) -> NamedCounts:
    counts = {name: stats.get(f"focuscrawl/{group}/{name}", 0) for name in names}
    return NamedCounts(label or group, counts)


def _counted(prefix: str, stats: dict[str, Any]) -> dict[str, int]:
    """Return all nonzero stats whose names begin with ``prefix``, by the rest of the name."""
    return {key.removeprefix(prefix): n for key, n in stats.items() if key.startswith(prefix) and n}


def _dropped(stats: dict[str, Any]) -> dict[str, int]:
    """Return the dropped URLs and items by reason; Scrapy drops long URLs itself."""
    long = stats.get("urllength/request_ignored_count")
    return _counted("focuscrawl/dropped/", stats) | ({"over URLLENGTH_LIMIT": long} if long else {})


def _raised(stats: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return the errors in callbacks and pipelines, which Scrapy only logs, by place and class."""
    callbacks = {name: n for name, n in stats.items() if name != f"{CALLBACK_ERRORS_STAT}count"}
    errors = {
        "callbacks": _counted(CALLBACK_ERRORS_STAT, callbacks),
        "pipelines": _counted(PIPELINE_ERRORS_STAT, stats),
        "close_spider of pipelines": {"error": int(stats.get(UNCLOSED_STAT, 0))},
    }
    return {place: counts for place, counts in errors.items() if any(counts.values())}


def _alarms(crawler: Crawler, reason: str) -> list[str]:
    """Return what is wrong with a run that has ended without an error."""
    stats = crawler.stats.get_stats()
    if reason != "finished" or stats.get(ERROR_STAT) or stats.get(INCOMPLETE_STAT):
        return []
    # Crawls of numbered articles or by a template look for new ones, and there may be none; and all
    # work may be that of other workers.
    run = RunningCrawl.of(crawler)
    is_of_others = hasattr(crawler.spider, "item_class") or isinstance(crawler.spider, TellsResults)
    is_of_others = is_of_others or bool(run.worker) or not run.has_archive
    # The items of a spider of one's own may be of any class.
    has_some = _counted("focuscrawl/articles/", stats) or stats.get("item_scraped_count")
    if is_of_others or has_some or OFF_TOPIC in _dropped(stats):
        return []
    return ["no article was found, neither new nor known; check the arguments and the site"]


def _pages(stats: dict[str, Any]) -> NamedCounts:
    requests = stats.get("downloader/request_count", 0)
    responses = stats.get("response_received_count", 0)
    failed = stats.get("focuscrawl/pages/failed", 0)
    text = f"{requests} requests, {responses} responses" + (f", {failed} failed" if failed else "")
    return NamedCounts(
        "pages", {"requests": requests, "responses": responses, "failed": failed}, text
    )
