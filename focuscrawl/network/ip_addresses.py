"""IP addresses and host names: normalisation, and distinction of public from private ones."""

from __future__ import annotations

import unicodedata
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import unquote

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
