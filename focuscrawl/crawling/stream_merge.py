"""Merge of several asynchronous streams into one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

_T = TypeVar("_T")


async def merged(streams: Iterable[AsyncIterator[_T]]) -> AsyncIterator[_T]:
    """Yield the values of the streams as they become available: a waiting one does not delay the others.

    The next value of a stream is requested once the last one has been consumed. The first error ends all.
    """
    due = {_next(stream): stream for stream in streams}
    try:
        while due:
            await asyncio.wait(due, return_when=asyncio.FIRST_COMPLETED)
            # In the order of the streams, so that runs are reproducible.
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
