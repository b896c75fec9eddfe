"""Serialisation of requests as small JSON objects; attributes that JSON cannot represent are rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from focuscrawl.errors import FrontierError

_DEFAULTS: dict[str, Any] = {
    "method": "GET",
    "headers": {},
    "body": b"",
    "cookies": {},
    "meta": {},
    "encoding": "utf-8",
    "priority": 0,
    "dont_filter": False,
    "flags": [],
    "cb_kwargs": {},
}
_PLAIN = "scrapy.http.request.Request"
_ELSEWHERE = {"url", "callback", "errback"}
# Set again for every download, or large and useless for another page.
_ATOMS = frozenset({str, int, float, bool, type(None)})
_PASSING_META = {"download_latency", "download_timeout", "links", "page"}


class RequestLike(Protocol):
    """The attributes of a Scrapy request that are serialised."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes."""

    @property
    def url(self) -> str:
        """The URL."""


def payload_of(request: RequestLike, spider: object) -> dict[str, Any]:
    """Return the attributes of a request, without its URL and without default values.

    Callbacks become names of methods of ``spider``; keys of meta that begin with ``_`` are left out,
    tuples become lists. Raises :class:`FrontierError` for anything else that is not JSON.
    """
    payload: dict[str, Any] = {}
    kind = type(request)
    if (path := f"{kind.__module__}.{kind.__qualname__}") != _PLAIN:
        payload["_class"] = path
    for name in ("callback", "errback"):
        if (method := getattr(request, name)) is not None:
            payload[name] = _name_of(method, name, request, spider)
    for name in _kept_names(request.attributes):
        value = getattr(request, name)
        if value != _DEFAULTS.get(name) and (value := _simple(name, value)):
            payload[name] = value
    for name, value in payload.items():
        if problem := _non_json_part(value):
            raise FrontierError(
                f"the request for {request.url} (callback {payload.get('callback', 'parse')}) cannot be "
                f"stored as JSON: {name}{problem}; pass strings, numbers, lists and dicts with string "
                "keys, or look things up in the callback"
            )
    return payload


def fields_of(url: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a request, with its callbacks as names."""
    fields = {"url": url, **payload}
    if "headers" in fields:
        fields["headers"] = {
            name: [value.encode("latin-1") for value in values]
            for name, values in fields["headers"].items()
        }
    if "body" in fields:
        fields["body"] = fields["body"].encode("latin-1")
    return fields


@lru_cache
def _kept_names(attributes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in attributes if name not in _ELSEWHERE)


def _simple(name: str, value: Any) -> Any:
    if name == "headers":
        return {
            key.decode("latin-1"): [one.decode("latin-1") for one in values]
            for key, values in value.items()
        }
    if name == "body":
        return value.decode("latin-1")
    if name == "meta":
        return {
            key: one
            for key, one in value.items()
            if not (key in _PASSING_META or (isinstance(key, str) and key.startswith("_")))
        }
    return value


def _name_of(method: Callable[..., Any], role: str, request: RequestLike, spider: object) -> str:
    name = getattr(method, "__name__", "")
    if getattr(spider, name, None) == method:
        return name
    raise FrontierError(
        f"the request for {request.url} cannot be stored: its {role} {name or repr(method)} is not a "
        "method of the spider; make it one (for scrapy parse: -s SCHEDULER=scrapy.core.scheduler.Scheduler)"
    )


def _non_json_part(value: Any) -> str:
    """Return the path and type of a part that JSON cannot represent, ``""`` if there is none."""
    kind = type(value)
    if kind in _ATOMS or isinstance(value, str | int | float):
        return ""
    if isinstance(value, list | tuple):
        for number, one in enumerate(value):
            if problem := _non_json_part(one):
                return f"[{number}]{problem}"
        return ""
    if not isinstance(value, dict):
        return f" is a {kind.__name__}, which is not a JSON type"
    for key, one in value.items():
        if not isinstance(key, str):
            return f" has the key {key!r}, which is not a string"
        if problem := _non_json_part(one):
            return f"[{key!r}]{problem}"
    return ""
