"""Refuses requests to addresses that are not on the public internet."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.spider import DefaultSpider

from focuscrawl.crawl_run import drop
from focuscrawl.middlewares.guarded_resolver import guard_connections, unguard
from focuscrawl.network.address_rules import PRIVATE_ADDRESS, AddressRules, read_address_rules
from focuscrawl.scheduling.request_errback import RefusedAddressError

_rules: WeakKeyDictionary[Crawler, AddressRules] = WeakKeyDictionary()


def address_rules_of(crawler: Crawler) -> AddressRules:
    """Return the rules of a crawl, which know the setting and the spider's ``named_urls``."""
    if crawler not in _rules:
        rules = read_address_rules(crawler.settings["FOCUSCRAWL_ALLOW_PRIVATE"])
        for url in getattr(crawler.spider, "named_urls", ()):
            rules.name(url)
        _rules[crawler] = rules
    return _rules[crawler]


class AddressGuard:
    """Downloader middleware near the network: sees links, redirects and robots.txt alike.

    A page may lead to hosts on the public internet by http and https, and to hosts that the user has
    named: those of a spider's ``named_urls``, or of its start requests where it has no such attribute
    (:class:`~focuscrawl.middlewares.start_hosts.StartHosts`). Names are looked at here, the addresses
    that they resolve to at each connection; behind a proxy only the proxy resolves them.
    """

    def __init__(self, crawler: Crawler, rules: AddressRules) -> None:
        self.crawler = crawler
        self._rules = rules
        self._proxy: str | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AddressGuard:
        """Build the middleware; raises ArgumentError for a setting that cannot be read."""
        guard = cls(crawler, address_rules_of(crawler))
        crawler.signals.connect(guard.spider_closed, signals.spider_closed)
        return guard

    def process_request(self, request: Request) -> None:
        """Refuse a request by the name of its host."""
        parts = urlparse_cached(request)
        if isinstance(self.crawler.spider, DefaultSpider) and "redirect_urls" not in request.meta:
            # The spider of `scrapy shell` and `scrapy fetch`: the user types each URL.
            self._rules.name(request.url)
        host = parts.hostname or ""
        if parts.scheme == "https" and host.replace("_", "").isdecimal():
            # To the check of certificates such a host is neither a name nor an address: it raises where
            # nothing catches the error.
            raise ValueError(f"no host name: {host}")
        reason = self._rules.refusal(request.url, parts.scheme, host)
        if reason:
            self._refuse(request, reason)
        proxy = request.meta.get("proxy")
        if proxy and proxy != self._proxy:
            self._proxy = proxy
            self._rules.name_proxy(proxy)
        guard_connections(self._rules)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Say that a name has only addresses that were refused."""
        host = urlparse_cached(request).hostname or ""
        if isinstance(exception, CannotResolveHostError) and (
            self._rules.has_refused_connection(host)
        ):
            self._refuse(request, PRIVATE_ADDRESS)

    def spider_closed(self) -> None:
        """Leave the resolver to others."""
        unguard(self._rules)

    def _refuse(self, request: Request, reason: str) -> None:
        # The page whose host this robots.txt is for will be counted.
        if not request.meta.get("dont_obey_robotstxt"):
            drop(self.crawler, reason, request.url)
        raise RefusedAddressError(reason)
