"""Rules for the hosts that a page may lead to: public hosts, and hosts that the user named."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from focuscrawl.errors import ArgumentError
from focuscrawl.network.ip_addresses import (
    Address,
    Network,
    is_private_name,
    is_public,
    literal_address,
    normal_host,
    read_network,
)

PRIVATE_ADDRESS = "private address"
OTHER_SCHEME = "not http"

_SCHEMES = frozenset(("http", "https"))
_TRUE = frozenset(("1", "true", "yes", "on"))
_FALSE = frozenset(("", "0", "false", "no", "off", "none"))
_MOST_REMEMBERED = 50_000


class AddressRules:
    """Decides about hosts by name, and about the addresses that names resolve to.

    ``allow_private`` allows all addresses; ``hosts`` (with their subdomains) and ``networks`` allow
    some. URLs that the user names (:meth:`name`) allow exactly the host that was written.
    """

    def __init__(
        self,
        *,
        allow_private: bool = False,
        hosts: Iterable[str] = (),
        networks: Iterable[Network] = (),
    ) -> None:
        self._allow_private = allow_private
        self._suffixes = tuple(f".{normal_host(host)}" for host in hosts)
        self._networks = tuple(networks)
        self._named_hosts: set[str] = set()
        self._named_urls: set[str] = set()
        self._proxies: set[str] = set()
        self._reasons: dict[str, str] = {}
        self._without_address: set[str] = set()

    def name(self, url: str) -> None:
        """Allow a URL that the user named: its host, or only this URL if its scheme is not http(s)."""
        scheme, host = _scheme_and_host(url)
        if scheme in _SCHEMES:
            self._named_hosts.add(normal_host(host))
            self._reasons.clear()
        else:
            self._named_urls.add(url)

    def is_named(self, netloc: str) -> bool:
        """Return whether the user named this host; ``netloc`` may have a port."""
        return normal_host(_scheme_and_host(f"http://{netloc}")[1]) in self._named_hosts

    def name_proxy(self, url: str) -> None:
        """Allow connections to a proxy, but not requests of pages on its host."""
        self._proxies.add(normal_host(_scheme_and_host(url)[1]))

    def refusal(self, url: str, scheme: str, host: str) -> str:
        """Return the reason why a URL with this scheme and host is refused, ``""`` if it is allowed."""
        if scheme not in _SCHEMES:
            return "" if url in self._named_urls else OTHER_SCHEME
        reason = self._reasons.get(host)
        if reason is None:
            reason = "" if self._allows_written(host) else PRIVATE_ADDRESS
            if len(self._reasons) >= _MOST_REMEMBERED:
                self._reasons.clear()
            self._reasons[host] = reason
        return reason

    def allows_connection(self, host: str, address: str) -> bool:
        """Return whether a host may be connected to at an address that its name resolves to."""
        name = normal_host(host)
        if self._allow_private or self._allows_host(name) or name in self._proxies:
            return True
        parsed = literal_address(address)
        if parsed is not None and self._allows_address(parsed):
            return True
        if len(self._without_address) >= _MOST_REMEMBERED:
            self._without_address.clear()
        self._without_address.add(name)
        return False

    def has_refused_connection(self, host: str) -> bool:
        """Return whether :meth:`allows_connection` has refused an address of a host."""
        return normal_host(host) in self._without_address

    def _allows_written(self, host: str) -> bool:
        name = normal_host(host)
        if self._allow_private or self._allows_host(name):
            return True
        address = literal_address(name)
        return not is_private_name(name) if address is None else self._allows_address(address)

    def _allows_host(self, name: str) -> bool:
        return name in self._named_hosts or f".{name}".endswith(self._suffixes)

    def _allows_address(self, address: Address) -> bool:
        if is_public(address):
            return True
        return any(
            address in network for network in self._networks if network.version == address.version
        )


def read_address_rules(setting: object) -> AddressRules:
    """Return the rules for a value of ``FOCUSCRAWL_ALLOW_PRIVATE``.

    The value is True, False, or comma-separated hosts and networks (``intranet.example, 10.0.0.0/8``).
    Raises ArgumentError for anything else.
    """
    entries = setting if isinstance(setting, list | tuple) else str(setting).split(",")
    words = [str(entry).strip() for entry in entries]
    words = [word for word in words if word.lower() not in _FALSE]
    if not words:
        return AddressRules()
    if len(words) == 1 and words[0].lower() in _TRUE:
        return AddressRules(allow_private=True)
    networks = {word: read_network(word) for word in words}
    hosts = [word for word, network in networks.items() if network is None]
    for host in hosts:
        if not _is_host(host):
            raise ArgumentError(
                f"FOCUSCRAWL_ALLOW_PRIVATE={setting!r}: {host!r} is neither a host nor a network; "
                "give True, or a comma-separated list such as intranet.example,10.0.0.0/8"
            )
    return AddressRules(hosts=hosts, networks=[one for one in networks.values() if one])


def _is_host(text: str) -> bool:
    return bool(text) and not set(text) & set("/:@?#*\\ \t") and text.lower() not in _TRUE


def _scheme_and_host(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return parts.scheme.lower(), parts.hostname or ""
    except ValueError:
        return "", ""
