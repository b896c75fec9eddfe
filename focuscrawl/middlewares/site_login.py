"""Downloader middleware that logs in where a site profile says how, and keeps the session."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urljoin

from lxml.etree import _Element
from parsel import Selector
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import FocuscrawlError
from focuscrawl.middlewares.response_recorder import SECRET
from focuscrawl.middlewares.site_session import FORM, SESSION, posted, secrets_of
from focuscrawl.network.failure_names import remedy
from focuscrawl.pages.registered_domains import registered_domain
from focuscrawl.scheduling.request_errback import outcome_of
from focuscrawl.sites.json_list import looks_like_json
from focuscrawl.sites.page_forms import FilledForm, asks_captcha, filled_in, form_of, pressed
from focuscrawl.sites.site_profile import Login, Rule
from focuscrawl.text.page_repair import repaired
from focuscrawl.text.seen_text import text_under

# Keys of ``meta``; those without _ pass through the scheduler with a redirect.
_RENEWED, _POSTED = "renewed", "posted"
# Pages that a renewed session has to last, or it is no use to renew it again.
_LEAST_PAGES = 10
_MOST_RENEWALS = 2
_NO_SESSION = "no session"
_ENDED = "the session of the login has ended"
_BUTTONS = ("input", "button")


class SiteLogin:
    """Logs in before the first page of the site, and looks at each page whether the session lasts.

    A page that lacks ``check`` is fetched again after another login. If it lacks it then, too, or the
    new session has not lasted ten pages, the crawl ends in order, and is incomplete. The password is sent
    once, to a form of the site of ``login.url``; a login that fails ends the crawl with an error. Each
    process of a crawl has a session of its own. In a replay nothing is sent; a page of a session that
    had ended is requested again.
    """

    def __init__(
        self, crawler: Crawler, login: Login, first_url: str, secrets: dict[str, str] | None
    ) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self._login = login
        self._secrets = secrets
        self._first_url = first_url
        self._site = registered_domain(_host(login.url))
        # Those that know the session: one of a subdomain may not.
        self._hosts = {_host(login.url), _host(first_url)}
        self._lock = asyncio.Lock()
        self._session = self._pages = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteLogin:
        """Build the middleware of a crawl whose spider has a profile with a login."""
        spider: Any = crawler.spider
        login: Login = spider.profile.login
        is_replay = bool(crawler.settings.get("FOCUSCRAWL_REPLAY"))
        return cls(crawler, login, spider.named_urls[0], None if is_replay else secrets_of(login))

    async def process_request(self, request: Request) -> None:
        """Wait for the session; raises IgnoreRequest if there is none."""
        if not self._needs_session(request):
            return
        if not self._session:
            await self._renew(0)
        if "redirect_urls" in request.meta:
            # The session and the form are those that have been redirected, perhaps to the login page.
            return
        request.meta[SESSION] = self._session
        if request.method == "POST":
            request.meta[_POSTED] = request.body.decode("latin-1")

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the page, fetched again if the session had ended; raises IgnoreRequest if that fails."""
        if not self._needs_session(request):
            return response
        if self._is_inside(request, response):
            self._pages += 1
            return response
        used, renewals = request.meta.get(SESSION, 0), request.meta.get(_RENEWED, 0)
        if used == self._session and self._secrets is not None:
            is_short = self._session > 1 and self._pages < _LEAST_PAGES
            if renewals >= _MOST_RENEWALS or (renewals and not self._pages) or is_short:
                self._give_up(request)
            await self._renew(used)
        elif renewals > _MOST_RENEWALS:
            self._give_up(request)
        return await self._fetch(_again(request, renewals + 1))

    def _needs_session(self, request: Request) -> bool:
        if SECRET in request.meta or request.meta.get("dont_merge_cookies"):
            return False
        return registered_domain(_host(request.url)) == self._site

    def _is_inside(self, request: Request, response: Response) -> bool:
        """Return whether a response shows that the session lasts, or could not show it."""
        if response.status == 401:
            return False
        is_page = isinstance(response, HtmlResponse) and 200 <= response.status < 300
        if not is_page or looks_like_json(response.text):
            return True
        if self._shows_check(response):
            self._hosts.add(_host(response.url))
            return True
        return _host(_asked(request)) not in self._hosts

    def _shows_check(self, response: Response) -> bool:
        if not isinstance(response, TextResponse):
            return False
        check = self._login.check
        if isinstance(check, Rule):
            return bool(check.select(_root(response)))
        return check in response.text or check in text_under(_root(response))

    def _give_up(self, request: Request) -> None:
        self.run.end_early(
            f"{_ENDED} on {_asked(request)}, and another login did not help: the site closes sessions, or this page"
            " does not show login.check; run again to continue"
        )
        raise IgnoreRequest(_NO_SESSION)

    async def _renew(self, used: int) -> None:
        """Log in, unless another request has done so since the session ``used``."""
        async with self._lock:
            if self.run.has_failed:
                raise IgnoreRequest(_NO_SESSION)
            if self._session != used:
                return
            try:
                if self._secrets is not None:
                    await self._enter()
            except FocuscrawlError as error:
                if used:
                    self.run.end_early(f"{_ENDED}, and another login has failed: {error}")
                else:
                    self.run.fail(error)
                raise IgnoreRequest(_NO_SESSION) from None
            self._session, self._pages = used + 1, 0
            self.crawler.stats.inc_value("focuscrawl/logins")

    async def _enter(self) -> None:
        """Send the form; raises FocuscrawlError with one sentence if that opens no session."""
        page = await self._own(Request(self._login.url), "the login page")
        form = self._form(page)
        answer = await self._own(posted(form), "the login", dont_redirect=True, dont_retry=True)
        if location := answer.headers.get("Location"):
            target = urljoin(answer.url, location.decode("latin-1"))
            answer = await self._own(Request(target), "the page behind the login")
        if self._shows_check(answer):
            return
        # Some sites lead on by a script.
        if not self._shows_check(await self._own(Request(self._first_url), "the list")):
            names = " and ".join(f"${name}" for name in self._login.fields.values())
            raise FocuscrawlError(
                f"the login at {self._login.url} has failed: no page shows login.check"
                f" ({_shown(self._login.check)}); check {names}"
            )

    def _form(self, page: Response) -> FilledForm:
        url = self._login.url
        is_page = isinstance(page, TextResponse) and bool(page.text.strip())
        form = form_of(self._login.form, _root(page)) if is_page else None
        if form is None:
            raise FocuscrawlError(f"login.form selects no form on {url}; correct it, or login.url")
        if asks_captcha(form):
            raise FocuscrawlError(
                f"the login form on {url} asks for a captcha, which only a person can solve; leave out"
                " login:, and give the URL of a list that everyone can read"
            )
        if self._shows_check(page):
            raise FocuscrawlError(
                f"the login page {url} shows login.check ({_shown(self._login.check)}) before the login;"
                " give what only pages behind it show"
            )
        known = {node.get("name") for node in form.iter("input", "select", "textarea")}
        if unknown := [name for name in self._login.fields if name not in known]:
            shown = ", ".join(sorted(filter(None, known)))
            raise FocuscrawlError(
                f"the login form on {url} has no field {unknown[0]}; it has {shown}"
            )
        assert self._secrets is not None
        buttons = map(pressed, form.iter(*_BUTTONS))
        sent = next((one for one in buttons if one is not None), {}) | self._secrets
        filled = filled_in(form, page.url, getattr(page, "encoding", "utf-8"), sent)
        return _checked(filled, page.url, self._site)

    async def _own(self, request: Request, what: str, **meta: Any) -> Response:
        """Return the response to a request of the login; raises FocuscrawlError without a page."""
        asked = request.replace(callback=NO_CALLBACK, meta={SECRET: True, **meta}, dont_filter=True)
        try:
            response = await self._fetch(asked)
            # A wrong password may be answered by any of 400 to 499.
            is_failed = response.status >= (500 if request.method == "POST" else 400)
            reason = f"HTTP {response.status}" if is_failed else ""
        except Exception as error:
            reason = outcome_of(error).reason
        if reason:
            raise FocuscrawlError(f"{what} {request.url} failed ({reason}); {remedy(reason)}")
        return response

    async def _fetch(self, request: Request) -> Response:
        response: Response = await self.crawler.engine.download_async(request)
        return response


def _checked(form: FilledForm | None, url: str, site: str) -> FilledForm:
    """Return a form that sends a password where it may; raises FocuscrawlError for another."""
    if form is None or form.method != "POST":
        raise FocuscrawlError(
            f"the login form on {url} would send the password in a URL; correct login.form"
        )
    is_plain = url.startswith("https:") and not form.url.startswith("https:")
    if is_plain or registered_domain(_host(form.url)) != site:
        raise FocuscrawlError(
            f"the login form on {url} would send the password to {form.url}; correct login.url"
        )
    return form


def _again(request: Request, renewals: int) -> Request:
    """Return the request for a page whose response was that of an ended session."""
    dropped = (_POSTED, "redirect_urls", "redirect_reasons", "redirect_times", "redirect_ttl")
    meta = {name: value for name, value in request.meta.items() if name not in dropped}
    meta[_RENEWED] = renewals
    again = request.replace(url=_asked(request), meta=meta, dont_filter=True)
    again.headers.pop("Cookie", None)
    if (body := request.meta.get(_POSTED)) is not None:
        again = again.replace(method="POST", body=body.encode("latin-1"))
        again.headers.update(FORM)
    return again


def _asked(request: Request) -> str:
    return str(request.meta.get("redirect_urls", [request.url])[0])


def _root(response: Response) -> _Element:
    root: _Element = Selector(repaired(response.text), type="html", base_url=response.url).root
    return root


def _host(url: str) -> str:
    return urlparse_cached(Request(url)).hostname or ""


def _shown(check: Rule | str) -> str:
    return check if isinstance(check, str) else check.xpath or check.css
