"""Spiders that fetch sample pages for commands: a list page with some of its articles, or given pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar, Self

from lxml.etree import _Element
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.fetched_page import file_kind, frame_urls, page_tree
from focuscrawl.crawling.form_pages import FormPages
from focuscrawl.crawling.linked_files import kinds_to_read, text_of_file
from focuscrawl.crawling.list_response import feed_text, further_page, is_json, list_page
from focuscrawl.errors import FocuscrawlError, ProfileError
from focuscrawl.files.file_text import FileText
from focuscrawl.middlewares.site_session import use_session
from focuscrawl.network.failure_names import COOKIE_REQUIRED, remedy
from focuscrawl.scheduling.request_errback import is_forbidden, reason_of, request_of, status_of
from focuscrawl.sites.feed_list import FeedPage, read_feed
from focuscrawl.sites.induction.data_behind import data_behind
from focuscrawl.sites.induction.feed_draft import likeliest_sitemap, linked_feeds
from focuscrawl.sites.induction.missing_list import BROWSER, unread_lists
from focuscrawl.sites.induction.page_scripts import script_traces
from focuscrawl.sites.page_reading import ListEntry, ListPage
from focuscrawl.sites.profile_checks import paging_problems
from focuscrawl.sites.site_profile import AnyListRules, FeedListRules, ListRules, SiteProfile
from focuscrawl.text.visible_lines import lacks_text

FindRules = Callable[[Response], AnyListRules]
"""Returns the rules for a list page."""

# Entries that may take the place of articles that cannot be fetched, for each article.
_SPARE = 2


@dataclass(slots=True)
class PageSamples:
    """A list page, its entries, and articles; ``failures`` are sentences about the pages that failed.

    ``url`` is that of the page with the list; ``frame_of`` is the page that it is a frame of, if any,
    ``data_of`` the page that a script draws from it, and ``index`` the index of sitemaps that has it.
    ``files`` are the entries that are files, with their texts, ``feeds`` are those that the page links to, by their URLs. ``cookies`` tells that the site wants them
    back. ``drawn`` has the parts, ``list`` and ``article``, that a browser has to draw, and ``undrawn`` the
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
        self._framed: dict[int, tuple[Response, AnyListRules]] = {}
        self._waiting = 0
        self._framing: Response

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
        request = self._asked(Request(self.samples.url), self.parse_list, self.failed_list)
        yield self._as_drawn(request, "list")

    def parse_list(self, response: Response) -> Iterator[Request]:
        """Request the next list page and some articles, or the frames of a page without a list."""
        if self.profile and file_kind(response):
            # Not the list of a profile, but one of its articles.
            yield self._article(ListEntry(response.url, "", None, ""))
            return
        try:
            rules = self._rules_of(response)
        except ProfileError as error:
            yield from self._look_into_frames(response, error)
        else:
            if self._may_draw and _loads_data(response):
                yield self._drawing(response.url, (response, rules), None)
            else:
                yield from self._sample(response, rules)

    def parse_drawn(
        self,
        response: Response,
        plain: tuple[Response, AnyListRules] | None,
        error: ProfileError | None,
    ) -> Iterator[Request]:
        """Take the page as a browser draws it if it has more entries than the ``plain`` one."""
        missing = "a browser draws no list there either"
        try:
            rules = self._rules_of(response)
            entries = self._list_page(response, rules).entries
        except ProfileError as none:
            self.logger.info("drawn: %s", none)
            yield from self._without_browser(plain, error, missing)
            return
        before = 0
        with suppress(ProfileError):
            before = len(self._list_page(*plain).entries) if plain else 0
        if len(entries) <= before:
            yield from self._without_browser(plain, error, missing)
            return
        self.samples.undrawn = before
        data: list[TextResponse] = [] if self._ignores_data else response.meta["_data"]
        texts = ((one.url, one.text) for one in data if isinstance(one, TextResponse))
        for url, link in data_behind(texts, entries, date.today()):
            given = {"drawn": (response, rules), "titles": {one.title for one in entries}}
            request = self._asked(Request(url), self.parse_data, self.failed_data, **given)
            request.meta["link"] = link
            yield request
            return
        self.samples.drawn.add("list")
        yield from self._sample(response, rules)

    def failed_drawing(self, failure: Failure) -> Iterator[Request]:
        """Go on with the page without a browser."""
        given, why = request_of(failure).cb_kwargs, reason_of(failure)
        yield from self._without_browser(
            given["plain"], given["error"], f"a browser fails there ({why})"
        )

    def parse_data(
        self, response: Response, drawn: tuple[Response, AnyListRules], titles: set[str]
    ) -> Iterator[Request]:
        """Take the JSON from which a page is drawn, unless it needs what only the page has."""
        try:
            rules = self._rules_of(response)
            found = self._list_page(response, rules).entries
        except ProfileError:
            found, rules = [], drawn[1]
        if 2 * len(found) >= len(titles):
            self.samples.data_of = drawn[0].url
            yield from self._sample(response, rules)
        else:
            self.samples.drawn.add("list")
            yield from self._sample(*drawn)

    def failed_data(self, failure: Failure) -> Iterator[Request]:
        """Take the drawn page, since its JSON cannot be requested on its own."""
        self.samples.drawn.add("list")
        yield from self._sample(*request_of(failure).cb_kwargs["drawn"])

    def parse_frame(
        self, response: Response, number: int, error: ProfileError
    ) -> Iterator[Request]:
        """Keep the rules of a frame with a list; ``error`` is that of the page around it."""
        try:
            self._framed[number] = (response, self._rules_of(response))
        except ProfileError as missing:
            self.logger.info("%s", missing)
        yield from self._choose_frame(error)

    def failed_frame(self, failure: Failure) -> Iterator[Request]:
        """Take a frame that could not be fetched for one without a list."""
        yield from self._choose_frame(request_of(failure).cb_kwargs["error"])

    def parse_next(
        self, response: Response, first: ListPage, profile: SiteProfile, forms: FormPages
    ) -> None:
        """Check that the link to the next list page leads to another list page."""
        try:
            _check_text(response)
            address = first.next_url if forms.has(first.next_url) else ""
            page = list_page(response, profile, date.today(), forms, address)
        except ProfileError as error:
            self.samples.failures.append(str(error))
        else:
            urls = (self.samples.url, address or response.url)
            further = page.more or further_page(response, profile, urls)
            self.samples.failures += paging_problems(first, page, *urls, further)

    def parse_feed(self, response: Response) -> None:
        """Keep a feed that the list page links to."""
        rules = FeedListRules(feed="")
        try:
            page = read_feed(feed_text(response), response.url, rules, date.today())
        except ProfileError as error:
            self.logger.info("%s", error)
        else:
            self.samples.feeds.append((response.url, page))

    def failed_feed(self, failure: Failure) -> None:
        """Do without a feed that cannot be fetched."""
        self.logger.info(_failed(failure))

    async def parse_article(self, response: Response, entry: ListEntry) -> AsyncIterator[Request]:
        """Keep an article, or the text of one that is a file."""
        try:
            _check_text(response)
            if kind := file_kind(response):
                seconds = self.run.number("FOCUSCRAWL_PAGE_SECONDS", least=0)
                found = await text_of_file(response, kind, seconds)
                self.samples.files.append((entry, found))
                return
            tree = page_tree(response)[0]
        except FocuscrawlError as error:
            for request in self._replace(str(error)):
                yield request
            return
        is_drawn = "render" in response.meta
        if self._may_draw and (has_text := _has_text(response)) is is_drawn:
            if is_drawn:
                self.samples.drawn.add("article")
            elif not has_text and tree.find(".//script") is not None:
                request = self._article(entry)
                request.meta["render"] = "article"
                yield request
                return
        self.samples.articles.append((entry, tree))

    def failed_list(self, failure: Failure) -> Iterator[Request]:
        """End the run with the reason why the list page could not be fetched; try once more with cookies."""
        url, reason = request_of(failure).url, reason_of(failure)
        if reason == COOKIE_REQUIRED and not self.profile and not self.samples.cookies:
            self.samples.cookies = True
            yield self._asked(Request(self.samples.url), self.parse_list, self.failed_list)
            return
        why = "robots.txt forbids it" if is_forbidden(failure) else f"{reason}; {remedy(reason)}"
        self.run.remember(FocuscrawlError(f"cannot fetch {url}: {why}"))

    def failed(self, failure: Failure) -> None:
        """Note that the next list page could not be fetched, unless the first may be the only one."""
        first: ListPage = request_of(failure).cb_kwargs["first"]
        if not (first.may_be_whole and status_of(failure) in (404, 410)):
            self.samples.failures.append(_failed(failure))

    def failed_article(self, failure: Failure) -> Iterator[Request]:
        """Note an article that could not be fetched, and request another one."""
        yield from self._replace(_failed(failure))

    def _asked(self, request: Request, callback: Any, errback: Any, **arguments: Any) -> Request:
        has_session = self.profile is not None or self.samples.cookies
        meta = {} if has_session else {"dont_merge_cookies": True}
        return request.replace(
            callback=callback, errback=errback, cb_kwargs=arguments, meta=meta, dont_filter=True
        )

    def _rules_of(self, response: Response) -> AnyListRules:
        _check_text(response)
        return self._find_rules(response)

    def _sample(self, response: Response, rules: AnyListRules) -> Iterator[Request]:
        profile = self._profile_of(response, rules)
        forms = FormPages(profile)
        try:
            page = list_page(response, profile, date.today(), forms)
        except ProfileError as error:
            self.run.remember(error)
            return
        samples = self.samples
        if isinstance(page, FeedPage) and page.sitemaps:
            yield from self._look_into_index(response, page)
            return
        if self._wants_feeds and isinstance(rules, ListRules):
            for url in linked_feeds(page_tree(response)[0], response.url):
                yield self._asked(Request(url), self.parse_feed, self.failed_feed)
        samples.url, samples.entries, samples.next_url = response.url, page.entries, page.next_url
        if page.next_url:
            given = {"first": page, "profile": profile, "forms": forms}
            asked = forms.request(page.next_url)
            yield self._as_drawn(self._asked(asked, self.parse_next, self.failed, **given), "list")
        chosen = spread(page.entries, self._count)
        others = (entry for entry in page.entries if entry not in chosen)
        self._spare = list(others)[: _SPARE * self._count]
        yield from map(self._article, chosen)

    def _article(self, entry: ListEntry) -> Request:
        request = Request(entry.url)
        asked = self._asked(request, self.parse_article, self.failed_article, entry=entry)
        return self._as_drawn(asked, "article")

    def _as_drawn(self, request: Request, part: str) -> Request:
        """Return a request, which a browser draws where the profile, or what was seen, says so."""
        if part in self.samples.drawn:
            request.meta["render"] = part
        return request

    def _drawing(
        self, url: str, plain: tuple[Response, AnyListRules] | None, error: ProfileError | None
    ) -> Request:
        given = {"plain": plain, "error": error}
        request = self._asked(Request(url), self.parse_drawn, self.failed_drawing, **given)
        request.meta.update(render="list", _data=[])
        return request

    def _without_browser(
        self,
        plain: tuple[Response, AnyListRules] | None,
        error: ProfileError | None,
        missing: str,
    ) -> Iterator[Request]:
        if plain:
            yield from self._sample(*plain)
            return
        reason = str(error).replace(f"; {BROWSER}", "")
        self.run.remember(ProfileError(f"{reason}; {missing}"))

    def _without_list(self, response: Response, error: ProfileError) -> Iterator[Request]:
        """Let a browser draw a page with scripts and no list; without one, the error ends the run."""
        is_page = isinstance(response, HtmlResponse) and "render" not in response.meta
        if self._may_draw and is_page and b"<script" in response.body.lower():
            yield self._drawing(response.url, None, error)
        else:
            self.run.remember(error)

    def _profile_of(self, response: Response, rules: AnyListRules) -> SiteProfile:
        name = self.profile.name if self.profile else "sample"
        return SiteProfile(name=name, start_urls=[response.url], list=rules)

    def _list_page(self, response: Response, rules: AnyListRules) -> ListPage:
        return list_page(response, self._profile_of(response, rules), date.today())

    def _replace(self, failure: str) -> Iterator[Request]:
        self.samples.failures.append(failure)
        if self._spare:
            yield self._article(self._spare.pop(0))

    def _look_into_index(self, response: Response, page: FeedPage) -> Iterator[Request]:
        if self.samples.index:
            sentence = f"{response.url} is an index in an index; give the URL of a sitemap"
            self.run.remember(ProfileError(sentence))
            return
        self.samples.index = response.url
        url = likeliest_sitemap(page.sitemaps).url
        yield self._asked(Request(url), self.parse_list, self.failed_list)

    def _look_into_frames(self, response: Response, error: ProfileError) -> Iterator[Request]:
        is_page = isinstance(response, TextResponse) and not is_json(response)
        frames = frame_urls(page_tree(response)[0], response.url) if is_page else []
        if not frames:
            yield from self._without_list(response, error)
        self._waiting = len(frames)
        self._framing = response
        for number, url in enumerate(frames):
            given = {"number": number, "error": error}
            yield self._asked(Request(url), self.parse_frame, self.failed_frame, **given)

    def _choose_frame(self, error: ProfileError) -> Iterator[Request]:
        self._waiting -= 1
        if self._waiting:
            return
        found = [self._framed[number] for number in sorted(self._framed)]
        if len(found) == 1:
            self.samples.frame_of = self.samples.url
            yield from self._sample(*found[0])
            return
        urls = ", ".join(response.url for response, _ in found)
        sentence = f"several frames of {self.samples.url} have a list; give the URL of one: {urls}"
        if urls:
            self.run.remember(ProfileError(sentence))
        else:
            yield from self._without_list(self._framing, error)


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
