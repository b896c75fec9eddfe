"""Calls in a thread, one after the other."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial

import pytest

from focuscrawl.workers.patient_calls import CallThread


def test_calls_are_made_in_order_by_one_thread() -> None:
    made: list[tuple[int, str]] = []

    def call(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0)
        made.append((number, threading.current_thread().name))
        return number * 2

    async def run() -> list[int]:
        thread = CallThread("caller")
        results = await asyncio.gather(*(thread.run(partial(call, n)) for n in range(5)))
        thread.stop()
        return results

    assert asyncio.run(run()) == [0, 2, 4, 6, 8]
    assert made == [(n, "caller") for n in range(5)]


def test_an_error_is_raised_where_the_call_is_awaited_and_the_thread_goes_on() -> None:
    async def run() -> int:
        thread = CallThread("caller")
        with pytest.raises(ZeroDivisionError):
            await thread.run(lambda: 1 // 0)
        result = await thread.run(lambda: 5)
        thread.stop()
        return result

    assert asyncio.run(run()) == 5


def test_the_loop_goes_on_meanwhile_and_a_cancelled_call_hurts_nobody() -> None:
    async def run() -> int:
        thread = CallThread("caller")
        task = asyncio.ensure_future(thread.run(partial(time.sleep, 0.05)))
        await asyncio.sleep(0)
        task.cancel()
        result = await thread.run(lambda: 5)
        thread.stop()
        return result

    assert asyncio.run(run()) == 5
