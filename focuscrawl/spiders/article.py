"""Crawl of sites that number their articles, in the order of the numbers."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import StopDownload
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from focuscrawl.articles.article_series import (
    EMPTY,
    NO_BODY,
    ArticleTally,
    QueuedPage,
    login_wall,
    login_wall_since,
    varying_soft_404,
)
from focuscrawl.articles.soft_404_detection import SOFT_404, MissingPages, Probe, impossible_numbers
from focuscrawl.articles.url_patterns import UrlPattern
from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.fetched_page import file_kind
from focuscrawl.errors import FocuscrawlError, PageLimitError
from focuscrawl.extensions.run_summary import ResultLines, stored_results
from focuscrawl.frontier.frontier_entries import FATAL
from focuscrawl.items import MissingNumber, NumberedArticle, WithdrawnNumber
from focuscrawl.pipelines.topic import TopicFilter
from focuscrawl.scheduling.request_errback import is_forbidden, reason_of, request_of
from focuscrawl.spider_arguments import ArticleArguments, parse_arguments
from focuscrawl.system.worker_pool import read_in_worker, use_all_cores

if TYPE_CHECKING:
    from focuscrawl.articles.article_page import PageParts
    from focuscrawl.articles.article_profile import ArticleProfile
    from focuscrawl.articles.article_series import NumberSeries

_NOT_FOUND = (404, 410)
_NO_TEXT = "no text"
_NOT_OF_PROFILE = {"concurrency", "topic", "keep"}
# Before the pattern: the key of the state of a series in the stores.
_SIGNS = "signs of missing pages "

Result = Request | NumberedArticle | MissingNumber | WithdrawnNumber


class ArticleSpider(Spider):
    """Requests the numbers of each URL pattern in order, several at a time, until the end.

    Arguments: see :class:`~focuscrawl.spider_arguments.ArticleArguments`. The settings that the thesis on
    jb51.net compares, and where ours differ (any can be set with ``-s``):

    - AutoThrottle starts at 1 s, not 5 s: it settles within a few responses, and a daily run has few.
    - 4 requests at a time to a host, not 32: the sites are not ours. ``-a concurrency=32`` sends so
      many at once and without a pause: for your own site, or with the permission of its owner.
    - No HTTP cache: the stores know which numbers are held, and a number without an article must
      be requested again. If it is turned on, only articles are kept, for 12 hours.
    - No cookies: articles need none, and a session would make pages differ from run to run.
    - Timeout 60 s, not 180: a request that hangs is retried three times, and again by the next run.
    """

    name = "article"
    run: RunningCrawl
    argument_model = ArticleArguments
    # The stores know which numbers are settled.
    discards_frontier = True
    item_class = NumberedArticle
    text_only = True
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",
        "SPIDER_MIDDLEWARES": {"scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None},
        "AUTOTHROTTLE_MAX_DELAY": 60.0,
        "RETRY_TIMES": 3,
        # For empty pages: see _retry_empty.
        "META_COPY_WARN_SKIP_KEYS": ["retry_times"],
        "HTTPCACHE_EXPIRATION_SECS": 12 * 3600,
        "HTTPCACHE_IGNORE_HTTP_CODES": list(range(300, 600)),
        "DEFAULT_REQUEST_HEADERS": {
            "Accept": "text/html,application/xhtml+xml;q=0.9",
            "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
        },
    }

    def __init__(
        self,
        arguments: ArticleArguments,
        profile: ArticleProfile,
        topic: TopicFilter | None = None,
    ) -> None:
        super().__init__()
        self.topic_filter = topic
        self.profile = profile
        self.arguments = arguments
        self.crawl_name = f"{self.name}-{profile.name}"
        self.named_urls = profile.patterns
        self._profile_json = profile.model_dump_json()
        self._series: list[NumberSeries] = []
        self._has_response = asyncio.Event()
        self._tally = ArticleTally()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> ArticleSpider:
        """Build the spider; raises ArgumentError or ProfileError before any request."""
        # Imported here: every crawl loads the modules of all spiders.
        from focuscrawl.articles.article_profile import make_profile

        given = parse_arguments(cls.argument_model, kwargs, cls.name)
        topic = TopicFilter.of(given, crawler.settings)
        spider = cls(given, make_profile(**given.model_dump(exclude=_NOT_OF_PROFILE)), topic)
        for name, value in given.settings().items():
            crawler.settings.set(name, value, priority="spider")
        spider._set_crawler(crawler)
        spider.run = RunningCrawl.of(crawler)
        crawler.signals.connect(spider.request_dropped, signals.request_dropped)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Request two numbers that cannot exist, then one number after another, of all patterns at once."""
        await self._begin()
        async for request in self._requests():
            yield request

    async def _requests(self) -> AsyncIterator[Request]:
        if concurrency := self.arguments.concurrency:
            self.run.note(f"{concurrency} concurrent requests without pauses")
        async for request in merged(self._numbers(series) for series in self._series):
            yield request

    async def _numbers(self, series: NumberSeries) -> AsyncIterator[Request]:
        for number in impossible_numbers(series.walk.highest):
            yield self._probe(series, number, self.parse_impossible)
        while series.probes_pending:
            await self._wait()
        if self._is_endless(series):
            return
        async for request in self._held_articles(series):
            yield request
        if series.is_behind_wall:
            return
        while not series.walk.is_done:
            if series.queue.needs_probe and not series.probes_pending:
                yield self._probe(
                    series, impossible_numbers(series.walk.highest)[0], self.parse_probe
                )
            elif (following := series.walk.next()) is not None:
                yield self._request(series, following)
            else:
                await self._wait()
        await self._store_signs(series)

    async def parse(self, response: Response, series: int, number: int) -> AsyncIterator[Result]:
        """Yield an article, or the record of a missing number."""
        one = self._series[series]
        page = one.queue.join(number, response.meta.get("retry_times", 0))
        failure = None
        try:
            page.read(*await self._judged(response, one, number))
        except Exception as error:
            failure = error
            page.fail(str(error) if isinstance(error, PageLimitError) else "not read")
        for result in self._judged_pages(one):
            yield result
        if failure:
            raise failure

    def failed(self, failure: Failure) -> Iterator[MissingNumber]:
        """Record a missing number or a failed request."""
        request = request_of(failure)
        series, number = self._series[request.cb_kwargs["series"]], request.cb_kwargs["number"]
        error = failure.value
        if isinstance(error, HttpError) and error.response.status in _NOT_FOUND:
            yield from self._missing(series, number, f"HTTP {error.response.status}")
        elif isinstance(error, StopDownload):
            yield from self._missing(series, number, _no_text(error.response))
        elif is_forbidden(failure):
            self.run.drop("robots.txt", request.url)
            self._tally.is_forbidden = True
            self._has_response.set()
            series.failed(number)
        else:
            self._unknown(series, number, reason_of(failure))

    async def parse_impossible(self, response: Response, series: int, number: int) -> None:
        """Learn the look of the page for a number that cannot exist."""
        one = self._series[series]
        try:
            look = (await self._read(response)).look if isinstance(response, TextResponse) else ""
            was_redirected = "redirect_urls" in response.meta
            one.pages.learn(response.url, look, was_redirected=was_redirected)
        finally:
            self._end_probe(one, Probe())

    async def parse_probe(
        self, response: Response, series: int, number: int
    ) -> AsyncIterator[Result]:
        """Compare the current page of a number with the doubtful page in the queue."""
        one, probe, failure = self._series[series], Probe(), None
        try:
            if isinstance(response, TextResponse):
                probe = await self._probed(response, one, number)
        except Exception as error:
            failure = error
        for result in self._end_probe(one, probe):
            yield result
        if failure and not isinstance(failure, PageLimitError):
            raise failure

    def failed_probe(self, failure: Failure) -> list[Result]:
        """Note that the site returns an error for a probed number, as it should."""
        series = self._series[request_of(failure).cb_kwargs["series"]]
        return self._end_probe(series, Probe())

    def request_dropped(self, request: Request) -> None:
        """Give up a number that the frontier refuses, because its page kills the crawler."""
        series = self._series[request.cb_kwargs["series"]]
        if request.callback == self.parse:
            self._unknown(series, request.cb_kwargs["number"], FATAL.reason)
            return
        series.probes_pending -= 1
        self._has_response.set()
        if series.queue.needs_probe:
            series.queue.compare("")
            for page in series.queue.judged():
                self._unknown(series, page.number, FATAL.reason)

    async def results(self) -> ResultLines:
        """Return the results of the run."""
        stored = stored_results(self.crawler)
        lines = self._tally.lines(sum(series.retried for series in self._series))
        ends = [("last", self._end_of(series)) for series in self._series]
        return stored._replace(counts=[*stored.counts, *lines, *ends])

    def closed(self, reason: str) -> None:
        """Report an error if nothing was found, and numbers that failed."""
        if not self._series:
            return
        if self.topic_filter and (doubt := self.topic_filter.doubt):
            self.run.note(doubt)
        has_held = any(series.walk.highest >= self.profile.start for series in self._series)
        first = self._series[0].pattern.url(self.profile.start)
        if sentence := self._tally.why_nothing(self.profile.name, first, has_held=has_held):
            self.run.remember(FocuscrawlError(sentence))
        elif sentence := self._tally.why_incomplete():
            self.run.mark_incomplete(sentence)

    async def _begin(self) -> None:
        from focuscrawl.articles.article_series import NumberSeries

        use_all_cores()
        settings, archive, now = self.settings, self.run.archive, datetime.now(UTC)
        # Twice as many as are sent: while pages are read, others are in flight.
        rules = self.profile.rules(read_ahead=2 * settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
        for text in self.profile.patterns:
            held, missing = await archive.numbers(text), await archive.missing(text)
            pattern = UrlPattern(text)
            if self.topic_filter and (state := await archive.get_state(self._topic_key(text))):
                held = {*held, *state["numbers"]}
                self.topic_filter.off_topic.update(map(pattern.url, state["numbers"]))
            pages = MissingPages(pattern, self.profile.missing.redirect)
            self._series.append(NumberSeries(pattern, rules, pages, held, missing, now))

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return the numbers of each series whose articles are off the topic."""
        if self.topic_filter is None:
            return {}
        states = {}
        for series in self._series:
            found = map(series.pattern.number_of, self.topic_filter.off_topic)
            numbers = {number for number in found if number is not None}
            states[self._topic_key(series.pattern.text)] = {"numbers": sorted(numbers)}
        return states

    def _topic_key(self, pattern: str) -> str:
        assert self.topic_filter
        return f"off topic {pattern} {self.topic_filter.key}"

    def _end_of(self, series: NumberSeries) -> str:
        highest, first = series.walk.highest, self.profile.start
        last = f"{highest if highest >= first else 'none'} of {series.pattern.text}"
        is_known = series.walk.is_end_known
        return last if is_known else f"{last}; the end is not known, since later numbers failed"

    def _is_endless(self, series: NumberSeries) -> bool:
        """Return whether every number would pass for an article, and report the remedy."""
        if not series.pages.varies:
            return False
        sentence = varying_soft_404(series.pattern.site)
        if self.profile.detects_missing or self.profile.stop is not None:
            self.run.note(sentence)
            return False
        self.run.remember(FocuscrawlError(f"{sentence}, or give stop"))
        return True

    async def _held_articles(self, series: NumberSeries) -> AsyncIterator[Request]:
        """Request stored articles, to see whether they look like numbers that cannot exist.

        Nothing is requested if such numbers look as they did in an earlier complete run.
        """
        signs = series.pages.signs
        known = await self.run.archive.get_state(_SIGNS + series.pattern.text)
        if known:
            series.pages.expect_walls(known["walls"])
        if not signs or not series.walk.samples or (known and known["signs"] == signs):
            return
        for number in series.walk.samples:
            yield self._probe(series, number, self.parse_probe)
            while series.probes_pending:
                await self._wait()
            if not series.probe.is_missing:
                return
        series.is_behind_wall = True
        sentence = login_wall(series.pattern.site, series.pattern.url(number))
        self.run.remember(FocuscrawlError(sentence))

    async def _store_signs(self, series: NumberSeries) -> None:
        if series.walk.highest >= self.profile.start:
            state = {"signs": series.pages.signs, "walls": series.pages.walls}
            await self.run.archive.set_state(_SIGNS + series.pattern.text, state)

    def _judged_pages(self, series: NumberSeries) -> list[Result]:
        """Return the results of all pages that can be judged now."""
        results = [result for page in series.queue.judged() for result in self._kept(series, page)]
        while series.queue.new_walls:
            first = series.pattern.url(series.queue.new_walls.pop(0))
            self.run.note(login_wall_since(series.pattern.site, first))
        while series.queue.withdrawn:
            results.append(WithdrawnNumber(url=series.pattern.url(series.queue.withdrawn.pop())))
            self._tally.withdraw()
        self._has_response.set()
        return results

    def _kept(self, series: NumberSeries, page: QueuedPage) -> Sequence[Result]:
        if page.unknown == EMPTY and (retry := self._retry_empty(series, page)):
            return [retry]
        if page.unknown:
            self._unknown(series, page.number, page.unknown)
            return []
        if page.reading is None or page.reason:
            return self._missing(series, page.number, page.reason)
        self._tally.articles += 1
        self.crawler.stats.inc_value("focuscrawl/pages/relevant")
        now = datetime.now(UTC)
        settled = series.found(page.number, now)
        # First: if the run is killed in between, the number must not count as found.
        return [series.article(page.number, page.reading, now), *settled]

    def _retry_empty(self, series: NumberSeries, page: QueuedPage) -> Request | None:
        request = self._request(series, page.number)
        request.meta["retry_times"] = page.retries
        return get_retry_request(request, spider=self, reason=EMPTY)

    def _request(self, series: NumberSeries, number: int) -> Request:
        return Request(
            series.pattern.url(number),
            self.parse,
            errback=self.failed,
            cb_kwargs={"series": self._series.index(series), "number": number},
            dont_filter=True,
        )

    def _probe(self, series: NumberSeries, number: int, callback: Callable[..., Any]) -> Request:
        """Return a request that is not part of the walk, and goes out before those that are."""
        series.probes_pending += 1
        request = self._request(series, number)
        # A comparison needs the page as it is now.
        meta = {"dont_cache": True} if callback == self.parse_probe else {}
        return request.replace(callback=callback, errback=self.failed_probe, priority=1, meta=meta)

    def _end_probe(self, series: NumberSeries, probe: Probe) -> list[Result]:
        series.probes_pending -= 1
        series.probe = probe
        self._has_response.set()
        if not series.queue.needs_probe:
            return []
        series.queue.compare(probe.look)
        return self._judged_pages(series)

    async def _probed(self, response: TextResponse, series: NumberSeries, number: int) -> Probe:
        look, was_redirected = (await self._read(response)).look, "redirect_urls" in response.meta
        is_elsewhere = was_redirected and series.pages.redirect_reason(number, response.url)
        return Probe(look, bool(is_elsewhere or series.pages.look_reason(look)))

    async def _judged(
        self, response: Response, series: NumberSeries, number: int
    ) -> tuple[str, PageParts | None]:
        """Return the reason why a page is not an article, ``""`` if it is one, and its parts if read."""
        from focuscrawl.articles.article_page import PageParts

        rules = self.profile.missing
        was_redirected = "redirect_urls" in response.meta
        if was_redirected and (reason := series.pages.redirect_reason(number, response.url)):
            return reason, None
        if rules.md5 and hashlib.md5(response.body, usedforsecurity=False).hexdigest() in rules.md5:
            return SOFT_404, None
        # An empty response may have any content type.
        if not response.body.strip():
            return "", PageParts(title="")
        if not isinstance(response, TextResponse):
            return _no_text(response), None
        reading = await self._read(response)
        if reading.is_blank:
            return "", reading
        reason = reading.missing or series.pages.look_reason(reading.look)
        if not reason and not reading.has_body:
            self._tally.no_body = self._tally.no_body or response.url
            reason = NO_BODY
        return reason, reading

    async def _read(self, response: TextResponse) -> PageParts:
        from focuscrawl.articles.article_page import read_page

        return await read_in_worker(
            read_page, response.text, response.url, self._profile_json, date.today()
        )

    def _missing(self, series: NumberSeries, number: int, reason: str) -> list[MissingNumber]:
        self._tally.reasons[reason] += 1
        self._has_response.set()
        return series.missing(number, reason, datetime.now(UTC))

    def _unknown(self, series: NumberSeries, number: int, reason: str) -> None:
        self.run.page_failed(reason, series.pattern.url(number))
        self._tally.failures[reason] += 1
        self._has_response.set()
        series.failed(number)

    async def _wait(self) -> None:
        self._has_response.clear()
        await self._has_response.wait()


def _no_text(response: Response | None) -> str:
    kind = file_kind(response) if response else ""
    return f"{kind} file" if kind not in ("", "other") else _NO_TEXT


# Merge of several asynchronous streams into one.


_T = TypeVar("_T")


async def merged(streams: Iterable[AsyncIterator[_T]]) -> AsyncIterator[_T]:
    """Yield the values of the streams as they become available: a waiting one does not delay the others.

    The next value of a stream is requested once the last one has been consumed. The first error ends all.
    """
    due = {_next(stream): stream for stream in streams}
    try:
        while due:
            await asyncio.wait(due, return_when=asyncio.FIRST_COMPLETED)
            # In the order of the streams, so that runs are reproducible.
            for task in [task for task in due if task.done()]:
                stream = due.pop(task)
                try:
                    value = task.result()
                except StopAsyncIteration:
                    continue
                yield value
                due[_next(stream)] = stream
    finally:
        for task in due:
            task.cancel()


def _next(stream: AsyncIterator[_T]) -> asyncio.Future[_T]:
    return asyncio.ensure_future(stream.__anext__())
