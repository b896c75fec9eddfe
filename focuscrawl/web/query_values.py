"""Queries of addresses: values checked by a pydantic model, and links with other values."""

from __future__ import annotations

from typing import Any, TypeVar
from urllib.parse import parse_qs, quote_plus, urlencode, urlsplit, urlunsplit

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from focuscrawl.errors import ArgumentError
from focuscrawl.system.machine_faults import plain_reason


def with_query(address: str, **values: object) -> str:
    """Return an address with values set in its query; None and empty values are left out.

    A list is a value that is repeated.
    """
    parts = urlsplit(address)
    query: dict[str, list[Any]] = parse_qs(parts.query)
    query |= {name: one if isinstance(one, list) else [one] for name, one in values.items()}
    kept = [(name, one) for name, own in query.items() for one in own if one not in (None, "")]
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


_Model = TypeVar("_Model", bound=BaseModel)


def query_of(request: Request, model: type[_Model]) -> _Model:
    """Return the query of a request as a model; raises ArgumentError for a value that is none.

    Names that the model lacks are left out, as those that other programs add to addresses; empty
    values, which forms send, count as missing.
    """
    return checked(model, dict(request.query_params))


def checked(model: type[_Model], values: dict[str, Any]) -> _Model:
    """Return values as a model; raises ArgumentError with the first one that is wrong."""
    known = {name: value for name, value in values.items() if name in model.model_fields and value}
    try:
        return model(**known)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise ArgumentError(f"{name} = {first['input']!r}: {plain_reason(first)}") from error
