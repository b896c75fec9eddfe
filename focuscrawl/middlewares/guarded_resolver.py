"""Twisted name resolver that returns only the addresses that a crawl may connect to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IResolutionReceiver,
)
from zope.interface import implementer

if TYPE_CHECKING:
    from focuscrawl.network.address_rules import AddressRules

# All crawls of a process share its reactor, and thus the resolver.
_rules: WeakSet[AddressRules] = WeakSet()


def guard_connections(rules: AddressRules) -> None:
    """Block connections to addresses that the rules refuse, until :func:`unguard` is called.

    Every new connection resolves its name here, which defeats DNS rebinding. Calling this again is
    cheap, and reinstalls the resolver if it was replaced.
    """
    if not is_reactor_installed():
        return
    from twisted.internet import reactor

    _rules.add(rules)
    if not isinstance(reactor.nameResolver, GuardedResolver):
        reactor.installNameResolver(GuardedResolver(reactor.nameResolver))


def unguard(rules: AddressRules) -> None:
    """Remove the rules of a crawl that has ended."""
    _rules.discard(rules)


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
        if not _rules or any(one.allows_connection(self._host, found) for one in _rules):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        self._receiver.resolutionComplete()
