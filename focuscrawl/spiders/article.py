"""Walks the numbers of sites that number their articles."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import StopDownload
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from focuscrawl import crawl_run as run
from focuscrawl.articles.crawl_tally import Tally, unsteady, walled, walled_from
from focuscrawl.articles.number_answers import SOFT_404, MissingPages, impossible_numbers
from focuscrawl.articles.url_patterns import UrlPattern
from focuscrawl.crawling.ordered_tasks import Turns
from focuscrawl.crawling.stream_merge import merged
from focuscrawl.errors import FocuscrawlError, PageLimitError
from focuscrawl.extensions.run_summary import Results, stored_results
from focuscrawl.items import MissingNumber, NumberedArticle, content_md5
from focuscrawl.scheduling.request_errback import is_forbidden, reason_of, request_of
from focuscrawl.spider_arguments import ArticleArguments, parse_arguments
from focuscrawl.system.worker_pool import read_in_worker, use_all_cores

if TYPE_CHECKING:
    from focuscrawl.articles.article_page import Reading
    from focuscrawl.articles.article_profile import NumberedProfile
    from focuscrawl.articles.article_series import Series

_GONE = (404, 410)
_NO_TEXT = "no text"
_NO_BODY = "no body"
_EMPTY = "empty page"
# Before the pattern: what a series is known by in the stores.
_SIGNS = "signs of missing pages "
_WALL = "page that comes for any number now"


class ArticleSpider(Spider):
    """Asks for the numbers of each URL pattern, several at once and in order, until the end.

    Arguments: see :class:`~focuscrawl.spider_arguments.ArticleArguments`. The settings that the thesis on
    jb51.net compares, and where ours differ (any can be set with ``-s``):

    - AutoThrottle starts at 1 s, not 5 s: it settles in a few answers, and a daily run has few.
    - 4 requests at a time to a host, not 32: the sites are not ours. ``-a concurrency=32`` asks so
      many at once and without a pause: for a site of one's own, or with its owner's leave.
    - No HTTP cache: the stores know which numbers are held, and a number without an article must
      be requested again. If it is turned on, only articles are kept, for 12 hours.
    - No cookies: articles need none, and a session would make pages differ from run to run.
    - Time-out 60 s, not 180: whoever hangs is asked three times more in this run, and by the next.
    """

    name = "article"
    item_class = NumberedArticle
    text_only = True
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "AUTOTHROTTLE_MAX_DELAY": 60.0,
        "RETRY_TIMES": 3,
        # Of pages that come empty: see _again.
        "META_COPY_WARN_SKIP_KEYS": ["retry_times"],
        "HTTPCACHE_EXPIRATION_SECS": 12 * 3600,
        "HTTPCACHE_IGNORE_HTTP_CODES": list(range(300, 600)),
        "DEFAULT_REQUEST_HEADERS": {
            "Accept": "text/html,application/xhtml+xml;q=0.9",
            "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
        },
    }

    def __init__(self, profile: NumberedProfile, concurrency: int | None = None) -> None:
        super().__init__()
        self.profile = profile
        self.concurrency = concurrency
        self.crawl_name = f"{self.name}-{profile.name}"
        self.named_urls = profile.patterns
        self._profile_json = profile.model_dump_json()
        self._series: list[Series] = []
        self._came_back = asyncio.Event()
        self._turns = Turns()
        self._tally = Tally()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> ArticleSpider:
        """Build the spider; raises ArgumentError or ProfileError before anything is asked for."""
        # Here: every crawl loads the modules of all spiders.
        from focuscrawl.articles.article_profile import make_profile

        given = parse_arguments(ArticleArguments, kwargs, cls.name)
        spider = cls(make_profile(**given.model_dump(exclude={"concurrency"})), given.concurrency)
        for name, value in given.settings().items():
            crawler.settings.set(name, value, priority="spider")
        spider._set_crawler(crawler)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Request two numbers that cannot exist, then one number after another, of all patterns at once."""
        try:
            await self._begin()
            async for request in self._requests():
                yield request
        except FocuscrawlError as error:
            run.fail(self.crawler, error)

    async def _requests(self) -> AsyncIterator[Request]:
        if self.concurrency:
            run.note(
                self.crawler, f"asked for {self.concurrency} numbers at once and without pauses"
            )
        async for request in merged(self._numbers(series) for series in self._series):
            yield request

    async def _numbers(self, series: Series) -> AsyncIterator[Request]:
        for request in self._ghosts(series):
            yield request
        while series.probes_pending:
            await self._wait()
        if self._is_endless(series) or await self._is_walled(series):
            return
        while not series.walk.is_done:
            number = series.walk.next()
            if number is None:
                await self._wait()
            else:
                yield self._request(series, number)
        await self._keep_signs(series)

    async def parse(
        self, response: Response, series: Series, number: int
    ) -> AsyncIterator[Request | NumberedArticle | MissingNumber]:
        """Keep an article, or that there is none."""
        try:
            async with self._turns.queue() as turn:
                reason, reading = await self._judged(response, series, number)
                await turn()
                unknown = await self._why_unknown(series, number, reason, reading)
        except BaseException as error:
            # The walk waits for every number.
            reason = str(error) if isinstance(error, PageLimitError) else "not read"
            self._unknown(series, number, reason)
            raise
        if unknown == _EMPTY and (retry := self._again(response, series, number, _EMPTY)):
            yield retry
            return
        if unknown:
            self._unknown(series, number, unknown)
            return
        if reading is None or reason:
            for missing in self._none(series, number, reason):
                yield missing
            return
        self._tally.articles += 1
        self.crawler.stats.inc_value("focuscrawl/pages/relevant")
        now = datetime.now(UTC)
        settled = series.found(number, now)
        self._came_back.set()
        # First: where a run is killed in between, the number must not pass for found.
        yield series.article(number, reading, now)
        for missing in settled:
            yield missing

    def failed(self, failure: Failure) -> Iterator[MissingNumber]:
        """Learn that there is no article, or that nobody can tell now."""
        request = request_of(failure)
        series, number = request.cb_kwargs["series"], request.cb_kwargs["number"]
        error = failure.value
        if isinstance(error, HttpError) and error.response.status in _GONE:
            yield from self._none(series, number, f"HTTP {error.response.status}")
        elif isinstance(error, StopDownload):
            yield from self._none(series, number, _NO_TEXT)
        elif is_forbidden(failure):
            run.drop(self.crawler, "robots.txt", request.url)
            self._tally.is_forbidden = True
            self._came_back.set()
            series.failed(number)
        else:
            self._unknown(series, number, reason_of(failure))

    async def parse_ghost(self, response: Response, series: Series) -> None:
        """Learn what a page looks like that stands for no article."""
        try:
            look = (await self._read(response)).look if isinstance(response, TextResponse) else ""
            was_redirected = "redirect_urls" in response.meta
            series.pages.learn(response.url, look, was_redirected=was_redirected)
        finally:
            self._ghost_back(series)

    def failed_ghost(self, failure: Failure) -> None:
        """A number that cannot exist got an error, as it should."""
        self._ghost_back(request_of(failure).cb_kwargs["series"])

    async def results(self) -> Results:
        """Return what came of the run."""
        stored = stored_results(self.crawler)
        lines = self._tally.lines(sum(series.retried for series in self._series))
        ends = [("last", self._end_of(series)) for series in self._series]
        return Results([*stored.counts, *lines, *ends], stored.places)

    def closed(self, reason: str) -> None:
        """Refuse an empty success."""
        if not self._series:
            return
        has_held = any(series.walk.highest >= self.profile.start for series in self._series)
        first = self._series[0].pattern.url(self.profile.start)
        if sentence := self._tally.why_nothing(self.profile.name, first, has_held=has_held):
            run.remember(self.crawler, FocuscrawlError(sentence))
        elif sentence := self._tally.why_incomplete():
            run.mark_incomplete(self.crawler, sentence)

    async def _begin(self) -> None:
        from focuscrawl.articles.article_series import Series

        use_all_cores()
        settings, archive, now = self.settings, run.archive_of(self.crawler), datetime.now(UTC)
        # Twice as many as are asked at a time: while pages are read, others are on their way.
        rules = self.profile.rules(window=2 * settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
        for text in self.profile.patterns:
            held, missing = await archive.numbers(text), await archive.missing(text)
            pattern = UrlPattern(text)
            pages = MissingPages(pattern, self.profile.missing.redirect)
            self._series.append(Series(pattern, rules, pages, held, missing, now))

    def _end_of(self, series: Series) -> str:
        highest, first = series.walk.highest, self.profile.start
        last = f"{highest if highest >= first else 'none'} of {series.pattern.text}"
        is_known = series.walk.is_end_known
        return last if is_known else f"{last}; beyond it some failed: no end is known"

    def _is_endless(self, series: Series) -> bool:
        """Whether all numbers would pass for articles; says what helps."""
        if not series.pages.is_unsteady:
            return False
        sentence = unsteady(series.pattern.site)
        if self.profile.tells_missing or self.profile.stop is not None:
            run.note(self.crawler, sentence)
            return False
        run.remember(self.crawler, FocuscrawlError(f"{sentence}, or give stop"))
        return True

    async def _is_walled(self, series: Series) -> bool:
        """Whether articles that are held come as numbers that cannot exist do now; says so.

        Nothing is asked for where such numbers look as they did when a run went well.
        """
        signs = series.pages.signs
        known = await run.archive_of(self.crawler).get_state(_SIGNS + series.pattern.text)
        if known:
            series.pages.expect_walls(known["walls"])
        if not signs or not series.walk.samples or (known and known["signs"] == signs):
            return False
        for number in series.walk.samples:
            if not await self._looks_missing(series, number):
                return False
        sentence = walled(series.pattern.site, series.pattern.url(number))
        run.remember(self.crawler, FocuscrawlError(sentence))
        return True

    async def _keep_signs(self, series: Series) -> None:
        if series.walk.highest >= self.profile.start:
            state = {"signs": series.pages.signs, "walls": series.pages.walls}
            await run.archive_of(self.crawler).set_state(_SIGNS + series.pattern.text, state)

    async def _looks_missing(self, series: Series, number: int) -> bool:
        response = await self._fetched(series, number)
        if response is None:
            return False
        if "redirect_urls" in response.meta and series.pages.redirect_reason(number, response.url):
            return True
        return bool(series.pages.look_reason(await self._look(response)))

    def _say_wall(self, series: Series, first: int | None) -> None:
        if first is not None:
            run.note(self.crawler, walled_from(series.pattern.site, series.pattern.url(first)))

    def _ghosts(self, series: Series) -> Iterator[Request]:
        for number in impossible_numbers(series.walk.highest):
            series.probes_pending += 1
            yield Request(
                series.pattern.url(number),
                self.parse_ghost,
                errback=self.failed_ghost,
                cb_kwargs={"series": series},
                dont_filter=True,
            )

    def _again(
        self, response: Response, series: Series, number: int, reason: str
    ) -> Request | None:
        request = self._request(series, number)
        request.meta["retry_times"] = response.meta.get("retry_times", 0)
        return get_retry_request(request, spider=self, reason=reason)

    def _request(self, series: Series, number: int) -> Request:
        return Request(
            series.pattern.url(number),
            self.parse,
            errback=self.failed,
            cb_kwargs={"series": series, "number": number},
            dont_filter=True,
        )

    async def _judged(
        self, response: Response, series: Series, number: int
    ) -> tuple[str, Reading | None]:
        """Return why a page is no article, ``""`` if it is one, and what it says if it was read."""
        from focuscrawl.articles.article_page import Reading

        rules = self.profile.missing
        was_redirected = "redirect_urls" in response.meta
        if was_redirected and (reason := series.pages.redirect_reason(number, response.url)):
            return reason, None
        if rules.md5 and hashlib.md5(response.body, usedforsecurity=False).hexdigest() in rules.md5:
            return SOFT_404, None
        # Whatever type an empty answer says it has.
        if not response.body.strip():
            return "", Reading(title="")
        if not isinstance(response, TextResponse):
            return _NO_TEXT, None
        reading = await self._read(response)
        if reading.is_blank:
            return "", reading
        reason = reading.missing or series.pages.look_reason(reading.look)
        if not reason and not reading.has_body:
            self._tally.no_body = self._tally.no_body or response.url
            reason = _NO_BODY
        return reason, reading

    async def _why_unknown(
        self, series: Series, number: int, reason: str, reading: Reading | None
    ) -> str:
        """Return why a page says nothing of its number, ``""`` if it says something."""
        if reading is None or reason not in ("", _NO_BODY):
            return ""
        if reading.is_blank:
            return _EMPTY
        look = reading.look
        if series.pages.is_doubtful(look, number):
            first = series.pages.judge(look, await self._look_of_ghost(series))
            self._say_wall(series, first)
        if look and not reason:
            texts = (reading.title, reading.body_text)
            content = content_md5(*(text.replace(str(number), "") for text in texts))
            self._say_wall(series, series.pages.take_in(look, content, number))
        return _WALL if series.pages.is_wall(look) else ""

    async def _look_of_ghost(self, series: Series) -> str:
        response = await self._fetched(series, impossible_numbers(series.walk.highest)[0])
        return await self._look(response) if response else ""

    async def _look(self, response: TextResponse) -> str:
        """Return what a page looks like, nothing if it cannot be read."""
        with suppress(PageLimitError):
            return (await self._read(response)).look
        return ""

    async def _fetched(self, series: Series, number: int) -> TextResponse | None:
        """Return the page of a number as it is now, None if there is none."""
        url = series.pattern.url(number)
        request = Request(url, self.parse_ghost, dont_filter=True, meta={"dont_cache": True})
        try:
            response = await self.crawler.engine.download_async(request)
        # Whatever it is: no page came.
        except Exception:
            return None
        if response.status >= 300 or not isinstance(response, TextResponse):
            return None
        return response

    async def _read(self, response: TextResponse) -> Reading:
        from focuscrawl.articles.article_page import read_page

        return await read_in_worker(
            read_page, response.text, response.url, self._profile_json, date.today()
        )

    def _none(self, series: Series, number: int, reason: str) -> list[MissingNumber]:
        self._tally.reasons[reason] += 1
        self._came_back.set()
        return series.missing(number, reason, datetime.now(UTC))

    def _unknown(self, series: Series, number: int, reason: str) -> None:
        run.page_failed(self.crawler, reason, series.pattern.url(number))
        self._tally.failures[reason] += 1
        self._came_back.set()
        series.failed(number)

    def _ghost_back(self, series: Series) -> None:
        series.probes_pending -= 1
        self._came_back.set()

    async def _wait(self) -> None:
        self._came_back.clear()
        await self._came_back.wait()
