"""Rules for the hosts that a page may lead to: public hosts, and hosts that the user named."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import unquote, urlsplit

from focuscrawl.errors import ArgumentError

# The address that an attribute of a page holds.

# C0 controls and space, which the standard names, and the blanks of other scripts.
_AROUND = "".join(map(chr, range(33))) + "\x85\xa0\u2028\u2029\u3000\ufeff"
_INSIDE = re.compile("[\t\n\r]+")
# Up to the query, of an address that may have a host.
_PLACE = re.compile(r"\A(?:(?![a-z][a-z\d+.-]*:)|(?=https?:))[^?#]*", re.IGNORECASE)


def reference(value: str) -> str:
    """Return the reference of an ``href`` as browsers read it (https://url.spec.whatwg.org/#url-parsing).

    >>> reference(" /a/\\t1\\n.html ")
    '/a/1.html'
    """
    text = _INSIDE.sub("", value.strip(_AROUND))
    return _PLACE.sub(lambda place: place[0].replace("\\", "/"), text) if "\\" in text else text


# IP addresses and host names: normalisation, and distinction of public from private ones.

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# RFC 6761, 6762, 8375, the ICANN resolution 2024.07.29.06, and names used by routers and companies.
_PRIVATE_SUFFIXES = frozenset(
    "localhost local localdomain internal intranet lan home corp private home.arpa".split()
)
# RFC 4291, section 2.4: the only range that global unicast addresses are assigned from.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
# Missing from the tables of some Python versions: protocol assignments (RFC 6890), 6to4 relays (RFC
# 7526), documentation (RFC 9637).
_NOT_PUBLIC: tuple[Network, ...] = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv6Network("3fff::/20"),
)
# RFC 6052, section 2.1: addresses that a DNS64 resolver returns for hosts with IPv4 only.
_NAT64 = IPv6Network("64:ff9b::/96")
_LONGEST_HOST = 255


def normal_host(host: str) -> str:
    """Normalise a host: lower case, ASCII, without brackets, zone and trailing dot.

    >>> normal_host("１２７。0.0.1.")
    '127.0.0.1'
    """
    if host.isascii() and "%" not in host:
        return host.lower().strip("[]").removesuffix(".")
    text = unicodedata.normalize("NFKC", unquote(host)).replace("。", ".").lower()
    text = text.strip("[]").partition("%")[0].removesuffix(".")
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        return text


def literal_address(host: str) -> Address | None:
    """Return the IP address that a host is written as, None for a name.

    IPv4 is parsed like ``inet_aton``, which the resolvers of operating systems call: one to four
    parts, each decimal, octal or hexadecimal, the last one filling the remaining bytes.

    >>> literal_address("0x7f.1")
    IPv4Address('127.0.0.1')
    """
    if len(host) > _LONGEST_HOST:
        return None
    host = normal_host(host)
    try:
        return ip_address(host)
    except ValueError:
        return _read_like_inet_aton(host)


def is_public(address: Address) -> bool:
    """Return whether an address is reachable from the whole internet.

    Loopback, private, link-local, shared (100.64.0.0/10), reserved, multicast and documentation
    addresses are not public; an IPv6 address that embeds an IPv4 address is treated like that one.
    """
    if isinstance(address, IPv6Address):
        embedded = _embedded(address)
        if embedded is not None:
            return is_public(embedded)
        if address not in _GLOBAL_UNICAST:
            return False
    if address.is_multicast or not address.is_global:
        return False
    return not any(address in network for network in _NOT_PUBLIC)


def is_private_name(host: str) -> bool:
    """Return whether a normalised name belongs to a private network.

    These are names without a dot (``intranet``, ``metadata``), reserved ones such as ``localhost``,
    and those below ``.internal``, such as ``metadata.google.internal``.
    """
    labels = host.split(".")
    if len(labels) == 1:
        return True
    return labels[-1] in _PRIVATE_SUFFIXES or ".".join(labels[-2:]) in _PRIVATE_SUFFIXES


def read_network(text: str) -> Network | None:
    """Return the network (or single address) that a text denotes, None for any other text."""
    try:
        return ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 address, None without one."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _read_like_inet_aton(host: str) -> IPv4Address | None:
    parts = host.split(".")
    if not 1 <= len(parts) <= 4:
        return None
    numbers = [_read_number(part) for part in parts]
    *firsts, last = numbers
    if last is None or last >= 256 ** (4 - len(firsts)):
        return None
    value = last
    for place, number in enumerate(firsts):
        if number is None or number > 255:
            return None
        value += number << (8 * (3 - place))
    return IPv4Address(value)


def _read_number(text: str) -> int | None:
    if not text or not text.isascii() or not text.isalnum():
        return None
    base = 16 if text.startswith("0x") else 8 if text.startswith("0") and len(text) > 1 else 10
    digits = text[2:] or "0" if base == 16 else text
    try:
        return int(digits, base)
    except ValueError:
        return None


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
