"""Network addresses as limits count them."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

_OF_ONE_HOST = 64
"""Bits of an IPv6 address that its owner cannot choose."""


def counted_address(address: str) -> str:
    """Return the address that limits count: of IPv6 the network, whose 2**64 addresses have one owner."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, _OF_ONE_HOST), strict=False))
