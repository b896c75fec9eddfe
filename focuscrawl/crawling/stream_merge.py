"""Several streams as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

_T = TypeVar("_T")


async def merged(streams: Iterable[AsyncIterator[_T]]) -> AsyncIterator[_T]:
    """Yield what the streams yield, as it comes: one that waits delays no other.

    The next value of a stream is requested when the last one has been taken. The first error ends all.
    """
    due = {_next(stream): stream for stream in streams}
    try:
        while due:
            await asyncio.wait(due, return_when=asyncio.FIRST_COMPLETED)
            # In the order of the streams, so that runs are alike.
            for task in [task for task in due if task.done()]:
                stream = due.pop(task)
                try:
                    value = task.result()
                except StopAsyncIteration:
                    continue
                yield value
                due[_next(stream)] = stream
    finally:
        for task in due:
            task.cancel()


def _next(stream: AsyncIterator[_T]) -> asyncio.Future[_T]:
    return asyncio.ensure_future(stream.__anext__())
