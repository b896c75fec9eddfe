"""Addresses of pages with their query."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote_plus, urlencode, urlsplit, urlunsplit


def with_query(address: str, **values: object) -> str:
    """Return an address with values set in its query; None and empty values are left out."""
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query))
    query |= {name: "" if value is None else str(value) for name, value in values.items()}
    kept = {name: value for name, value in query.items() if value}
    return urlunsplit(parts._replace(query=urlencode(kept)))


def with_value(address: str, name: str, value: str) -> str:
    """Return an address with a value added to the end of its query, which is not read for this."""
    return f"{address}{'&' if '?' in address else '?'}{name}={quote_plus(value)}"


def web_link(address: str) -> str:
    """Return an address that comes from a site if it is one of http or https, otherwise ''."""
    return address if address.lower().startswith(("http://", "https://")) else ""


def local_path(address: str) -> str:
    """Return an address within this server, and ``/`` for any other, to which nobody is redirected."""
    is_local = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_local and address.isprintable() else "/"
