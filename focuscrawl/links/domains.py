"""Registered domains: what the hosts of one owner have in common, however many names he makes up."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract

_REMEMBERED = 20_000


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
