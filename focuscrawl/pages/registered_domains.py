"""Registered domains and those below: what the hosts of one owner have in common."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract

_REMEMBERED = 20_000
_MOST_DOMAINS = 4


@lru_cache(_REMEMBERED)
def registered_domain(host: str) -> str:
    """Return the public suffix of a host with the label before it (https://publicsuffix.org).

    By the list that comes with tldextract, private suffixes included: the blogs of ``github.io`` are
    sites of different owners. An address and a public suffix are returned as they are; of a suffix
    that is not in the list the last two labels count.

    >>> registered_domain("a.b.example.com.cn"), registered_domain("me.github.io")
    ('example.com.cn', 'me.github.io')
    """
    found = _suffix_list().extract_str(host)
    if found.suffix:
        return f"{found.domain}.{found.suffix}" if found.domain else host
    return host if _is_address(host) else ".".join(host.split(".")[-2:])


@lru_cache(_REMEMBERED)
def domains_of(host: str) -> tuple[str, ...]:
    """Return the names that a host is below: its registered domain first, four of them at most.

    A host that is a registered domain itself is its only one; a dot at its end does not count.

    >>> domains_of("www.a.example.com.cn"), domains_of("example.com.cn")
    (('example.com.cn', 'a.example.com.cn'), ('example.com.cn',))
    """
    host = host.rstrip(".")
    domains = [registered_domain(host)]
    labels = host.removesuffix(domains[0]).split(".")[1:-1]
    for label in reversed(labels[-(_MOST_DOMAINS - 1) :]):
        domains.append(f"{label}.{domains[-1]}")
    return tuple(domains)


def is_below(host: str, domain: str) -> bool:
    """Whether a host is a domain, or its name ends in it.

    >>> is_below("a.b.test", "b.test"), is_below("b.test", "b.test"), is_below("ab.test", "b.test")
    (True, True, False)
    """
    return host == domain or host.endswith(f".{domain}")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(1)
def _suffix_list() -> TLDExtract:
    # Here: reading the list takes a moment. It is never fetched from the network, nor cached on disk.
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
