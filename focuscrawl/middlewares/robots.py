"""Downloader middleware that obeys robots.txt according to RFC 9309."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any, NamedTuple

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.frontier.frontier_protocol import growing_pause
from focuscrawl.middlewares.address_guard import address_rules_of
from focuscrawl.middlewares.interruptible_pause import pause, until_closing
from focuscrawl.network.failure_names import (
    COOKIE_REQUIRED,
    failure_words,
    is_fault_of_proxy,
    is_refusal_of_proxy,
)
from focuscrawl.network.waiting_times import crawl_delay_seconds
from focuscrawl.scheduling.request_errback import (
    HostUnavailableError,
    RefusedAddressError,
    can_return,
)
from focuscrawl.scheduling.scrapy_engine import most_retries

logger = logging.getLogger(__name__)

UNREACHABLE = "robots.txt unreachable"

# RFC 9309, sections 2.5 (limits) and 2.3.1.2 (redirects).
_LARGEST = 500 * 1024
_MOST_REDIRECTS = 5
_RECEIVED = "robotstxt_received"
_TOO_MANY_REQUESTS = 429
_MOST_TOLD = 10
# Seconds that the first try may take, and how many times as many each further one, except the last.
_PATIENCE = 4.0


class _SilentError(Exception):
    """A robots.txt request without a response; the text is the reason."""


class _Failures(NamedTuple):
    """Number of failed tries, the reason of the last, and the time of the next on the monotonic clock."""

    tries: int = 0
    reason: str = ""
    again_at: float = 0.0


class RobotsMiddleware(RobotsTxtMiddleware):
    """Downloader middleware: Scrapy's own, but with the failures of robots.txt as in RFC 9309.

    - 2xx: the rules in the first 500 KiB apply (section 2.5).
    - Other statuses below 500, or more than five redirects: everything is allowed (2.3.1.3).
    - 5xx, 429, or no response: nothing is allowed for now (2.3.1.4). robots.txt is retried
      ``RETRY_TIMES`` times with exponential back-off; then every request to the host fails with a
      :class:`~focuscrawl.scheduling.request_errback.HostUnavailableError` for the rest of the run. If a host
      does not respond by https, http is tried, and vice versa. Requests of the frontier wait there
      meanwhile, where they cost nothing; those of another scheduler wait in their request slots.

    A proxy that refuses https is not asked again.

    ``Crawl-delay`` is observed up to ``FOCUSCRAWL_CRAWL_DELAY_MAX`` seconds. In a replay there is no
    server to spare: no delay, and a robots.txt that failed allows everything, unless hosts are to be dead.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._is_replay = bool(settings["FOCUSCRAWL_REPLAY"])
        self.run = RunningCrawl.of(crawler)
        has_dead = self.run.number("FOCUSCRAWL_REPLAY_DEAD", least=0, most=1) > 0
        self._is_forgiving = self._is_replay and not has_dead
        self._tries = 1 if self._is_forgiving else 1 + most_retries(crawler)
        self._timeout = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._first_pause = self.run.number("FOCUSCRAWL_RETRY_PAUSE", least=0)
        self._longest_pause = self.run.number("FOCUSCRAWL_RETRY_PAUSE_MAX", least=0)
        self._longest_delay = self.run.number("FOCUSCRAWL_CRAWL_DELAY_MAX", least=0)
        self._rules: dict[str, RobotParser | None] = {}
        self._failures: dict[str, _Failures] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._delayed: set[str] = set()
        self._being_read = 0
        self._told = 0
        self._address_rules = address_rules_of(crawler)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the rules of the request's host, None if everything is allowed."""
        host = urlparse_cached(request).netloc
        while host not in self._rules:
            async with self._locks.setdefault(host, asyncio.Lock()):
                if host not in self._rules:
                    await self._wait_for_next_try(request, host)
                    await self._watched(self._read(request, host))
        if host in self._delayed:
            # AutoThrottle has no minimum delay per host.
            request.meta["autothrottle_dont_adjust_delay"] = True
        return self._rules[host]

    def bytes_received(self, data: bytes, request: Request) -> None:
        """Stop the download of a robots.txt beyond the first 500 KiB."""
        if _RECEIVED not in request.meta:
            return
        # Set only now, so that a large Content-Length does not stop the download before it starts;
        # the decompressed body stays limited.
        request.meta["download_maxsize"] = self.crawler.settings.getint("DOWNLOAD_MAXSIZE")
        request.meta[_RECEIVED] += len(data)
        if request.meta[_RECEIVED] > _LARGEST:
            raise StopDownload(fail=False)

    async def _watched(self, reading: Coroutine[Any, Any, None]) -> None:
        """Connect to ``bytes_received`` only while robots.txt is fetched: every chunk costs a call."""
        connect, disconnect = self.crawler.signals.connect, self.crawler.signals.disconnect
        connect(self.bytes_received, signals.bytes_received)
        self._being_read += 1
        try:
            await reading
        finally:
            self._being_read -= 1
            if not self._being_read:
                disconnect(self.bytes_received, signals.bytes_received)

    async def _wait_for_next_try(self, request: Request, host: str) -> None:
        failures = self._failures.get(host, _Failures())
        if failures.tries >= self._tries:
            raise HostUnavailableError(f"{UNREACHABLE}: {failures.reason}")
        if (seconds := failures.again_at - time.monotonic()) > 0:
            await pause(self.crawler, request, seconds, UNREACHABLE)

    async def _read(self, request: Request, host: str) -> None:
        """Try once to read the rules of a host."""
        scheme = urlparse_cached(request).scheme
        failed = self._failures.get(host, _Failures()).tries
        is_last = failed + 1 >= self._tries
        # Most silent hosts are dead; one that is only slow has the further tries.
        patience = min(self._timeout, _PATIENCE ** (failed + 1))
        limits = {} if is_last else {"download_timeout": patience}
        try:
            response = await self._fetch(f"{scheme}://{host}/robots.txt", **limits)
            trouble = _trouble(response)
        except _SilentError as error:
            response, trouble = None, str(error)
        if not trouble:
            await self._take(request, host, response)
            return
        has_worked = self._stats.get_value("downloader/response_count")
        if is_fault_of_proxy(trouble) and has_worked and can_return(request):
            # No fault of the host, which SilentHosts lets wait until the proxy works again.
            raise HostUnavailableError(f"{UNREACHABLE}: {trouble}")
        if not (is_last or is_refusal_of_proxy(trouble)):
            seconds = growing_pause(failed, self._first_pause, self._longest_pause)
            self._failures[host] = _Failures(failed + 1, trouble, time.monotonic() + seconds)
            await pause(self.crawler, request, seconds, UNREACHABLE)
        elif self._is_forgiving or await self._answers_elsewhere(request, host, trouble):
            self._rules.setdefault(host, None)
        else:
            self._failures[host] = _Failures(self._tries, trouble)
            self._give_up(host, trouble)

    async def _answers_elsewhere(self, request: Request, host: str, trouble: str) -> bool:
        """Try the other scheme for a host that did not respond; return whether its rules were read."""
        if trouble.startswith("HTTP ") or ":" in host:
            return False
        scheme = "http" if urlparse_cached(request).scheme == "https" else "https"
        try:
            response = await self._fetch(f"{scheme}://{host}/robots.txt")
        except _SilentError:
            return False
        if _trouble(response):
            return False
        await self._take(request, host, response)
        return True

    async def _fetch(self, url: str, **limits: float) -> Response | None:
        """Return the response, None if the URL or its redirects must not be followed."""
        meta = {
            "dont_obey_robotstxt": True,
            "dont_merge_cookies": True,
            "dont_retry": not self._is_forgiving,
            "redirect_ttl": _MOST_REDIRECTS,
            "download_maxsize": 0,
            _RECEIVED: 0,
            **limits,
        }
        self._stats.inc_value("robotstxt/request_count")
        try:
            request = Request(url, NO_CALLBACK, priority=self.DOWNLOAD_PRIORITY, meta=meta)
            return await until_closing(self.crawler, self.crawler.engine.download_async(request))
        except HostUnavailableError:
            raise
        except (RefusedAddressError, ValueError):
            # The page itself fails for the same reason.
            return None
        except Exception as error:
            endless = ("max redirections reached", COOKIE_REQUIRED)
            if isinstance(error, IgnoreRequest) and str(error) in endless:
                return None
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            raise _SilentError(failure_words(error, request.meta.get("proxy") or "")) from error

    async def _take(self, request: Request, host: str, response: Response | None) -> None:
        """Parse and keep the rules of a response."""
        if response is None:
            self._rules[host] = None
            return
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        text = _beginning(response.body) if 200 <= response.status < 300 else b""
        rules = build_from_crawler(self._parserimpl, self.crawler, text)
        await self.crawler.signals.send_catch_log_async(
            signals.robots_parsed, robotparser=rules, request=request
        )
        self._keep_delay(rules, request, host)
        self._rules[host] = rules

    def _keep_delay(self, rules: RobotParser, request: Request, host: str) -> None:
        agent = self._robotstxt_useragent or self._default_useragent
        asked = rules.crawl_delay(agent)
        seconds = crawl_delay_seconds(asked, self._longest_delay)
        if not seconds or self._is_replay:
            return
        if asked and asked > seconds:
            self._tell(
                f"Crawl-delay of {host} is {asked:g} s; limited to {seconds:g} s "
                "(FOCUSCRAWL_CRAWL_DELAY_MAX)"
            )
        engine = self.crawler.engine
        if keep := getattr(engine.scheduler, "set_crawl_delay", None):
            keep(request, seconds)
        # Also for requests that the scheduler sent before the rules were known.
        self._delayed.add(host)
        key, slot = engine.downloader._get_slot(request)
        slot.concurrency, slot.delay, slot.jitter = 1, max(slot.delay, seconds), 0.0
        # Idle slots are removed, and created again from these settings.
        own = {"concurrency": 1, "delay": slot.delay, "jitter": 0.0}
        engine.downloader.per_slot_settings[key] = own

    def _give_up(self, host: str, trouble: str) -> None:
        sentence = (
            f"robots.txt of {host} cannot be fetched ({trouble}): none of its pages was requested"
        )
        # Some of the hosts that pages link to are always down: that makes no run incomplete. Neither
        # does a search engine that has fallbacks.
        fallbacks = getattr(self.crawler.spider, "fallback_urls", ())
        is_fallback = any(url.split("/")[2] == host for url in fallbacks)
        if self._address_rules.is_named(host) and not is_fallback:
            self.run.mark_incomplete(f"{sentence}; run again later")
        else:
            self._tell(sentence)

    def _tell(self, text: str) -> None:
        self._told += 1
        if self._told <= _MOST_TOLD:
            self.run.note(text)
        else:
            logger.info("%s", text)


def _trouble(response: Response | None) -> str:
    if response is None or (response.status < 500 and response.status != _TOO_MANY_REQUESTS):
        return ""
    return f"HTTP {response.status}"


def _beginning(body: bytes) -> bytes:
    """Return the complete lines of the first 500 KiB: half a line could disallow more than the whole."""
    if len(body) <= _LARGEST:
        return body
    return body[: body.rfind(b"\n", 0, _LARGEST) + 1]
