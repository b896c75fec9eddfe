"""Calls in a thread, one after the other."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from focuscrawl.workers.patient_calls import CallThread


@pytest.fixture
def thread() -> Iterator[CallThread]:
    made = CallThread("caller")
    yield made
    made.stop()


async def test_calls_are_made_in_order_by_one_thread(thread: CallThread) -> None:
    made: list[tuple[int, str]] = []

    def call(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0)
        made.append((number, threading.current_thread().name))
        return number * 2

    results = await asyncio.gather(*(thread.run(partial(call, n)) for n in range(5)))
    assert results == [0, 2, 4, 6, 8]
    assert made == [(n, "caller") for n in range(5)]


async def test_an_error_is_raised_where_the_call_is_awaited_and_the_thread_goes_on(
    thread: CallThread,
) -> None:
    with pytest.raises(ZeroDivisionError):
        await thread.run(lambda: 1 // 0)
    assert await thread.run(lambda: 5) == 5


async def test_the_loop_goes_on_meanwhile_and_a_cancelled_call_hurts_nobody(
    thread: CallThread,
) -> None:
    task = asyncio.ensure_future(thread.run(partial(time.sleep, 0.05)))
    await asyncio.sleep(0)
    task.cancel()
    assert await thread.run(lambda: 5) == 5
