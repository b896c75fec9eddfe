"""Pages drawn by Chromium, each of whose requests is answered by Scrapy's own downloader."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, Route
from playwright.async_api import Error as BrowserError
from playwright.async_api import Request as BrowserRequest
from playwright.async_api import TimeoutError as NotFoundInTimeError
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, IgnoreRequest
from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.utils.defer import ensure_awaitable
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.rendering_handler import decoded
from focuscrawl.errors import FocuscrawlError
from focuscrawl.middlewares.address_guard import AddressGuard
from focuscrawl.middlewares.robots import RobotsMiddleware
from focuscrawl.middlewares.site_session import SESSION
from focuscrawl.sites.page_reading import with_earlier_entries
from focuscrawl.sites.site_profile import Rule, SiteProfile
from focuscrawl.system.package_extras import require_browser
from focuscrawl.system.worker_process import memory_of
from focuscrawl.text.page_charset import detect

if TYPE_CHECKING:
    from scrapy.downloadermiddlewares.cookies import CookiesMiddleware

_MOST_PAGES = 4
# Chromium itself reaches nothing: what is not answered below goes to a proxy that is not there.
_NOWHERE = "http://127.0.0.1:1"
_SWITCHES = (
    f"--proxy-server={_NOWHERE}",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # WebRTC would send packets past the proxy.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    *"--disable-gpu --disable-quic --no-first-run --disable-background-networking".split(),
    *"--disable-component-update --disable-sync --disable-dev-shm-usage --mute-audio".split(),
)
_CONTEXT = {
    "service_workers": "block",
    "accept_downloads": False,
    "locale": "zh-CN",
    # Scripts print the times of data as readers of the site see them.
    "timezone_id": "Asia/Shanghai",
}
_NOT_LOADED = frozenset(
    "image font media texttrack manifest eventsource websocket ping cspviolationreport".split()
)
_KEPT, _LASTS = frozenset(("script", "stylesheet")), ("GET", 200)
_MOST_KEPT_BYTES, _MOST_AT_A_TIME, _MOST_REDIRECTS = 64 << 20, 6, 5
_DATA = frozenset(("xhr", "fetch"))
_HTTP_ONLY = ("HttpOnly", "httponly", "HTTPOnly", "httpOnly")
_MOST_DATA_BYTES = 4 << 20
# Of the whole message, and not of the decoded body; or for a browser that shows what is sent.
_OF_TRANSFER = frozenset(
    b"content-encoding content-length transfer-encoding connection keep-alive content-disposition".split()
)
_OF_BROWSER = frozenset("host connection content-length accept-encoding user-agent".split())
_OF_UNDRAWN = (*_OF_TRANSFER, b"etag", b"last-modified", b"content-type", b"set-cookie")
# Seconds without a request or a new element after which a page counts as drawn; and between two looks.
_CALM, _LOOK, _WATCH = 0.5, 0.1, 0.5
# WebRTC again, should the name of the switch change once more; and what a page needs no answer to.
_LESS = """for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
    delete globalThis[name];
globalThis.open = () => null;
globalThis.print = () => undefined;"""
_COUNT = "document.getElementsByTagName('*').length"
# Links are relative to the address that a script has given to the page.
_SET_BASE = """url => {
    const here = document.baseURI.split('#')[0];
    if (here === url || document.querySelector('base[href]') || !here.startsWith('http')) return;
    const base = document.createElement('base');
    base.href = here;
    document.head.prepend(base);
}"""


class RenderError(DownloadFailedError):
    """A page that could not be drawn; the text is the reason in a few words."""


class Chromium(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """The browser of a crawl: one context, and at most four pages at the same time.

    It has no network of its own. Each request of a page passes robots.txt, the proxy settings and the
    :class:`~focuscrawl.middlewares.address_guard.AddressGuard`, and is then downloaded by Scrapy, which
    checks the address that it connects to. A page that takes longer than ``FOCUSCRAWL_PAGE_SECONDS`` or
    more memory than ``FOCUSCRAWL_PAGE_MEMORY_MB`` fails; one whose browser has died is requested again.
    With cookies, the browser has those of the crawl, and the crawl those that scripts are sent. A page
    counts as one without session (401) if what its script asks for is refused for that reason.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        # It logs the traceback of every page that is closed.
        logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self.seconds = self.run.number("FOCUSCRAWL_PAGE_SECONDS", least=0)
        self.memory = int(self.run.number("FOCUSCRAWL_PAGE_MEMORY_MB", least=256)) << 20
        self._program = require_browser(crawler.settings["FOCUSCRAWL_CHROMIUM"])
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        config = self.config
        config.cdp_url = config.connect_url = config.navigation_timeout_ms = None
        config.browser_type_name, config.startup_context_kwargs = "chromium", {}
        config.max_pages_per_context = _MOST_PAGES
        config.restart_disconnected_browser = True
        config.launch_options = {
            "executable_path": self._program,
            "args": [*_SWITCHES, *(["--no-sandbox"] if is_root else [])],
            "ignore_default_args": ["--disable-popup-blocking"],
            # Ctrl-C reaches the crawler, which decides what to finish.
            "handle_sigint": False,
        }
        self._places = asyncio.Semaphore(_MOST_PAGES)
        self._starting = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._kept: OrderedDict[str, Response] = OrderedDict()
        self._said: set[str] = set()
        # Sessions that scripts were refused in, by URL.
        self.refused: dict[str, int] = {}

    async def drawn(self, request: Request, page: HtmlResponse) -> Response:
        """Return a page as it is once its scripts have run; raises :class:`RenderError`."""
        async with self._places:
            process = await self._started()
            visit = _Visit(self, request, page)
            try:
                async with asyncio.timeout(self.seconds) as deadline:
                    html = await visit.draw(deadline)
            except TimeoutError:
                raise visit.failure(f"drawing takes over {self.seconds:g} s") from None
            except BrowserError as error:
                if visit.has_crashed:
                    limit = f"drawing needs over {self.memory >> 20} MB, or kills the browser"
                    raise visit.failure(limit) from error
                if await self._works(process):
                    raise visit.failure("a script leaves the page while it is drawn") from error
                raise RenderError("the browser died") from error
            finally:
                await visit.close()
        self.stats.inc_value("focuscrawl/drawn/pages")
        return visit.response(html)

    async def fetch(self, request: Request, kind: str = "") -> Response:
        """Return the answer to a request of a page; raises the error of a request that is refused."""
        request.meta["redirect_ttl"] = _MOST_REDIRECTS
        redirects: Any = self.crawler.get_downloader_middleware(RedirectMiddleware)
        while not (kept := self._kept.get(request.url)):
            for middleware in (RobotsMiddleware, HttpProxyMiddleware, AddressGuard):
                check: Any = self.crawler.get_downloader_middleware(middleware)
                if check:
                    await ensure_awaitable(check.process_request(request))
            if self.jars and "redirect_urls" in request.meta:
                of_browser = (request.headers.get("Cookie") or b"").split(b"; ")
                await ensure_awaitable(self.jars.process_request(request))
                # What the redirect has set is newer.
                both = (*of_browser, *(request.headers.get("Cookie") or b"").split(b"; "))
                pairs = {one.partition(b"=")[0]: one for one in both if one}
                request.headers["Cookie"] = b"; ".join(pairs.values())
            self.stats.inc_value("focuscrawl/drawn/requests")
            downloader = self.crawler.engine.downloader
            sent = await downloader.handlers.download_request_async(request)
            response: Response | None = decoded(self.crawler, request, sent)
            if response is None:
                raise RenderError("broken answer")
            if self.jars:
                await ensure_awaitable(self.jars.process_response(request, response))
            # Scrapy's own: the browser has the cookies, which ours would leave to another middleware.
            follow = RedirectMiddleware.process_response
            found = follow(redirects, request, response) if redirects else response
            if isinstance(found, Response):
                is_lasting = b"no-" not in (found.headers.get("Cache-Control") or b"")
                if kind in _KEPT and is_lasting and (request.method, found.status) == _LASTS:
                    self._keep(request.url, found)
                return found
            request = found
            request.meta.pop("proxy", None)
        return kept

    @property
    def jars(self) -> CookiesMiddleware | None:
        """The cookies of the crawl, None if it keeps none."""
        # Scrapy has loaded it where cookies are on.
        from scrapy.downloadermiddlewares.cookies import CookiesMiddleware

        found: CookiesMiddleware | None = self.crawler.get_downloader_middleware(CookiesMiddleware)
        return found

    def say_once(self, kind: str, text: str) -> None:
        """Add a note to the summary, the first of its kind."""
        if kind not in self._said:
            self._said.add(kind)
            self.run.note(text)

    async def close(self) -> None:
        """Close the pages and the browser."""
        if self._watching:
            self._watching.cancel()
        with suppress(Exception):
            # A browser or a driver that has died is closed.
            await super().close()

    async def _works(self, process: Browser) -> bool:
        """Return whether a browser still works; if not, the next page starts another, with its driver."""
        async with self._starting:
            if getattr(self, "browser", None) is not process:
                return False
            with suppress(Exception):
                async with asyncio.timeout(self.seconds):
                    await (await process.new_context()).close()
                    return True
            with suppress(Exception):
                async with asyncio.timeout(self.seconds):
                    await self.browser_provider.close()
            self.context_wrappers.clear()
            del self.browser, self.browser_provider
            return False

    def _keep(self, url: str, response: Response) -> None:
        """Keep a script or a style, which the next pages of the site ask for as well."""
        self._kept[url] = response
        size = sum(len(one.body) for one in self._kept.values())
        while size > _MOST_KEPT_BYTES:
            size -= len(self._kept.popitem(last=False)[1].body)

    async def _started(self) -> Browser:
        async with self._starting:
            try:
                if not hasattr(self, "browser_provider"):
                    await self._launch()
                await self._maybe_launch_browser()
            except Exception as error:
                reason = " ".join(str(error).split())[:200]
                fault = FocuscrawlError(f"{self._program} does not start ({reason})")
                self.run.fail(fault)
                raise RenderError("the browser does not start") from error
            if not self._watching:
                self._watching = asyncio.create_task(self._watch())
            browser: Browser = self.browser
            return browser

    async def _watch(self) -> None:
        """End the processes of pages that take too much memory; their pages fail."""
        while True:
            await asyncio.sleep(_WATCH)
            for pid in _renderers(os.getpid()):
                if memory_of(pid) > self.memory:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)


class _Visit:
    """A page that is being drawn."""

    def __init__(self, browser: Chromium, request: Request, page: HtmlResponse) -> None:
        self.has_crashed = False
        self._browser = browser
        self._request = request
        self._first = page
        spider: Any = browser.crawler.spider
        self._profile: SiteProfile | None = spider.profile
        declared = (page.headers.get("Content-Type") or b"").partition(b"charset=")[2]
        charset = detect(page.body, declared.decode("latin-1").strip("\"' ;"))
        # Other bytes of a character could be read as markup.
        self._charset = charset if charset.startswith(("gb", "big5")) else "utf-8"
        self._text = page.replace(encoding=charset).text
        self._url = page.url
        self._page: Page | None = None
        self._is_shown = self._is_refused = False
        self._waiting, self._last = 0, 0.0
        self._at_a_time = asyncio.Semaphore(_MOST_AT_A_TIME)
        self._loop = asyncio.get_running_loop()

    async def draw(self, deadline: asyncio.Timeout) -> str:
        """Return the HTML of the page once it is calm and there is nothing more to click."""
        agent = (self._request.headers.get("User-Agent") or b"").decode("latin-1")
        meta = {
            "playwright": True,
            "playwright_include_page": True,
            "playwright_context_kwargs": _CONTEXT | ({"user_agent": agent} if agent else {}),
            "playwright_page_init_callback": self._prepare,
            "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded", "timeout": 0},
        }
        await self._browser.download_request(Request(self._request.url, meta=meta))
        page, profile = self._page, self._profile
        assert page is not None
        if profile and profile.wait_for:
            try:
                await page.wait_for_selector(
                    _selector(profile.wait_for),
                    state="attached",
                    timeout=self._browser.seconds * 900,
                )
            except NotFoundInTimeError:
                sentence = f"wait_for is not on the page after {self._browser.seconds:g} s"
                raise self.failure(sentence) from None
        await self._calm()
        html = await self._html()
        if profile and profile.click and self._request.meta["render"] == "list":
            return await self._click_on(profile, html, deadline)
        return html

    def failure(self, reason: str) -> RenderError:
        """Return the error of a page that would fail again."""
        self._request.meta["dont_retry"] = True
        return RenderError(reason)

    def response(self, html: str) -> Response:
        """Return the page as if the server had sent it so."""
        if self._is_refused:
            return self._first.replace(status=401, headers={}, body=b"")
        if self._url != self._first.url:
            redirected = self._request.meta.get("redirect_urls", [])
            self._request.meta["redirect_urls"] = [*redirected, self._request.url]
        headers = Headers(
            {k: v for k, v in self._first.headers.items() if k.lower() not in _OF_UNDRAWN}
        )
        headers["Content-Type"] = f"text/html; charset={self._charset}"
        body = html.encode(self._charset, "xmlcharrefreplace")
        most = self._browser.crawler.settings.getint("DOWNLOAD_MAXSIZE")
        if most and len(body) > most:
            raise DownloadCancelledError(f"drawn, {self._url} is larger than DOWNLOAD_MAXSIZE")
        flags = [*self._first.flags, "drawn"]
        return self._first.replace(
            url=self._url, headers=headers, body=body, flags=flags, encoding=self._charset
        )

    async def close(self) -> None:
        """Close the page, whatever it does."""
        if self._page:
            with suppress(BrowserError, TimeoutError):
                async with asyncio.timeout(self._browser.seconds):
                    await self._page.close()

    async def _prepare(self, page: Page, request: Request) -> None:
        self._page = page
        page.on("popup", _close)
        page.on("crash", self._crashed)
        await page.add_init_script(_LESS)
        # The route that was added last is asked first, and always answers.
        await page.route("**/*", self._answer)
        jars = self._browser.jars
        for cookie in list(jars.jars[request.meta.get("cookiejar")]) if jars else ():
            is_hidden = any(map(cookie.has_nonstandard_attr, _HTTP_ONLY))
            of_browser: Any = {
                "name": cookie.name, "value": cookie.value or "", "domain": cookie.domain,
                "path": cookie.path, "secure": cookie.secure, "httpOnly": is_hidden,
            }  # fmt: skip
            with suppress(BrowserError):
                await page.context.add_cookies([of_browser])

    def _crashed(self, page: Page) -> None:
        self.has_crashed = True

    async def _answer(self, route: Route, asked: BrowserRequest) -> None:
        self._waiting += 1
        try:
            await self._fulfil(route, asked)
        # Of any request that a page may send; the page goes on without an answer.
        except Exception as error:
            if "robots.txt" in str(error) and isinstance(error, IgnoreRequest):
                sentence = f"robots.txt forbids what pages request by scripts, such as {asked.url}"
                self._browser.say_once("robots.txt", sentence)
            with suppress(BrowserError):
                await route.abort("aborted" if asked.is_navigation_request() else "failed")
        finally:
            self._waiting -= 1
            self._last = self._loop.time()

    async def _fulfil(self, route: Route, asked: BrowserRequest) -> None:
        is_page = asked.is_navigation_request() and asked.frame.parent_frame is None
        if asked.resource_type in _NOT_LOADED:
            await route.abort()
            return
        if is_page and not self._is_shown:
            self._is_shown = True
            headers = _flat(self._first.headers)
            headers["content-type"] = f"text/html; charset={self._charset}"
            body = self._text.encode(self._charset, "xmlcharrefreplace")
            await route.fulfill(status=200, headers=headers, body=body)
            return
        async with self._at_a_time:
            response = await self._browser.fetch(await self._sent(asked), asked.resource_type)
        if is_page and not isinstance(response, TextResponse):
            # A download; the page stays.
            raise RenderError("a file")
        if asked.resource_type in _DATA and len(response.body) < _MOST_DATA_BYTES:
            is_get = asked.method == "GET"
            if is_get and (kept := self._request.meta.get("_data")) is not None:
                kept.append(response.replace(url=asked.url))
            self._note_refusal(asked.url.partition("?")[0], response)
        await route.fulfill(
            status=response.status, headers=_flat(response.headers), body=response.body
        )
        if is_page:
            self._url = response.url

    def _note_refusal(self, url: str, response: Response) -> None:
        """Note whether a script is refused for want of a session."""
        if not (login := self._profile and self._profile.login):
            return
        refused, session = self._browser.refused, int(self._request.meta.get(SESSION, 0))
        is_sent_away = response.url.partition("?")[0] == login.url.partition("?")[0]
        if response.status != 401 and not is_sent_away:
            refused.pop(url, None)
        else:
            # If another session is refused as well, it is no matter of sessions.
            self._is_refused |= refused.setdefault(url, session) == session

    async def _sent(self, asked: BrowserRequest) -> Request:
        headers = {
            name: value
            for name, value in (await asked.all_headers()).items()
            if name not in _OF_BROWSER and not name.startswith(":")
        }
        ours = self._request.headers
        headers["accept-encoding"] = "gzip, deflate"
        headers["user-agent"] = (ours.get("User-Agent") or b"").decode("latin-1")
        is_own = urlsplit(asked.url)[:2] == urlsplit(self._request.url)[:2]
        if is_own and not self._browser.jars and (cookie := ours.get("Cookie")):
            cookies = headers.get("cookie"), cookie.decode("latin-1")
            headers["cookie"] = "; ".join(filter(None, cookies))
        meta = {"download_timeout": self._browser.seconds}
        body = asked.post_data_buffer or b""
        return Request(asked.url, method=asked.method, headers=headers, body=body, meta=meta)

    async def _calm(self) -> None:
        """Wait until no request is open and no element is added, or for half of the time of a page."""
        assert self._page is not None
        end, elements = self._loop.time() + self._browser.seconds / 2, -1
        self._last = max(self._last, self._loop.time() - _CALM / 2)
        while self._loop.time() < end:
            now = await self._count()
            if self._waiting or now != elements:
                elements, self._last = now, self._loop.time()
            elif self._loop.time() - self._last >= _CALM:
                return
            await asyncio.sleep(_LOOK)
        sentence = (
            f"pages were read although they were still changing after {self._browser.seconds / 2:g} s, "
            f"such as {self._url}; name what they must have in wait_for"
        )
        if not (self._profile and self._profile.wait_for):
            self._browser.say_once("busy", sentence)

    async def _count(self) -> int:
        """Return the number of elements, -1 while a script leads to another page."""
        assert self._page is not None
        try:
            return int(await self._page.evaluate(_COUNT))
        except BrowserError:
            if self._page.is_closed() or self.has_crashed:
                raise
            return -1

    async def _html(self) -> str:
        assert self._page is not None
        with suppress(BrowserError):
            await self._page.evaluate(_SET_BASE, self._url)
        return await self._page.content()

    async def _click_on(self, profile: SiteProfile, html: str, deadline: asyncio.Timeout) -> str:
        """Return the page with the entries of all clicks; each has the time of a page."""
        shown = [html]
        assert profile.click
        assert self._page
        button = self._page.locator(_selector(profile.click)).filter(visible=True).first
        pause = self._browser.crawler.settings.getfloat("DOWNLOAD_DELAY")
        for _ in range(profile.max_clicks):
            if not await button.count() or await button.is_disabled():
                break
            await asyncio.sleep(pause)
            deadline.reschedule(self._loop.time() + self._browser.seconds)
            await button.evaluate("button => button.click()")
            await self._calm()
            html = await self._html()
            if html == shown[-1]:
                break
            shown.append(html)
        else:
            if await button.count() and not await button.is_disabled():
                self._browser.run.mark_incomplete(
                    f"{self._url} was clicked {profile.max_clicks} times, and the button of click is "
                    "still there; raise max_clicks in the profile"
                )
        rule = getattr(profile.list, "entry", None)
        return with_earlier_entries(shown, rule) if rule else html


def _flat(headers: Headers) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): "\n".join(one.decode("latin-1") for one in values)
        for name, values in headers.items()
        if name.lower() not in _OF_TRANSFER
    }


def _selector(rule: Rule) -> str:
    return f"css={rule.css}" if rule.css else f"xpath={rule.xpath}"


async def _close(page: Page) -> None:
    with suppress(BrowserError):
        await page.close()


def _renderers(pid: int) -> Iterator[int]:
    """Yield the processes below a process that draw pages, where the system lists them."""
    with suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in map(int, children):
            with suppress(OSError):
                if b"--type=renderer" in Path(f"/proc/{child}/cmdline").read_bytes():
                    yield child
            yield from _renderers(child)
