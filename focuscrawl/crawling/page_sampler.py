"""Spiders that fetch sample pages for commands: a list page with some of its articles, or given pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar, Self

from lxml.etree import _Element
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.spidermiddlewares.referer import RefererMiddleware
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.fetched_page import file_kind, frame_urls, page_tree
from focuscrawl.crawling.linked_files import kinds_to_read, text_of_file
from focuscrawl.crawling.list_response import FormPages, feed_text, further_page, is_json, list_page
from focuscrawl.errors import FocuscrawlError, ProfileError
from focuscrawl.files.file_reading import FileText
from focuscrawl.middlewares.site_session import use_session
from focuscrawl.network.failure_names import COOKIE_REQUIRED, remedy
from focuscrawl.scheduling.request_errback import is_forbidden, reason_of, request_of, status_of
from focuscrawl.sites.feed_list import FeedPage, read_feed
from focuscrawl.sites.induction.feed_draft import likeliest_sitemap, linked_feeds
from focuscrawl.sites.induction.json_draft import data_behind
from focuscrawl.sites.induction.missing_list import BROWSER, script_traces, unread_lists
from focuscrawl.sites.page_reading import ListEntry, ListPage
from focuscrawl.sites.profile_checks import paging_problems
from focuscrawl.sites.site_profile import AnyListRules, FeedListRules, ListRules, SiteProfile
from focuscrawl.text.visible_lines import lacks_text

FindRules = Callable[[Response], AnyListRules]
"""Returns the rules for a list page."""

_RuledPage = tuple[Response, AnyListRules]

# Entries that may take the place of articles that cannot be fetched, for each article.
_SPARE = 2


@dataclass(slots=True)
class PageSamples:
    """A list page, its entries, and articles; ``failures`` are sentences about the pages that failed.

    ``url`` is that of the page with the list; ``frame_of`` is the page that it is a frame of, if any,
    ``data_of`` the page that a script draws from it, and ``index`` the index of sitemaps that has it.
    ``files`` are the articles that are files, with their texts, ``feeds`` those that the page links to,
    by their URLs. ``cookies`` tells that the site wants them back. ``drawn`` has the parts, ``list`` and ``article``, that a browser has to draw, and ``undrawn`` the
    entries of the list page without it.
    """

    url: str
    entries: list[ListEntry] = field(default_factory=list)
    next_url: str = ""
    articles: list[tuple[ListEntry, _Element]] = field(default_factory=list)
    files: list[tuple[ListEntry, FileText]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    frame_of: str = ""
    index: str = ""
    feeds: list[tuple[str, FeedPage]] = field(default_factory=list)
    cookies: bool = False
    data_of: str = ""
    drawn: set[str] = field(default_factory=set)
    undrawn: int = 0


class Sampler(Spider):
    """Base of the spiders without results: neither a summary, nor a row in the stores."""

    run: RunningCrawl
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "ITEM_PIPELINES": dict.fromkeys(
            (
                "focuscrawl.pipelines.dedup.DedupPipeline",
                "focuscrawl.pipelines.prices.PricesPipeline",
                "focuscrawl.pipelines.store.StorePipeline",
            )
        ),
        "EXTENSIONS": dict.fromkeys(
            (
                "focuscrawl.extensions.single_run.SingleRun",
                "focuscrawl.extensions.progress_display.ProgressLine",
                "focuscrawl.extensions.run_summary.RunSummary",
                "focuscrawl.extensions.run_recorder.RunRecorder",
            )
        ),
    }

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider of a crawler."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.run = RunningCrawl.of(crawler)
        return spider


class PageSampler(Sampler):
    """Fetches ``samples.url``, the next list page, and ``count`` articles spread over the list.

    ``find_rules`` returns the rules of a list page; it may raise a :class:`ProfileError`, which ends the
    run, unless exactly one of the frames of the page has a list, or the page as a browser draws it.
    The session is that of the ``profile``; without one, cookies are sent back once the site has turned out
    to want that (``samples.cookies``), and a browser is used if it ``renders``, where that shows more. If
    the drawn list is there as JSON, that is taken, unless ``ignores_data``. Of an index, the likeliest
    sitemap is the list. Feeds that a page links to are fetched on demand.
    """

    name = "page-sampler"

    def __init__(
        self,
        samples: PageSamples,
        find_rules: FindRules,
        count: int,
        profile: SiteProfile | None = None,
        *,
        wants_feeds: bool = False,
        renders: bool = False,
        ignores_data: bool = False,
    ) -> None:
        super().__init__()
        self._wants_feeds = wants_feeds
        self.profile = profile
        self.renders = renders or bool(profile and profile.render)
        self._may_draw = renders
        self.read_kinds = kinds_to_read("read")
        self._ignores_data = ignores_data
        samples.drawn |= {one for one in ("list", "article") if profile and profile.renders(one)}
        self.samples = samples
        self.named_urls = [samples.url]
        self._find_rules = find_rules
        self._count = count
        self._spare: list[ListEntry] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider; raises ArgumentError if the login of its profile lacks something."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        if spider.profile:
            use_session(crawler, spider.profile)
        else:
            # They are sent back once the site turns out to want that.
            crawler.settings.set("COOKIES_ENABLED", True, priority="spider")
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Request the list page."""
        yield self._list()

    async def parse(self, response: Response) -> None:
        """Sample the site of a list page; an error ends the run."""
        try:
            if self.profile and await self._has_read(
                response, ListEntry(response.url, "", None, "")
            ):
                return
            await self._sample(*await self._page_with_list(response))
        except _NoPageError as error:
            self._give_up(error.failure)
        except FocuscrawlError as error:
            self.run.remember(error)

    async def _has_read(self, response: Response, entry: ListEntry) -> bool:
        """Return whether an article is a file; its text is kept. Raises a FocuscrawlError if it has none."""
        if not (kind := file_kind(response)):
            return False
        seconds = self.run.number("FOCUSCRAWL_PAGE_SECONDS", least=0)
        self.samples.files.append((entry, await text_of_file(response, kind, seconds)))
        return True

    def failed(self, failure: Failure) -> Iterator[Request]:
        """End the run with the reason why the list page could not be fetched; try once more with cookies."""
        has_cookies = self.profile is not None or self.samples.cookies
        if reason_of(failure) == COOKIE_REQUIRED and not has_cookies:
            self.samples.cookies = True
            yield self._list()
        else:
            self._give_up(failure)

    def _give_up(self, failure: Failure) -> None:
        reason = reason_of(failure)
        why = "robots.txt forbids it" if is_forbidden(failure) else f"{reason}; {remedy(reason)}"
        self.run.remember(FocuscrawlError(f"cannot fetch {request_of(failure).url}: {why}"))

    def _list(self) -> Request:
        request = self._asked(Request(self.samples.url), "list")
        return request.replace(callback=self.parse, errback=self.failed)

    def _asked(self, request: Request, part: str = "") -> Request:
        """Return a request as the session wants it; a browser draws the parts that were seen to need it."""
        if self.profile is None and not self.samples.cookies:
            request.meta["dont_merge_cookies"] = True
        if part in self.samples.drawn:
            request.meta["render"] = part
        return request.replace(dont_filter=True)

    async def _get(self, request: Request, source: Response | None) -> Response:
        """Return the response to a request from a page; raises _NoPageError, also for an error status."""
        referer = self.crawler.get_spider_middleware(RefererMiddleware)
        if referer:
            referer.get_processed_request(request, source)
        try:
            response = await self.crawler.engine.download_async(request)
            if not 200 <= response.status < 300:
                raise HttpError(response)
        # Of any middleware, as an errback gets it.
        except Exception as error:
            raise _NoPageError(request, error) from error
        _check_text(response)
        return response

    def _profile_of(self, response: Response, rules: AnyListRules) -> SiteProfile:
        name = self.profile.name if self.profile else "sample"
        return SiteProfile(name=name, start_urls=[response.url], list=rules)

    def _entries(self, response: Response, rules: AnyListRules) -> list[ListEntry]:
        profile = self._profile_of(response, rules)
        return list_page(response, profile, date.today()).entries

    # The page with the list: that of the URL, one of its frames, or what a script draws.

    async def _page_with_list(self, response: Response) -> _RuledPage:
        _check_text(response)
        try:
            found = response, self._find_rules(response)
        except ProfileError as error:
            return await self._frame_with_list(response, error)
        if self._may_draw and _loads_data(response):
            with suppress(ProfileError):
                return await self._drawn(response, found)
        return found

    async def _frame_with_list(self, response: Response, error: ProfileError) -> _RuledPage:
        """Return the only frame with a list, else the page as drawn; ``error`` says why it has no list."""
        is_text = isinstance(response, TextResponse) and not is_json(response)
        urls = frame_urls(page_tree(response)[0], response.url) if is_text else []
        frames = await asyncio.gather(*(self._frame(url, response) for url in urls))
        found = [frame for frame in frames if frame]
        if len(found) == 1:
            self.samples.frame_of = self.samples.url
            return found[0]
        if found:
            several = ", ".join(frame.url for frame, _ in found)
            raise ProfileError(
                f"several frames of {self.samples.url} have a list; give the URL of one: {several}"
            )
        is_page = isinstance(response, HtmlResponse) and "render" not in response.meta
        if not (self._may_draw and is_page and b"<script" in response.body.lower()):
            raise error
        try:
            return await self._drawn(response)
        except ProfileError as missing:
            reason = str(error).replace(f"; {BROWSER}", "")
            raise ProfileError(f"{reason}; {missing}") from None

    async def _frame(self, url: str, source: Response) -> _RuledPage | None:
        try:
            response = await self._get(self._asked(Request(url)), source)
            return response, self._find_rules(response)
        except (ProfileError, _NoPageError) as missing:
            self.logger.info("%s", missing)
            return None

    async def _drawn(self, source: Response, plain: _RuledPage | None = None) -> _RuledPage:
        """Return a page as a browser draws it, or its data.

        Raises ProfileError if it has no more entries than the ``plain`` one.
        """
        request = self._asked(Request(source.url))
        data: list[Response] = []
        request.meta.update(render="list", _data=data)
        entries: list[ListEntry] = []
        before = 0
        try:
            response = await self._get(request, source)
            found = response, self._find_rules(response)
            entries = self._entries(*found)
            with suppress(ProfileError):
                before = len(self._entries(*plain)) if plain else 0
        except _NoPageError as error:
            reason = reason_of(error.failure)
            raise ProfileError(f"a browser fails there ({reason})") from error
        except ProfileError as none:
            self.logger.info("drawn: %s", none)
        if len(entries) <= before:
            raise ProfileError("a browser draws no list there either")
        self.samples.undrawn = before
        texts = [(one.url, one.text) for one in data if isinstance(one, TextResponse)]
        behind = await self._data_behind([] if self._ignores_data else texts, entries, response)
        if behind is None:
            self.samples.drawn.add("list")
        return behind or found

    async def _data_behind(
        self, answers: Sequence[tuple[str, str]], entries: Sequence[ListEntry], drawn: Response
    ) -> _RuledPage | None:
        """Return the JSON from which a page is drawn, unless it needs what only the page has."""
        for url, link in data_behind(answers, entries, date.today()):
            request = self._asked(Request(url))
            request.meta["link"] = link
            try:
                response = await self._get(request, drawn)
                found = response, self._find_rules(response)
                has_entries = 2 * len(self._entries(*found)) >= len({e.title for e in entries})
            except (ProfileError, _NoPageError):
                return None
            if has_entries:
                self.samples.data_of = drawn.url
            return found if has_entries else None
        return None

    # What the list leads to.

    async def _sample(self, response: Response, rules: AnyListRules) -> None:
        """Fetch the next list page, and some articles; of an index, sample the likeliest sitemap."""
        profile, samples = self._profile_of(response, rules), self.samples
        forms = FormPages(profile)
        page = list_page(response, profile, date.today(), forms)
        if isinstance(page, FeedPage) and page.sitemaps:
            if samples.index:
                sentence = f"{response.url} is an index in an index; give the URL of a sitemap"
                raise ProfileError(sentence)
            samples.index = response.url
            request = self._asked(Request(likeliest_sitemap(page.sitemaps).url))
            sitemap = await self._get(request, response)
            await self._sample(*await self._page_with_list(sitemap))
            return
        samples.url, samples.entries, samples.next_url = response.url, page.entries, page.next_url
        chosen = spread(page.entries, self._count)
        others = (entry for entry in page.entries if entry not in chosen)
        self._spare = list(others)[: _SPARE * self._count]
        is_page = self._wants_feeds and isinstance(rules, ListRules)
        feeds = linked_feeds(page_tree(response)[0], response.url) if is_page else []
        parts = [self._feed(url, response) for url in feeds]
        if page.next_url:
            parts.append(self._next(response, page, profile, forms))
        await asyncio.gather(*parts, *(self._article(entry, response) for entry in chosen))

    async def _next(
        self, source: Response, first: ListPage, profile: SiteProfile, forms: FormPages
    ) -> None:
        """Check that the link to the next list page leads to another list page."""
        try:
            response = await self._get(self._asked(forms.request(first.next_url), "list"), source)
            address = first.next_url if forms.has(first.next_url) else ""
            page = list_page(response, profile, date.today(), forms, address)
        except ProfileError as error:
            self.samples.failures.append(str(error))
        except _NoPageError as error:
            # The first may be the only one.
            if not (first.may_be_whole and status_of(error.failure) in (404, 410)):
                self.samples.failures.append(str(error))
        else:
            urls = (self.samples.url, address or response.url)
            further = page.more or further_page(response, profile, urls)
            self.samples.failures += paging_problems(first, page, *urls, further)

    async def _feed(self, url: str, source: Response) -> None:
        """Keep a feed that the list page links to, if it can be fetched and read."""
        try:
            response = await self._get(self._asked(Request(url)), source)
            rules = FeedListRules(feed="")
            page = read_feed(feed_text(response), response.url, rules, date.today())
        except (ProfileError, _NoPageError) as error:
            self.logger.info("%s", error)
        else:
            self.samples.feeds.append((response.url, page))

    async def _article(self, entry: ListEntry, source: Response) -> None:
        """Keep an article, else note why not and take another entry; drawn if it has no text before."""
        request = self._asked(Request(entry.url), "article")
        is_drawn = "render" in request.meta
        try:
            response = await self._get(request, source)
            if await self._has_read(response, entry):
                return
            tree = page_tree(response)[0]
            is_empty = self._may_draw and not is_drawn and not _has_text(response)
            if is_empty and tree.find(".//script") is not None:
                request = self._asked(Request(entry.url))
                request.meta["render"] = "article"
                response, is_drawn = await self._get(request, source), True
                tree = page_tree(response)[0]
        except (FocuscrawlError, _NoPageError) as error:
            self.samples.failures.append(str(error))
            if self._spare:
                await self._article(self._spare.pop(0), source)
            return
        if self._may_draw and is_drawn and _has_text(response):
            self.samples.drawn.add("article")
        self.samples.articles.append((entry, tree))


class TextSampler(Sampler):
    """Fetches pages for their titles and main texts, which it adds to ``texts`` by the URL asked for.

    Sentences about those that cannot be read are added to ``failures``.
    """

    name = "text-sampler"

    def __init__(
        self, urls: Sequence[str], texts: dict[str, tuple[str, str]], failures: list[str]
    ) -> None:
        super().__init__()
        self.named_urls = urls
        self._texts = texts
        self._failures = failures

    async def start(self) -> AsyncIterator[Request]:
        """Request the pages."""
        for url in self.named_urls:
            yield Request(
                url,
                self.parse_page,
                errback=self.failed,
                cb_kwargs={"asked": url},
                dont_filter=True,
            )

    def parse_page(self, response: Response, asked: str) -> None:
        """Keep title and main text, as the judge of a topical crawl reads them."""
        from focuscrawl.middlewares.link_scoring import parsed_page
        from focuscrawl.text.main_text import main_text

        if not isinstance(response, HtmlResponse):
            self._failures.append(f"{asked} is no HTML page")
            return
        page = parsed_page(response)
        text = main_text(response.text, response.url) or page.text
        if text.strip():
            self._texts[asked] = (page.title, text)
        else:
            self._failures.append(f"{asked} has no text")

    def failed(self, failure: Failure) -> None:
        """Note that a page could not be fetched."""
        self._failures.append(_failed(failure))


class _NoPageError(Exception):
    """A page that could not be fetched; ``failure`` is what an errback would get."""

    def __init__(self, request: Request, error: Exception) -> None:
        self.failure = Failure(error)  # type: ignore[no-untyped-call]
        self.failure.request = request  # type: ignore[attr-defined]
        super().__init__(_failed(self.failure))


def _check_text(response: Response) -> None:
    if isinstance(response, TextResponse) and not response.text.strip():
        raise ProfileError(f"{response.url} is empty; check the address")


def _has_text(response: Response) -> bool:
    from focuscrawl.text.main_text import main_text

    is_page = isinstance(response, HtmlResponse)
    return not is_page or not lacks_text(main_text(response.text, response.url))


def _loads_data(response: Response) -> bool:
    """Return whether a page has scripts that may add to its list."""
    if not isinstance(response, HtmlResponse):
        return False
    tree = page_tree(response)[0]
    traces = script_traces(tree, response.url)
    return bool(traces.data_urls or traces.is_shell or any(unread_lists(tree, traces)))


def _failed(failure: Failure) -> str:
    return f"{request_of(failure).url} failed: {reason_of(failure)}"


def spread(entries: Sequence[ListEntry], count: int) -> list[ListEntry]:
    """Return ``count`` entries from top to bottom, or all of a shorter list."""
    if len(entries) <= count:
        return list(entries)
    return [entries[number * (len(entries) - 1) // max(1, count - 1)] for number in range(count)]
