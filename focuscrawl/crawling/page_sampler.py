"""Spider that fetches a list page and a few of its articles, to look at them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar

from lxml.etree import _Element
from scrapy import Request, Spider
from scrapy.http import Response
from twisted.python.failure import Failure

from focuscrawl.crawl_run import remember
from focuscrawl.crawling.page_tree import page_tree
from focuscrawl.errors import FocuscrawlError, ProfileError
from focuscrawl.network.failure_names import remedy
from focuscrawl.scheduling.request_errback import is_forbidden, reason_of, request_of
from focuscrawl.sites.page_reading import ListEntry, read_list
from focuscrawl.sites.site_profile import ListRules, SiteProfile

FindRules = Callable[[_Element, str], ListRules]
"""Returns the rules for the list page of a URL."""


@dataclass(slots=True)
class PageSamples:
    """A list page, its entries, and articles; ``failures`` are sentences about the pages that failed."""

    url: str
    list_page: _Element | None = None
    entries: list[ListEntry] = field(default_factory=list)
    next_url: str = ""
    articles: list[tuple[ListEntry, _Element]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class PageSampler(Spider):
    """Fetches ``samples.url``, the next list page, and ``count`` articles spread over the list.

    ``find_rules`` returns the rules of a list page; it may raise a :class:`ProfileError`, which ends the
    run. Messages call the profile ``profile``.
    """

    name = "page-sampler"
    # Neither results nor a summary.
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
            )
        ),
    }

    def __init__(
        self, samples: PageSamples, find_rules: FindRules, count: int, profile: str = "sample"
    ) -> None:
        super().__init__()
        self._profile = profile
        self.samples = samples
        self.named_urls = [samples.url]
        self._find_rules = find_rules
        self._count = count

    async def start(self) -> AsyncIterator[Request]:
        """Request the list page."""
        yield Request(self.samples.url, self.parse_list, errback=self.failed_list, dont_filter=True)

    def parse_list(self, response: Response) -> Iterator[Request]:
        """Request the next list page and some articles."""
        samples = self.samples
        try:
            samples.list_page, encoding = _tree(response)
            samples.url = response.url
            rules = self._find_rules(samples.list_page, response.url)
            profile = SiteProfile(name=self._profile, start_urls=[response.url], list=rules)
            page = read_list(samples.list_page, response.url, profile, date.today(), encoding)
        except ProfileError as error:
            remember(self.crawler, error)
            return
        samples.entries, samples.next_url = page.entries, page.next_url
        if page.next_url:
            yield Request(page.next_url, self.parse_next, errback=self.failed)
        for entry in spread(page.entries, self._count):
            cb_kwargs = {"entry": entry}
            yield Request(entry.url, self.parse_article, errback=self.failed, cb_kwargs=cb_kwargs)

    def parse_next(self, response: Response) -> None:
        """Check that the link to the next list page leads to a page."""
        try:
            _tree(response)
        except ProfileError as error:
            self.samples.failures.append(str(error))

    def parse_article(self, response: Response, entry: ListEntry) -> None:
        """Keep an article."""
        try:
            self.samples.articles.append((entry, _tree(response)[0]))
        except ProfileError as error:
            self.samples.failures.append(str(error))

    def failed_list(self, failure: Failure) -> None:
        """End the run with the reason why the list page could not be fetched."""
        url, reason = request_of(failure).url, reason_of(failure)
        why = "robots.txt forbids it" if is_forbidden(failure) else f"{reason}; {remedy(reason)}"
        remember(self.crawler, FocuscrawlError(f"cannot fetch {url}: {why}"))

    def failed(self, failure: Failure) -> None:
        """Note a page that could not be fetched."""
        self.samples.failures.append(f"{request_of(failure).url} failed: {reason_of(failure)}")


def _tree(response: Response) -> tuple[_Element, str]:
    tree = page_tree(response)
    if not response.text.strip():
        raise ProfileError(f"{response.url} is empty")
    return tree


def spread(entries: Sequence[ListEntry], count: int) -> list[ListEntry]:
    """Return ``count`` entries from top to bottom, or all of a shorter list."""
    if len(entries) <= count:
        return list(entries)
    return [entries[number * (len(entries) - 1) // max(1, count - 1)] for number in range(count)]
