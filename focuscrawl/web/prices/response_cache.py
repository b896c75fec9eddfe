"""Rendered pages in memory, compressed, so that many users of one view cost as much as one."""

from __future__ import annotations

import asyncio
import gzip
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.web.worker_threads import WorkerThreads

_T = TypeVar("_T")
_MOST_BYTES = 16 * 2**20
_LEVEL = 5
# Two, for the work is Python's: more threads would only take turns.
_workers = WorkerThreads(2, "prices-pages")


async def in_worker(work: Callable[..., _T], *values: Any) -> _T:
    """Call a function in one of the few threads that draw pages."""
    return await _workers.run(work, *values)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A body, compressed with gzip if ``is_packed``, and its media type."""

    body: bytes
    media_type: str
    is_packed: bool = False

    def response(self, request: Request) -> Response:
        """Return the response to a request, unpacked for a client that takes no gzip."""
        if not self.is_packed:
            return Response(self.body, media_type=self.media_type)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.body), media_type=self.media_type)
        headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(self.body, media_type=self.media_type, headers=headers)


def packed(body: bytes, media_type: str) -> Rendered:
    """Return a body compressed."""
    return Rendered(gzip.compress(body, _LEVEL, mtime=0), media_type, is_packed=True)


class ResponseCache:
    """The bodies requested last, up to a number of bytes; one that is being made is made once."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._kept: OrderedDict[Hashable, Rendered] = OrderedDict()
        self._making: dict[Hashable, asyncio.Future[Rendered]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[Rendered]]) -> Rendered:
        """Return the body of a key, made if it is not there."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.ensure_future(make())
            making.add_done_callback(lambda done: self._keep(key, done))
        # Shielded: the others wait for it too.
        return await asyncio.shield(making)

    def _keep(self, key: Hashable, done: asyncio.Future[Rendered]) -> None:
        del self._making[key]
        if done.cancelled() or done.exception() is not None:
            return
        made = done.result()
        if len(made.body) > self._most:
            return
        self._kept[key] = made
        self._size += len(made.body)
        while self._size > self._most:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped.body)
