"""Connection to a Valkey or Redis, and calls of its commands and our scripts."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import (
    AskError,
    AuthenticationError,
    ClusterDownError,
    MovedError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.retry import Retry

from focuscrawl.errors import FrontierError, FrontierUnavailableError

Reply = Any
_PRELUDE = ("shard", "seen")
_MOVED = (MovedError, AskError, TryAgainError, ClusterDownError)
_AWAY = (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError, RedisClusterException)
_MOST_ATTEMPTS = 8


def is_away(error: Exception) -> bool:
    """Return whether an error passes with time; a server that runs a long script answers BUSY."""
    return isinstance(error, (*_AWAY, ClusterDownError)) or str(error).startswith("BUSY ")


class FencedError(Exception):
    """A write to a shard that belongs to another worker by now."""


class Script(NamedTuple):
    """A Lua script with its preludes."""

    text: str
    sha: str


@cache
def script(name: str) -> Script:
    """Load a script of the folder ``scripts`` by its name."""
    folder = files(__package__) / "scripts"
    text = "\n".join((folder / f"{part}.lua").read_text("utf-8") for part in (*_PRELUDE, name))
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


class Call(NamedTuple):
    """A command, or a script, on keys that begin with ``prefix``, which has a hash tag of its own."""

    prefix: str
    arguments: tuple[Any, ...]
    script: Script | None = None

    @classmethod
    def of(cls, name: str, prefix: str, *arguments: Any) -> Call:
        """Return the call of a script."""
        return cls(prefix, arguments, script(name))

    @property
    def words(self) -> tuple[Any, ...]:
        """The command as it is sent."""
        if self.script is None:
            return self.arguments
        return ("EVALSHA", self.script.sha, 1, self.prefix, *self.arguments)


Beside = tuple[Call, Callable[[Reply], object]]
"""A call that is sent with others, and what is done with its reply."""


class RedisCalls:
    """Sends calls to a server; ``address`` names it in messages.

    Raises :class:`~focuscrawl.errors.FrontierUnavailableError` if the server does not answer: any of the
    calls may have been executed.
    """

    def __init__(self, client: redis.Redis | RedisCluster, address: str) -> None:
        self.address = address
        self._client = client

    def run(self, calls: Sequence[Call]) -> list[Reply]:
        """Execute calls, those on one shard in order; raises :class:`FencedError` for a lost shard."""
        results = self.try_each(calls)
        for result in results:
            if isinstance(result, FencedError):
                raise result
        return results

    def try_each(self, calls: Sequence[Call]) -> list[Reply]:
        """Execute calls; the result of one on a lost shard is a :class:`FencedError`."""
        if not calls:
            return []
        results: dict[int, Reply] = {}
        unsent = dict(enumerate(calls))
        with self._reached():
            for _ in range(_MOST_ATTEMPTS):
                results |= self._send(unsent)
                errors = {
                    n: results[n]
                    for n in unsent
                    if isinstance(results[n], (NoScriptError, *_MOVED))
                }
                if not errors:
                    return [self._checked(results[n]) for n in range(len(calls))]
                unsent = {n: calls[n] for n in errors}
                self._prepare(errors, unsent)
        raise FrontierUnavailableError(f"the cluster at {self.address} keeps moving its slots")

    def one(self, prefix: str, *arguments: Any) -> Reply:
        """Execute one command."""
        return self.run([Call(prefix, arguments)])[0]

    def server_runs(self) -> set[str]:
        """Return a name for each server that changes when it is started again."""
        with self._reached():
            if isinstance(self._client, RedisCluster):
                found = self._client.info("server", target_nodes=RedisCluster.PRIMARIES)
                return {info["run_id"] for info in found.values()}
            return {self._client.info("server")["run_id"]}

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(self, calls: Mapping[int, Call]) -> dict[int, Reply]:
        results: dict[int, Reply] = {}
        for node, numbers in self._by_node(calls):
            pipeline = node.pipeline(transaction=False)
            for number in numbers:
                pipeline.execute_command(*calls[number].words)  # type: ignore[no-untyped-call]
            replies = pipeline.execute(raise_on_error=False)
            results |= zip(numbers, replies, strict=True)
        return results

    def _by_node(self, calls: Mapping[int, Call]) -> list[tuple[redis.Redis, list[int]]]:
        if not isinstance(self._client, RedisCluster):
            return [(self._client, list(calls))]
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        nodes = {}
        for number, call in calls.items():
            node = self._client.get_node_from_key(call.prefix)  # type: ignore[no-untyped-call]
            if node is None:
                raise ClusterDownError(f"no node has the slot of {call.prefix}")
            nodes[node.name] = node
            numbers[node.name].append(number)
        return [(self._client.get_redis_connection(nodes[name]), numbers[name]) for name in nodes]

    def _prepare(self, errors: Mapping[int, Exception], calls: Mapping[int, Call]) -> None:
        """Load scripts that a node lacks, and learn where the slots of a cluster are now."""
        if isinstance(self._client, RedisCluster) and any(
            isinstance(error, _MOVED) for error in errors.values()
        ):
            self._client.nodes_manager.initialize()
        for node, numbers in self._by_node(calls):
            for found in {calls[number].script for number in numbers} - {None}:
                assert found is not None
                node.script_load(found.text)

    def _learn_slots(self) -> None:
        """Ask where the slots of a cluster are now; without an answer, the next error asks again."""
        if isinstance(self._client, RedisCluster):
            with suppress(RedisError, RedisClusterException):
                self._client.nodes_manager.initialize()

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (RedisError, RedisClusterException) as error:
            if not is_away(error):
                raise FrontierError(f"the server at {self.address} reports: {error}") from None
            self._learn_slots()
            raise FrontierUnavailableError(
                f"the server at {self.address} does not answer ({error}); start it, and run again to continue"
            ) from None

    def _checked(self, result: Reply) -> Reply:
        """Raise an error other than that of a lost shard."""
        if isinstance(result, ResponseError) and str(result).startswith("FENCED"):
            return FencedError(str(result))
        if isinstance(result, OutOfMemoryError):
            raise FrontierError(
                f"the server at {self.address} is out of memory; raise its maxmemory, and run again to continue"
            )
        if isinstance(result, RedisError):
            raise result
        return result


PASSWORD_VARIABLE = "FOCUSCRAWL_FRONTIER_PASSWORD"
_SECONDS = 20.0
_OF_REPLIES = ("protocol", "decode_responses", "encoding", "encoding_errors")
_OPTIONS = {"protocol": 2, "socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS}


def connect(address: str) -> RedisCalls:
    """Connect to the server or cluster at ``redis://``, ``rediss://``, ``valkey://`` or ``unix://``.

    The password comes from the environment variable ``FOCUSCRAWL_FRONTIER_PASSWORD``. Raises
    :class:`~focuscrawl.errors.FrontierError` for a server that cannot be used, and
    :class:`~focuscrawl.errors.FrontierUnavailableError` for one that does not answer.
    """
    url = address.replace("valkey", "redis", 1) if address.startswith("valkey") else address
    shown = _without_password(address)
    options = {**_OPTIONS, "retry": Retry(NoBackoff(), 0)}
    if password := os.environ.get(PASSWORD_VARIABLE):
        options["password"] = password
    try:
        if fixed := sorted(parse_qs(urlsplit(url).query).keys() & set(_OF_REPLIES)):
            raise ValueError(f"leave out {', '.join(fixed)}; the form of replies is fixed")
        client = redis.Redis.from_url(url, **options)
        info = client.info()
        _check(info, shown)
        if not info.get("cluster_enabled"):
            return RedisCalls(client, shown)
        client.close()
        if url.startswith("unix"):
            raise FrontierError(
                f"the server at {shown} is one node of a cluster; give redis://HOST:PORT, by which the "
                "others are found"
            )
        cluster = RedisCluster.from_url(url, **options)
        for found in cluster.info(target_nodes=RedisCluster.PRIMARIES).values():
            _check(found, shown)
        return RedisCalls(cluster, shown)
    except (AuthenticationError, NoPermissionError) as error:
        raise FrontierError(
            f"the server at {shown} refuses the password ({error}); set {PASSWORD_VARIABLE}"
        ) from None
    except (RedisError, RedisClusterException, ValueError, TypeError) as error:
        if is_away(error):
            raise FrontierUnavailableError(
                f"the server at {shown} does not answer ({error}); start it, or change FOCUSCRAWL_FRONTIER"
            ) from None
        raise FrontierError(f"FOCUSCRAWL_FRONTIER={shown} cannot be used: {error}") from None


def _check(info: dict[str, object], address: str) -> None:
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        raise FrontierError(
            f"the server at {address} removes keys when its memory is full (maxmemory-policy {policy}), "
            "which would lose URLs; set maxmemory-policy noeviction"
        )


def _without_password(address: str) -> str:
    """Hide the password of a URL, also of one that cannot be parsed."""
    hidden = re.sub(r"://([^/@:]*):[^?]*@", r"://\1:***@", address)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", hidden)
