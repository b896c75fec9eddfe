"""Calls to a Valkey or Redis server or cluster, sent together in one round trip for each node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any, NamedTuple

import redis
from redis.cluster import RedisCluster
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    NoScriptError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TryAgainError,
)

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
