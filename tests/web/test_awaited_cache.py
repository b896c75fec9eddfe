"""Values that are computed once and kept for a time."""

from __future__ import annotations

import asyncio

import pytest

from focuscrawl.web.web_site import AwaitedCache


class Source:
    """Counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.fails = False

    async def read(self) -> int:
        self.asked += 1
        number = self.asked
        await asyncio.sleep(0)
        if self.fails:
            raise ValueError
        return number


async def test_a_value_is_kept_until_it_is_too_old() -> None:
    now, source = [0.0], Source()
    cache = AwaitedCache(60, 10, clock=lambda: now[0])
    assert cache.known("a") is None
    assert [await cache.get("a", source.read) for _ in range(3)] == [1, 1, 1]
    assert cache.known("a") == 1
    now[0] = 61
    assert cache.known("a") is None
    assert await cache.get("a", source.read) == 2


async def test_who_does_not_wait_gets_what_is_there_and_something_newer_later() -> None:
    now, source = [0.0], Source()
    cache = AwaitedCache(60, 10, clock=lambda: now[0])
    assert [cache.ready("a", source.read) for _ in range(2)] == [None, None]
    assert await cache.get("a", source.read) == 1
    now[0] = 61
    assert cache.ready("a", source.read) == 1
    assert await cache.get("a", source.read) == 2
    assert source.asked == 2


async def test_a_failure_that_nobody_waits_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    source, cache = Source(), AwaitedCache(60, 10)
    source.fails = True
    assert cache.ready("a", source.read) is None
    with pytest.raises(ValueError):  # noqa: PT011
        await cache.get("a", source.read)
    await asyncio.sleep(0)
    assert "a could not be prepared" in caplog.text


async def test_those_who_ask_at_once_wait_for_the_same_value() -> None:
    source, cache = Source(), AwaitedCache(60, 10)
    assert await asyncio.gather(*(cache.get("a", source.read) for _ in range(5))) == [1] * 5


async def test_an_error_is_for_all_who_wait_and_is_not_kept() -> None:
    source, cache = Source(), AwaitedCache(60, 10)
    source.fails = True
    found = await asyncio.gather(
        *(cache.get("a", source.read) for _ in range(2)), return_exceptions=True
    )
    assert [type(one) for one in found] == [ValueError] * 2
    source.fails = False
    assert await cache.get("a", source.read) == 2


async def test_who_leaves_does_not_end_what_others_wait_for() -> None:
    source, cache = Source(), AwaitedCache(60, 10)
    first = asyncio.create_task(cache.get("a", source.read))
    second = asyncio.create_task(cache.get("a", source.read))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == 1


async def test_the_oldest_of_too_many_leave() -> None:
    source, cache = Source(), AwaitedCache(60, 2)
    for key in "abc":
        await cache.get(key, source.read)
    assert [cache.known(key) for key in "abc"] == [None, 2, 3]


async def test_values_leave_by_their_sizes_and_the_last_ones_asked_for_stay() -> None:
    cache = AwaitedCache(60, 10, size_of=len)

    async def text(of: str) -> str:
        return of

    for value in ("aaaa", "bbbb", "aaaa", "cccc", "d" * 11):
        assert await cache.get(value, lambda value=value: text(value)) == value
    assert [cache.known(key) for key in ("aaaa", "bbbb", "cccc", "d" * 11)] == [
        "aaaa",
        None,
        "cccc",
        None,
    ]
