"""What a test needs: little, much time or processes of its own, a server, or a browser."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from tests.servers import warm_scrapy

TESTS = Path(__file__).resolve().parent
SERVER_FIXTURES = {
    "mysql_url",
    "mysql_server",
    "mongo_url",
    "mongo_server",
    "mongo_auth_url",
    "mongo_replica_url",
    "mongo_replica_server",
    "redis_url",
    "valkey_url",
    "valkey_server",
    "valkey_auth_server",
    "redis7_url",
    "redis7_server",
    "redis7_tls_server",
    "cluster_url",
    "cluster_server",
}
# Values of parameters by which tests choose a server.
_SERVERS = {"cluster", "mariadb", "mongodb", "mongodb-replica-set", "mysql", "redis", "valkey"}
LAST_FOLDERS = {
    "complexity",
    "crawl",
    "deploy",
    "documentation",
    "faults",
    "fuzz",
    "hostile",
    "wheel",
}
# What trains models, serves pages, or writes databases and workbooks; no test there is quick.
SLOW_FOLDERS = {"demo", "evaluation", "lab", "reports", "servers", "stores", "transfer", "web"}
_STARTERS = (subprocess, warm_scrapy)


class Kind(IntEnum):
    """Kinds of tests, in the order in which they run."""

    QUICK = 0
    SLOW = 1
    SERVER = 2
    CRAWL = 3
    # Playwright keeps a running loop in the thread of the tests; no other test can start one.
    BROWSER = 4


def kind_of(item: pytest.Item) -> Kind:
    """Return the kind of a test, by its folder, its fixtures, its marks and what it calls."""
    asks = set(getattr(item, "fixturenames", ()))
    if "browser" in asks:
        return Kind.BROWSER
    folder = item.path.relative_to(TESTS).parts[0]
    if folder in LAST_FOLDERS:
        return Kind.CRAWL
    asks |= set(_texts_in(item))
    if (SERVER_FIXTURES | _SERVERS) & asks or item.get_closest_marker("server"):
        return Kind.SERVER
    is_slow = folder in SLOW_FOLDERS or item.get_closest_marker("slow")
    if is_slow or any(map(_starts_processes, _functions_of(item))):
        return Kind.SLOW
    return Kind.QUICK


def _texts_in(item: pytest.Item) -> Iterator[str]:
    """Yield the parameters of a test that are texts."""
    if call := getattr(item, "callspec", None):
        yield from (value for value in call.params.values() if isinstance(value, str))


def _functions_of(item: pytest.Item) -> Iterator[FunctionType]:
    """Yield the function of a test and those of the fixtures of this project that it asks for."""
    if isinstance(item, pytest.Function):
        yield from _functions_in(item.function)
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            yield from _functions_in(definitions[-1].func)


def _functions_in(value: Any) -> Iterator[FunctionType]:
    """Yield the functions of a value of a test module: itself, or the methods of a class."""
    if not str(getattr(value, "__module__", "")).startswith("tests."):
        return
    if isinstance(value, type):
        for attribute in vars(value).values():
            yield from _functions_in(getattr(attribute, "fget", attribute))
    elif isinstance(inner := getattr(value, "__wrapped__", value), FunctionType):
        yield inner


@cache
def _starts_processes(function: FunctionType) -> bool:
    """Tell whether a function, or one of the tests' functions that it names, starts processes."""
    # Functions may call each other in a circle: each is looked at once.
    seen, waiting = {function}, [function]
    while waiting:
        one = waiting.pop()
        for name in _names_in(one.__code__):
            value = one.__globals__.get(name)
            if any(value is starter for starter in _STARTERS):
                return True
            found = {*_functions_in(value)} - seen
            seen |= found
            waiting += found
    return False


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
