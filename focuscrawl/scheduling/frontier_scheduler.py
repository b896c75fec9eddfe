"""Scrapy scheduler on top of a frontier: best first, nothing lost, nothing fetched twice."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from math import inf, isfinite
from pathlib import Path
from typing import IO, Self

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.request import RequestFingerprinter
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArgumentError, FocuscrawlError, FrontierError
from focuscrawl.frontier import DONE, Ack, Lease, Outcome, State, failed
from focuscrawl.frontier.frontier_entries import DAMAGED_ROW, Candidate, key_of
from focuscrawl.frontier.frontier_protocol import growing_pause
from focuscrawl.network.failure_names import TOO_MANY_REDIRECTS, remedy
from focuscrawl.network.waiting_times import HOUR, RunClock, local_time
from focuscrawl.scheduling import frontier_settings, page_keys
from focuscrawl.scheduling import scrapy_engine as engine
from focuscrawl.scheduling.crawl_services import CrawlServices
from focuscrawl.scheduling.eagerness import Eagerness
from focuscrawl.scheduling.frontier_access import FrontierAccess
from focuscrawl.scheduling.frontier_opening import open_frontier
from focuscrawl.scheduling.host_trials import HostTrials
from focuscrawl.scheduling.known_urls import KnownUrls
from focuscrawl.scheduling.page_in_flight import LeasedPage
from focuscrawl.scheduling.page_keys import key_of_page
from focuscrawl.scheduling.request_errback import (
    Errback,
    HostUnavailableError,
    outcome_of,
    request_of,
)
from focuscrawl.scheduling.request_json import payload_of
from focuscrawl.scheduling.scrapy_engine import leave_slot_of_source, slot_key

# Requests as candidates of the frontier: key, host, score and JSON payload.


class RequestCandidates:
    """Makes candidates of the requests of one run; the keys of pages do not depend on the run."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._start_requests: Counter[bytes] = Counter()

    def of(self, request: Request) -> Candidate:
        """Return the candidate of a request.

        Raises :class:`FrontierError` for a score that is not a number, and for attributes that JSON
        cannot represent.
        """
        if isinstance(request.errback, Errback):
            request = request.replace(errback=request.errback.own)
        leave_slot_of_source(request)
        score = request.meta.get("score", request.priority)
        if not isinstance(score, int | float) or not isfinite(score):
            raise FrontierError(
                f"the request for {request.url} has the score {score!r}; give a number"
            )
        return Candidate(
            self._key_of(request),
            request.url,
            slot_key(self._crawler, request),
            float(score),
            payload_of(request, self._crawler.spider),
        )

    def _key_of(self, request: Request) -> int:
        """Return the key of a request; with ``dont_filter`` it is different each time."""
        fingerprinter = self._crawler.request_fingerprinter
        if not request.dont_filter and type(fingerprinter) is RequestFingerprinter:
            is_plain = request.method == "GET" and not request.body
            if is_plain and "verbatim_url" not in request.meta:
                return key_of_page(request.url)
        mark = fingerprinter.fingerprint(request)
        if not request.dont_filter:
            return key_of(mark)
        if not request.meta.get("is_start_request"):
            return key_of(mark + os.urandom(16))
        # The same in every run of the job, so that a start request is not repeated.
        self._start_requests[mark] += 1
        again = self._start_requests[mark] - 1
        return key_of(mark + (b"start %d" % again if again else b""))


_LEASE = "_frontier_lease"
# After a kill these are fetched again; they keep the batches of stores and the readers busy.
_MOST_UNFINISHED = 16
UNAVAILABLE = "host unavailable"
# A host that is never available must not keep a job from ending. A run that is killed tries it once, and of several
# workers each may.
_MOST_RUNS = 8
# Without a limit of requests, hosts are tried as if there were this one.
_MANY_REQUESTS = 16
# Hosts that are waited for at a time, per request slot.
_HOSTS_PER_SLOT = 4
# Seconds that a page whose host has never answered may hold a request slot.
_SILENT_SECONDS = 1.0


class FrontierScheduler(BaseScheduler):
    """Leases URLs to the engine one by one, and ends each lease when its page is finished.

    A page is finished when its callback (or errback) has ended and all its items have passed the
    pipelines: then the engine removes the request, and its lease ends. Its links are pushed earlier
    (:class:`~focuscrawl.middlewares.frontier_pages.FrontierPages` collects them). A page that is
    leased when a run dies is fetched again. A redirect is fetched next; retries return to the frontier
    with growing pauses. At most ``CONCURRENT_REQUESTS`` requests are in flight (besides those to hosts
    that have been silent for a second), and at most 16 more
    pages have a response but are not finished. With 1, the links of a page are known before the next
    page is chosen; with more, :class:`Eagerness` decides whether a link is worth a slot yet. Hosts that
    have not answered yet are limited by :class:`~focuscrawl.scheduling.host_trials.HostTrials`.

    The score of a request is ``meta["score"]``, or else its priority. A spider with the attribute
    ``discards_frontier`` starts each run with an empty frontier; one with a budget has ``eagerness`` < 1.
    """

    frontier: FrontierAccess
    services: CrawlServices | None = None
    """What the workers of the crawl share beside its URLs, None in a crawl of one process."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self.stats = crawler.stats
        self._clock = RunClock()
        self._most = int(self.run.number("CONCURRENT_REQUESTS", least=0))
        self._first_pause = self.run.number("FOCUSCRAWL_RETRY_PAUSE", least=0)
        self._longest_pause = self.run.number("FOCUSCRAWL_RETRY_PAUSE_MAX", least=0)
        self._retries = engine.most_retries(crawler)
        self._eagerness = Eagerness(frontier_settings.eagerness(crawler))
        self._pages: dict[int, LeasedPage[Request]] = {}
        self._candidate = RequestCandidates(crawler).of
        self._crawl_delays: dict[str, float] = {}
        self._paused_until: float | None = None
        self._alarm = engine.EngineTimer(crawler)
        self._has_abandoned = False
        self._is_open = False
        self._trace: UrlTrace | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the scheduler from the settings of a crawler."""
        return cls(crawler)

    def open(self, spider: Spider) -> Deferred[None]:
        """Continue the job of an earlier run, or start a new one."""
        return deferred_from_coro(self._open_or_close(spider))

    async def _open_or_close(self, spider: Spider) -> None:
        try:
            await self._open(spider)
        except FocuscrawlError as error:
            # Scrapy would follow it with tracebacks of its own.
            self.run.remember(error)
            engine.close_when_opened(self.crawler, "error")
        except CloseSpider as end:
            engine.close_when_opened(self.crawler, end.reason)

    async def _open(self, spider: Spider) -> None:
        self._discards_frontier = getattr(spider, "discards_frontier", False)
        self._trace = UrlTrace.of(self.crawler)
        self.frontier, self.services = await open_frontier(
            self.crawler, self._clock, self._longest_pause
        )
        slots = self._most or _MANY_REQUESTS
        own_slots = frontier_settings.own_slots(self.crawler)
        self._trials = HostTrials(self.frontier, slots * _HOSTS_PER_SLOT, own_slots)
        engine.lift_limit(self.crawler)
        self._is_open = True
        connect = self.crawler.signals.connect
        connect(self._spider_error, signals.spider_error)
        connect(self._item_error, signals.item_error)
        connect(self._response_downloaded, signals.response_downloaded)

    def close(self, reason: str) -> Deferred[None]:
        """End the leases of all finished pages, and release the others."""
        return deferred_from_coro(self._close())

    async def _close(self) -> None:
        self._alarm.set(None)
        if not self._is_open:
            return
        if self._trace:
            self._trace.close()
        for step in (self._end_run, self.frontier.close):
            try:
                await step()
            except FocuscrawlError as error:
                self.run.remember(error)
        for url in self.frontier.fatal_urls:
            self.run.mark_incomplete(f"{url} kills the crawler and was left out")
        if self._discards_frontier and not (self.frontier.fatal_urls or self._has_abandoned):
            self.frontier.remove()

    async def _end_run(self) -> None:
        self._end_pages()
        await self.frontier.settle()
        self._report_rest()

    def _report_rest(self) -> None:
        """Report damaged rows, and the URLs that still wait."""
        label, waiting = self.frontier.label, self.frontier.waiting
        if damaged := self.stats.get_value(f"frontier/failed/{DAMAGED_ROW.reason}"):
            self.run.mark_incomplete(f"{damaged} damaged rows of {label} were marked as failed")
        self.stats.set_value("frontier/waiting", waiting + self.frontier.leased)
        if waiting and self._paused_until and self._paused_until < inf:
            until = local_time(self._paused_until)
            self.run.mark_incomplete(f"{waiting} URLs wait for pauses until {until}")
        if waiting and not self._discards_frontier:
            self.run.note(f"{waiting} URLs wait in {label}; the next run continues")

    def has_pending_requests(self) -> bool:
        """Return whether a request is in flight, or waits and can be sent within an hour."""
        if self._pages or not self._is_open:
            return bool(self._pages)
        return not self._paused_until and (self.frontier.waiting > 0 or self.frontier.is_busy)

    def waits_for_pause(self) -> bool:
        """Return whether a URL can be sent now, or when a pause, a delay or the trial of a host ends."""
        if not self._is_open:
            return False
        is_coming = self.frontier.is_busy or self._trials.is_choosy
        return is_coming or self.frontier.next_due(self._clock.now()) is not None

    def next_request(self) -> Request | None:
        """Return the request for the best URL whose host has a free slot."""
        if not self._is_open:
            return None
        with self._failing():
            self._end_pages()
            self.stats.set_value("frontier/waiting", self.frontier.waiting)
            now = self._clock.now()
            if self._has_enough(now):
                return None
            self._push_found()
            while self._chooses(now) and (leases := self._lease(now)):
                if request := self._begin(leases[0], now):
                    return request
        return None

    def enqueue_request(self, request: Request) -> bool:
        """Add a request that no callback yielded: a start request, a redirect, a retry."""
        if not self._is_open:
            return False
        page = self._page_of(request)
        with self._failing():
            if page is None or page.outcome is not None:
                return self._push(request)
            if engine.retries(request) > engine.retries(page.request):
                pause = growing_pause(page.lease.tries, self._first_pause, self._longest_pause)
                page.retry_at = self._clock.now() + pause
            else:
                self._redirect(page, request)
            return True
        return False

    def _redirect(self, page: LeasedPage[Request], request: Request) -> None:
        """Fetch next what a page leads to; a circle of redirects is the failure of the page that began it."""
        target = self._candidate(request)
        before = request.meta.get("redirect_urls", [])
        if target.key in map(key_of_page, before):
            page.outcome = failed(TOO_MANY_REDIRECTS)
            self.run.page_failed(TOO_MANY_REDIRECTS, before[0])
            self._is_failed_seed(before[0], TOO_MANY_REDIRECTS)
        else:
            page.lead_to(target)

    def _is_failed_seed(self, url: str, reason: str) -> bool:
        """Return whether a URL that has no page is one that the user named, and record that."""
        is_seed = url in getattr(self.crawler.spider, "named_urls", ())
        if is_seed:
            self.run.seed_failed(url, reason)
        return is_seed

    def add_link(self, source: Request, link: Request) -> None:
        """Add a request that the callback or errback of ``source`` has yielded."""
        if not engine.is_wanted(self.crawler, link):
            return
        if self._trace:
            self._trace.add_request(link.url)
        page = self._page_of(source)
        with self._failing():
            if page:
                page.add(self._candidate(link))
            else:
                self._push(link)

    def push_links(self, source: Request, *, are_all: bool) -> None:
        """Push the links that the callback of ``source`` has yielded so far, before the next lease."""
        if (page := self._page_of(source)) and (page.links or are_all):
            page.found += page.links
            page.links = []
            if are_all:
                page.read_at = page.read_at or self._clock.now()
            engine.wake(self.crawler)

    def is_suspect(self, request: Request) -> bool:
        """Return whether an earlier run died with the page of a request."""
        page = self._page_of(request)
        return page is not None and page.lease.lost > 0

    def must_record(self, request: Request) -> bool:
        """Return whether a page may be read only after :meth:`record_response`."""
        page = self._page_of(request)
        return page is not None and (page.is_silent or page.lease.lost > 0)

    async def record_response(self, request: Request) -> None:
        """Record that there is a response to a request, before it is read."""
        if page := self._page_of(request):
            page.is_silent = False
            with self._failing():
                await self.frontier.process(page.lease)

    @asynccontextmanager
    async def while_stored(self) -> AsyncIterator[None]:
        """Blame no suspect for a kill while its item waits for the stores."""
        suspects = [page.lease for page in self._pages.values() if page.lease.lost and page.outcome]
        for lease in suspects:
            with self._failing():
                await self.frontier.process(lease, waits=True)
        yield
        for lease in suspects:
            if lease.seq in self._pages:
                with self._failing():
                    await self.frontier.process(lease)

    def response_received(self, request: Request) -> None:
        """Record that the callback of a request will be called."""
        if page := self._page_of(request):
            page.outcome = DONE
            self.frontier.free_slot(page.lease)
            # A cache may have had it.
            self._host_answered(page.lease.host)

    def judge(self, request: Request, verdict: str, state: State = State.DONE) -> None:
        """Set the reason of the outcome of a page that has a response."""
        if page := self._page_of(request):
            page.outcome = Outcome(state, verdict)

    def is_useless(self, source: Request, url: str, score: float) -> bool:
        """Return whether a link of ``source`` is known to change nothing in the frontier."""
        key = page_keys.key_of_page(url)
        page = self._page_of(source)
        if page is None or not self.frontier.changes_nothing(key, score):
            return False
        page.note(key, score, page_keys.host_of_page(url))
        self.stats.inc_value("frontier/known")
        return True

    def give_back(self, request: Request) -> None:
        """Record that the callback of a page was cut short: the next run fetches the page again."""
        if page := self._page_of(request):
            page.is_cut = True

    def pause_host(self, request: Request, seconds: float) -> None:
        """Send nothing to the host of a request for that many seconds."""
        with self._failing():
            self.frontier.pause(engine.slot_key(self.crawler, request), self._clock.now() + seconds)

    def doubt_host(self, request: Request) -> None:
        """Try the host of a request again by one page, as if it had not answered yet."""
        with self._failing():
            self._trials.doubt(engine.slot_key(self.crawler, request))

    def failed_trials(self, request: Request) -> int | None:
        """Return how often the host of a request has failed to answer, None if it has answered."""
        host = engine.slot_key(self.crawler, request)
        return None if self._trials.has_answered(host) else self._trials.failures(host)

    def set_crawl_delay(self, request: Request, seconds: float) -> None:
        """Send requests to the host of a request one by one, that many seconds apart."""
        host = engine.slot_key(self.crawler, request)
        self._crawl_delays[host] = seconds
        with self._failing():
            self._trials.limit(host, 1)
            self.frontier.pause(host, self._clock.now() + seconds)

    def drop_host(self, host: str, reason: str) -> None:
        """Drop all waiting URLs of a host."""
        self.frontier.drop_host(host, reason, partial(self._count_dropped, host, reason))

    def _count_dropped(self, host: str, reason: str, count: int) -> None:
        if count:
            self.run.drop(reason, host, count)

    async def look_up(self, urls: Sequence[str], hosts: Iterable[str]) -> KnownUrls:
        """Return what is known about URLs and hosts; raises CloseSpider if the frontier has failed."""
        if self._trace:
            self._trace.add_looked_up(urls)
        try:
            return await self.frontier.look_up(urls, hosts, self._pages)
        except FrontierError:
            raise CloseSpider("error") from None

    def postpone(self, request: Request, error: HostUnavailableError) -> bool:
        """Leave a page and its host for later; return False if the page has to fail instead.

        If they are left to the next run, it fails if the spider discards its frontier, or if the page was
        postponed too often, or if only a port is dead of a host that answers.
        """
        page = self._page_of(request)
        is_closing = engine.is_closing(self.crawler)
        if page is None or (self._discards_frontier and (is_closing or error.seconds == inf)):
            return False
        if error.seconds < inf:
            self.pause_host(request, error.seconds)
        if is_closing or error.seconds < inf:
            page.is_cut = True
            return True
        has_own_port = urlparse_cached(request).port is not None
        if has_own_port and self._trials.has_answered(page.lease.host):
            return False
        if page.lease.tries >= self._retries + _MOST_RUNS:
            if not has_own_port:
                self.drop_host(page.lease.host, UNAVAILABLE)
            return False
        page.retry_at = self._clock.now()
        self.pause_host(request, inf)
        seed = request.meta.get("redirect_urls", [request.url])[0]
        if self._is_failed_seed(seed, str(error)):
            self.run.mark_incomplete(f"{seed} has no page ({error}); {remedy(str(error))}")
        return True

    def _has_enough(self, now: float) -> bool:
        pages = self._pages
        silent = set(self._trials.since(now - _SILENT_SECONDS))
        for seq in silent:
            self._eagerness.forget(seq)
            if not pages[seq].is_silent and pages[seq].outcome is None:
                pages[seq].is_silent = True
                self.frontier.mark_silent(pages[seq].lease)
        # With one slot, the links of a page are known before the next is chosen.
        in_flight = sum(
            (page.read_at if self._most == 1 else page.outcome) is None
            for seq, page in pages.items()
            if seq not in silent
        )
        unfinished = len(pages) - len(silent) - _MOST_UNFINISHED
        if not 0 < self._most <= max(in_flight, unfinished):
            return False
        self._alarm.set(_SILENT_SECONDS)
        return True

    def _chooses(self, now: float) -> bool:
        """Choose the host of the next URL; return False to be called again soon."""
        if self._trials.choose(now):
            return True
        self._paused_until = None
        engine.wake(self.crawler)
        return False

    def _lease(self, now: float) -> list[Lease]:
        """Lease the best URL if it is worth a slot yet; otherwise set the alarm."""
        score = self.frontier.best_score(now) if self._eagerness.may_hold_back else None
        if score is not None and (wait := self._eagerness.seconds_to_wait(score, now)):
            # Among the pages in flight may be one that is given up earlier.
            self._alarm.set(min(wait, _SILENT_SECONDS))
            return []
        if not (leases := self.frontier.lease(1, now)):
            self._wait_for_next(now)
        return leases

    def _begin(self, lease: Lease, now: float) -> Request | None:
        assert self.crawler.spider is not None
        self._paused_until = None
        request = engine.restored(lease, self.crawler.spider)
        if request is None:
            self._end([Ack(lease, outcome=DAMAGED_ROW)])
            return None
        delay = self._crawl_delays.get(lease.host) or engine.download_delay(
            self.crawler, lease.host
        )
        if delay:
            # In the downloader, the wait would occupy a slot that another host could use.
            self.frontier.pause(lease.host, now + delay)
        request.meta[_LEASE] = lease.seq
        if "score" in request.meta:
            request.meta["score"] = lease.score
        if lease.tries:
            request.meta["retry_times"] = engine.retries(request) + lease.tries
        request.errback = Errback(self, request.errback)
        self._pages[lease.seq] = LeasedPage(lease, request)
        self._trials.begin(lease.host, lease.seq, now)
        # For a page of a host that has failed no other is held back.
        if not self._trials.failures(lease.host):
            self._eagerness.sent(lease.seq, lease.score, self._clock.now())
        self.stats.inc_value("frontier/leased")
        return request

    def _end_pages(self) -> None:
        """End the leases of all pages that the engine has removed, in one transaction."""
        busy = engine.in_progress(self.crawler)
        over = [page for page in self._pages.values() if page.request not in busy]
        is_lost = self.run.has_failed
        acks = []
        for page in over:
            del self._pages[page.lease.seq]
            self._trials.end(page.lease.host, page.lease.seq)
            if page.is_fatal and is_lost:
                self.frontier.abandon(page.lease)
                self._has_abandoned = True
                continue
            if page.is_cut or is_lost:
                self.frontier.release(page.lease)
                self.stats.inc_value("frontier/released")
            elif page.retry_at is not None:
                self.frontier.retry(page.lease, page.retry_at)
                self.stats.inc_value("frontier/retried")
            else:
                acks.append(page.ack())
        self._end(acks)
        for page in over:
            self._learn(page)

    def _push_found(self) -> None:
        # As late as this, most pages are finished: their links and their end were one transaction.
        for page in self._pages.values():
            if page.found:
                self.frontier.found(page.lease, page.found)
                page.found = []
            if page.read_at is not None:
                self._learn(page)

    def _learn(self, page: LeasedPage[Request]) -> None:
        if not self._eagerness.expects(page.lease.seq):
            return
        if not page.has_all_links:
            self._eagerness.forget(page.lease.seq)
            return
        if not page.is_learnt:
            page.is_learnt = True
            read_at = page.read_at or self._clock.now()
            # Else each further link to a dead host would promise what no page has led to.
            alive = {
                key: host for key, host in page.hosts.items() if not self._trials.failures(host)
            }
            self.frontier.states(alive, partial(self._learn_best, page, read_at))

    def _learn_best(
        self, page: LeasedPage[Request], read_at: float, states: Mapping[int, State]
    ) -> None:
        self._eagerness.read(page.lease.seq, page.best_link(states), read_at)

    def _end(self, acks: list[Ack]) -> None:
        self.frontier.ack_many(acks)
        for ack in acks:
            state, reason = ack.outcome
            self.stats.inc_value(f"frontier/{state}")
            if reason:
                self.stats.inc_value(f"frontier/{state}/{reason}")

    def _push(self, request: Request) -> bool:
        return self.frontier.push([self._candidate(request)])

    def _page_of(self, request: Request | None) -> LeasedPage[Request] | None:
        return self._pages.get(request.meta.get(_LEASE, -1)) if request else None

    def _wait_for_next(self, now: float) -> None:
        """Wake the engine when a pause ends."""
        due = self.frontier.next_due(now)
        self._paused_until = due if due is not None and due - now > HOUR else None
        if not all(self._pages[seq].is_silent for seq in self._trials.since(now)):
            # A suspect is alone until its host has been silent for so long.
            due = min(now + _SILENT_SECONDS, inf if due is None else due)
        self._alarm.set(None if due is None else due - now)

    def _response_downloaded(self, request: Request) -> None:
        # Also responses that are retried, but not of robots.txt: a host may have that and no page.
        if _LEASE in request.meta:
            self._host_answered(engine.slot_key(self.crawler, request))

    def _host_answered(self, host: str) -> None:
        with self._failing():
            if self._trials.answer(host):
                engine.wake(self.crawler)

    def _spider_error(self, failure: Failure, response: Response | Failure) -> None:
        if page := self._page_of(getattr(response, "request", None)):
            page.blame(failure.value, failed(type(failure.value).__name__))

    def _item_error(self, response: Response | Failure | None, failure: Failure) -> None:
        if page := self._page_of(getattr(response, "request", None)):
            page.blame(failure.value, failed(f"item: {type(failure.value).__name__}"))

    def failed(self, failure: Failure) -> None:
        """Record the reason why there is no response to a request."""
        if (page := self._page_of(request_of(failure))) and failure.value:
            self.run.fail_on_machine_fault(failure.value)
            page.blame(failure.value, outcome_of(failure.value))
            if page.outcome and page.outcome.state is State.DROPPED:
                # By its robots.txt: no fault of the host.
                self._host_answered(page.lease.host)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """End the crawl with the message of a FocuscrawlError."""
        try:
            yield
        except FocuscrawlError as error:
            self.run.fail(error)


# Trace of the URLs that a crawl looks up in its frontier, which ``scrapy urlcache`` replays.


_SETTING = "FOCUSCRAWL_URL_TRACE"


class UrlTrace:
    """File of the setting ``FOCUSCRAWL_URL_TRACE``: one URL per line.

    A run appends to what is there; not gzipped, since a killed one would leave a broken file. Of several workers each has a file of its own, with its name at the
    end. A disk that is full ends the trace, with a note, and not the crawl.
    """

    def __init__(self, file: IO[bytes], run: RunningCrawl) -> None:
        self._file: IO[bytes] | None = file
        self._run = run
        self._has_all_links = False

    @classmethod
    def of(cls, crawler: Crawler) -> UrlTrace | None:
        """Open the file, None if none is named; raises ArgumentError if it cannot be written."""
        if not (name := crawler.settings[_SETTING]):
            return None
        run = RunningCrawl.of(crawler)
        path = Path(name)
        if run.worker:
            path = path.with_name(f"{path.stem}-{run.worker}{path.suffix}")
        try:
            return cls(path.open("ab"), run)
        except OSError as error:
            raise ArgumentError(
                f"{_SETTING}={name} cannot be written: {error.strerror}; name another file"
            ) from None

    def add_request(self, url: str) -> None:
        """Write the URL of a request, unless the spider looks all links up before it requests some."""
        if not self._has_all_links:
            self._add([url])

    def add_looked_up(self, urls: Sequence[str]) -> None:
        """Write the URLs of the links of a page, which are looked up before some are requested."""
        self._has_all_links = True
        self._add(urls)

    def close(self) -> None:
        """Complete the file."""
        self._do(lambda file: file.close())
        self._file = None

    def _add(self, urls: Sequence[str]) -> None:
        lines = b"".join(url.encode("utf-8", "replace") + b"\n" for url in urls)
        self._do(lambda file: file.write(lines))

    def _do(self, step: Callable[[IO[bytes]], object]) -> None:
        if self._file is None:
            return
        try:
            step(self._file)
        except OSError as error:
            self._file = None
            self._run.note(f"the trace of URLs is incomplete: {error.strerror}")
