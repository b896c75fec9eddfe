"""Crawl that collects labelled links with their contexts, the training data of link classifiers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import HtmlResponse, Response
from scrapy.utils.response import get_meta_refresh
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArgumentError, FocuscrawlError
from focuscrawl.extensions.run_summary import ResultLines
from focuscrawl.frontier.frontier_entries import FATAL
from focuscrawl.scheduling.request_errback import (
    HostUnavailableError,
    is_forbidden,
    is_refused,
    reason_of,
    request_of,
)
from focuscrawl.scheduling.scrapy_engine import is_closing
from focuscrawl.spider_arguments import LabelsArguments, parse_arguments
from focuscrawl.system.machine_faults import machine_fault

if TYPE_CHECKING:
    from focuscrawl.labelling.label_collector import LabelCollector, LabelTally
    from focuscrawl.topics import Topic

_T = TypeVar("_T")
_REDIRECTS = (301, 302, 303, 307, 308)
_BATCH = 100
# After so long without a response, and without a pausing host, the walk continues without the pending pages.
_SILENT_SECONDS = 5.0


class LabelsSpider(Spider):
    """Walks breadth-first from the seeds of a topic; every link goes into ``labels-TOPIC.sqlite``.

    Arguments: see :class:`~focuscrawl.spider_arguments.LabelsArguments`.
    """

    name = "labels"
    run: RunningCrawl
    argument_model = LabelsArguments
    text_only = True
    # The label file knows which pages are to be fetched.
    discards_frontier = True
    custom_settings: dict[str, Any] | None = {  # noqa: RUF012
        "SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",
        # Its pages are not articles and belong into no database or workbook.
        "ITEM_PIPELINES": {
            "focuscrawl.pipelines.dedup.DedupPipeline": None,
            "focuscrawl.pipelines.prices.PricesPipeline": None,
            "focuscrawl.pipelines.store.StorePipeline": None,
        },
        # The spider waits for every response, whatever its status.
        "HTTPERROR_ALLOW_ALL": True,
        "SPIDER_MIDDLEWARES": {"scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None},
    }

    def __init__(self, arguments: LabelsArguments, topic: Topic) -> None:
        super().__init__()
        self.arguments = arguments
        self.topic = topic
        self.named_urls = _seeds(arguments, topic)
        self.crawl_name = f"{self.name}-{topic.name}"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="labels")
        self._collector: LabelCollector | None = None
        self._pending = 0
        self._refused: list[str] = []
        self._has_response = asyncio.Event()
        self._has_ended = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> LabelsSpider:
        """Build the spider; raises ArgumentError or TopicError before any request."""
        # Imported here: every crawl loads the modules of all spiders.
        from focuscrawl.topics import DEFAULT_FOLDER, load_topic

        arguments = parse_arguments(cls.argument_model, kwargs, cls.name)
        # The add-on sets its defaults after the spider is built.
        folder = Path(crawler.settings.get("FOCUSCRAWL_TOPICS") or DEFAULT_FOLDER)
        spider = cls(arguments, load_topic(arguments.topic, folder))
        spider._set_crawler(crawler)
        spider.run = RunningCrawl.of(crawler)
        crawler.signals.connect(spider.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(spider.request_dropped, signals.request_dropped)
        return spider

    @property
    def file(self) -> Path:
        """The label file."""
        return self.run.data_folder() / f"labels-{self.topic.name}.sqlite"

    async def start(self) -> AsyncIterator[Request]:
        """Request the pages of one level after another, until there are none."""
        collector = self._collector = await self._in_thread(self._open)
        while True:
            pages = await self._in_thread(collector.take, _BATCH)
            for page in pages:
                self._pending += 1
                yield self._request(page.url)
                await self._store_refused()
            if not (pages or self._pending):
                break
            # The next level begins after the last response of this one.
            if not pages and not await self._all_received():
                await self._in_thread(collector.stop_waiting)
        self._has_ended = True
        await self._check_pages(collector)

    async def parse_page(self, response: Response, page: str) -> None:
        """Store the links of a page, its redirect, or the reason why it has none."""
        async with self._received() as collector:
            if target := _redirect_target(response):
                await self._in_thread(collector.add_redirect, page, target)
            elif response.status != 200:
                await self._store_failure(page, "failed", f"HTTP {response.status}")
            elif not isinstance(response, HtmlResponse):
                await self._store_failure(page, "skipped", "no HTML")
            else:
                relevant = await self._in_thread(
                    collector.add_html, page, response.text, response.encoding
                )
                self.crawler.stats.inc_value("focuscrawl/pages/relevant", int(relevant or 0))

    async def failed_page(self, failure: Failure) -> None:
        """Store the reason why there is no page."""
        page = request_of(failure).cb_kwargs["page"]
        error = failure.value
        async with self._received():
            if fault := machine_fault(error):
                raise fault
            if isinstance(error, HostUnavailableError) and is_closing(self.crawler):
                # The host was to be tried again: the next run takes the page.
                return
            if isinstance(error, StopDownload):
                await self._store_failure(page, "skipped", "no HTML")
            elif is_forbidden(failure):
                await self._store_failure(page, "forbidden", "robots.txt")
            elif isinstance(error, IgnoreRequest):
                reason = reason_of(failure)
                await self._store_failure(page, "skipped", reason, is_counted=is_refused(failure))
            else:
                await self._store_failure(page, "failed", reason_of(failure))

    async def results(self) -> ResultLines:
        """Return the figures of the label file."""
        if self._collector is None:
            return ResultLines([], [("file", str(self.file))])
        tally = await self._in_thread(self._collector.tally)
        places = [("results", str(self.file.resolve())), ("next", self._next_step(tally))]
        return ResultLines(tally.lines(), places)

    def closed(self, reason: str) -> None:
        """Mark the run as incomplete if no seed could be read."""
        self.run.check_seeds(len(set(self.named_urls)))

    def request_dropped(self, request: Request) -> None:
        """Record a page that the frontier refuses."""
        # A frontier that cannot write refuses all pages, and says nothing of them.
        if not self.run.has_failed:
            self._refused.append(request.cb_kwargs["page"])

    async def engine_stopped(self) -> None:
        """Close the label file."""
        if self._collector:
            await self._in_thread(self._collector.close)
        self._thread.shutdown(wait=False)

    def _waits_for_pause(self) -> bool:
        # With -s SCHEDULER=… it may be one that does not know.
        waits = getattr(self.crawler.engine.scheduler, "waits_for_pause", None)
        return waits is not None and waits()

    def _open(self) -> LabelCollector:
        from focuscrawl.labelling.label_collector import open_collector

        given = self.arguments
        collector = open_collector(
            self.topic,
            self.file,
            labels=given.labels,
            models=Path(self.settings["FOCUSCRAWL_MODELS"]),
            max_pages=given.max_pages,
            max_pages_per_site=given.max_pages_per_site,
            depth=given.depth,
        )
        collector.begin(self.named_urls)
        return collector

    def _request(self, url: str) -> Request:
        return Request(
            url,
            self.parse_page,
            errback=self.failed_page,
            cb_kwargs={"page": url},
            # A redirect is stored like a page: its target may be known or on the blacklist.
            meta={"dont_redirect": True},
            dont_filter=True,
        )

    @asynccontextmanager
    async def _received(self) -> AsyncIterator[LabelCollector]:
        """Count a page as received, however its processing ends."""
        assert self._collector is not None
        try:
            yield self._collector
        except FocuscrawlError as error:
            self.run.fail(error)
        finally:
            self._pending -= 1
            self._has_response.set()

    async def _all_received(self) -> bool:
        """Wait for all pending pages; return False if servers do not respond for too long."""
        while self._pending:
            self._has_response.clear()
            try:
                await asyncio.wait_for(self._has_response.wait(), _SILENT_SECONDS)
            except TimeoutError:
                if not self._waits_for_pause():
                    return False
        return True

    async def _store_refused(self) -> None:
        """Store pages that the frontier has refused as failed, because they kill the crawler."""
        while self._refused:
            async with self._received():
                await self._store_failure(self._refused.pop(), "failed", FATAL.reason)

    async def _check_pages(self, collector: LabelCollector) -> None:
        tally = await self._in_thread(collector.tally)
        if tally.failures and not tally.counts.pages["done"]:
            self.run.remember(
                FocuscrawlError(
                    f"no page could be read ({tally.reasons()}); check the network, or give other seeds"
                ),
            )

    async def _store_failure(
        self, page: str, state: str, reason: str, *, is_counted: bool = False
    ) -> None:
        from focuscrawl.labelling.label_store import PageState

        assert self._collector is not None
        if page in self.named_urls:
            self.run.seed_failed(page, reason)
        if state == PageState.FAILED:
            self.run.page_failed(reason, page)
        elif not is_counted:
            self.run.drop(reason, page)
        await self._in_thread(self._collector.add_failure, page, PageState(state), reason)

    async def _in_thread(self, work: Callable[..., _T], *arguments: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _next_step(self, tally: LabelTally) -> str:
        if not self._has_ended:
            return "run it again to continue"
        missing = tally.missing_label()
        if missing:
            return f"no link is {missing}: add domains to the topic and run it again"
        is_limited = tally.requested >= self.arguments.max_pages
        more = "for more links, give a larger max_pages" if is_limited else ""
        return f"scrapy train {self.topic.name}" + (f" ({more})" if more else "")


def _seeds(arguments: LabelsArguments, topic: Topic) -> list[str]:
    """Return the seeds; raises ArgumentError for a topic that cannot label links by its domains."""
    from focuscrawl.topics.topic_loading import seeds_of

    if arguments.labels == "domains" and not (topic.positive_domains and topic.negative_domains):
        raise ArgumentError(
            f"labels=domains needs positive_domains and negative_domains in topic {topic.name!r}; "
            "add them to its file, or give -a labels=apprentice"
        )
    found = seeds_of(topic, arguments.seeds)
    if refused := [seed for seed in found if topic.is_blacklisted(seed)]:
        raise ArgumentError(
            f"the seed {refused[0]} is on the blacklist of topic {topic.name!r}; remove one of them"
        )
    return found


def _redirect_target(response: Response) -> str:
    """Return the target of a redirect or immediate refresh, or an empty string."""
    if response.status in _REDIRECTS:
        return (response.headers.get("Location") or b"").decode("utf-8", "replace")
    if response.status == 200 and isinstance(response, HtmlResponse):
        try:
            _, target = get_meta_refresh(response)
        except ValueError:
            # The target or the base URL of the page is invalid.
            return ""
        return target if target and target != response.url else ""
    return ""
