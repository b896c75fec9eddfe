"""Registered domains, shared by the hosts of one owner, and the domains below them."""

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

    Uses the list bundled with tldextract, including private suffixes: the blogs of ``github.io`` are
    sites of different owners. IP addresses and public suffixes are returned unchanged; for a suffix
    that is not in the list, the last two labels are returned.

    >>> registered_domain("a.b.example.com.cn"), registered_domain("me.github.io")
    ('example.com.cn', 'me.github.io')
    """
    found = suffix_list().extract_str(host)
    if found.suffix:
        return f"{found.domain}.{found.suffix}" if found.domain else host
    return host if _is_address(host) else ".".join(host.split(".")[-2:])


@lru_cache(_REMEMBERED)
def domains_of(host: str) -> tuple[str, ...]:
    """Return the domains above a host, its registered domain first, at most four.

    For a host that is a registered domain, that is the host itself; a trailing dot is ignored.

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
    """Return whether a host is a domain or a subdomain of it.

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
def suffix_list() -> TLDExtract:
    """Return the list of public suffixes that comes with tldextract; it is never downloaded."""
    # Imported here, since reading the list takes time.
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
