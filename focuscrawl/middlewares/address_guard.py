"""Downloader middleware that refuses requests to addresses outside the public internet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.reactor import is_reactor_installed
from scrapy.utils.spider import DefaultSpider
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IResolutionReceiver,
)
from zope.interface import implementer

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.network.address_rules import PRIVATE_ADDRESS, AddressRules, read_address_rules
from focuscrawl.scheduling.request_errback import RefusedAddressError

_rules: WeakKeyDictionary[Crawler, AddressRules] = WeakKeyDictionary()


def address_rules_of(crawler: Crawler) -> AddressRules:
    """Return the address rules of a crawl: its ``FOCUSCRAWL_ALLOW_PRIVATE`` and ``named_urls``.

    Without ``FOCUSCRAWL_TRUST_URLS``, hosts that are named are treated as those that pages lead to.
    """
    if crawler not in _rules:
        rules = read_address_rules(crawler.settings["FOCUSCRAWL_ALLOW_PRIVATE"])
        if crawler.settings.getbool("FOCUSCRAWL_TRUST_URLS", True):
            for url in getattr(crawler.spider, "named_urls", ()):
                rules.name(url)
        _rules[crawler] = rules
    return _rules[crawler]


class AddressGuard:
    """Downloader middleware close to the network, so that redirects and robots.txt pass it as well.

    Allowed are http and https requests to hosts on the public internet, and to hosts that the user
    named: those of a spider's ``named_urls``, or of its start requests if it has no such attribute
    (:class:`~focuscrawl.middlewares.start_hosts.StartHosts`). Host names are checked here, the addresses
    they resolve to at each connection; behind a proxy, only the proxy resolves them.
    """

    def __init__(self, crawler: Crawler, rules: AddressRules) -> None:
        self.crawler = crawler
        self.run = RunningCrawl.of(crawler)
        self._rules = rules
        self._proxy: str | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AddressGuard:
        """Build the middleware; raises ArgumentError for an invalid FOCUSCRAWL_ALLOW_PRIVATE."""
        guard = cls(crawler, address_rules_of(crawler))
        crawler.signals.connect(guard.spider_closed, signals.spider_closed)
        return guard

    def process_request(self, request: Request) -> None:
        """Refuse a request because of its host name."""
        parts = urlparse_cached(request)
        if isinstance(self.crawler.spider, DefaultSpider) and "redirect_urls" not in request.meta:
            # The spider of `scrapy shell` and `scrapy fetch`: the user types each URL.
            self._rules.name(request.url)
        host = parts.hostname or ""
        if parts.scheme == "https" and host.replace("_", "").isdecimal():
            # Certificate verification takes such a host for neither a name nor an address, and raises
            # where nothing catches the error.
            raise ValueError(f"not a host name: {host}")
        reason = self._rules.refusal(request.url, parts.scheme, host)
        if reason:
            self._refuse(request, reason)
        proxy = request.meta.get("proxy")
        if proxy and proxy != self._proxy:
            self._proxy = proxy
            self._rules.name_proxy(proxy)
        guard_connections(self._rules)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Replace the DNS error of a name whose addresses were all refused by that reason."""
        host = urlparse_cached(request).hostname or ""
        if isinstance(exception, CannotResolveHostError) and (
            self._rules.has_refused_connection(host)
        ):
            self._refuse(request, PRIVATE_ADDRESS)

    def spider_closed(self) -> None:
        """Remove the rules of this crawl from the resolver."""
        unguard(self._rules)

    def _refuse(self, request: Request, reason: str) -> None:
        # A robots.txt is not counted: the page it was requested for will be.
        if not request.meta.get("dont_obey_robotstxt"):
            self.run.drop(reason, request.url)
        raise RefusedAddressError(reason)


# Name resolver that returns only the addresses that a crawl may connect to.


# All crawls of a process share its reactor, and thus the resolver.
_guarding: WeakSet[AddressRules] = WeakSet()


def guard_connections(rules: AddressRules) -> None:
    """Block connections to addresses that the rules refuse, until :func:`unguard` is called.

    Every new connection resolves its name here, which defeats DNS rebinding. Calling this again is
    cheap, and reinstalls the resolver if it was replaced.
    """
    if not is_reactor_installed():
        return
    from twisted.internet import reactor

    _guarding.add(rules)
    if not isinstance(reactor.nameResolver, GuardedResolver):
        reactor.installNameResolver(GuardedResolver(reactor.nameResolver))


def unguard(rules: AddressRules) -> None:
    """Remove the rules of a crawl that has ended."""
    _guarding.discard(rules)


@implementer(IHostnameResolver)
class GuardedResolver:
    """Resolver that filters the results of another one."""

    def __init__(self, resolver: Any) -> None:
        self._resolver = resolver

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[IAddress]] | None = None,
        transportSemantics: str = "TCP",
    ) -> IHostResolution:
        """Resolve a name, see :class:`twisted.internet.interfaces.IHostnameResolver`."""
        receiver = _GuardedReceiver(resolutionReceiver, hostName)
        resolution: IHostResolution = self._resolver.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return resolution


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    """Receiver that passes on the addresses that at least one crawl may connect to."""

    def __init__(self, receiver: Any, host: str) -> None:
        self._receiver = receiver
        self._host = host

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IAddress) -> None:
        found = getattr(address, "host", "")
        if not _guarding or any(one.allows_connection(self._host, found) for one in _guarding):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        self._receiver.resolutionComplete()
