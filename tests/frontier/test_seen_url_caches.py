"""The cache against what it is by definition, and the simulation of traces."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.frontier.seen_url_caches import ClockCache, LockedCache
from focuscrawl.lab.cache_simulation import SIZES, opened_trace, simulate

URLS = st.lists(st.integers(0, 9), max_size=60)


class Clock:
    """CLOCK as it is told: a hand that goes from slot to slot."""

    def __init__(self, size: int) -> None:
        self.slots: list[list[int]] = []
        self.size = size
        self.hand = 0

    def asks_disk(self, url: int) -> bool:
        for slot in self.slots:
            if slot[0] == url:
                slot[1] = 1
                return False
        if len(self.slots) < self.size:
            self.slots.append([url, 1])
            return True
        while self.slots[self.hand][1]:
            self.slots[self.hand][1] = 0
            self.hand = (self.hand + 1) % self.size
        self.slots[self.hand] = [url, 1]
        self.hand = (self.hand + 1) % self.size
        return True


@given(URLS, st.integers(1, 6))
def test_clock_has_a_hand(urls: list[int], size: int) -> None:
    clock, told = ClockCache(size), Clock(size)
    for url in urls:
        is_miss = clock.look(url) is None
        assert is_miss == told.asks_disk(url)
        if is_miss:
            clock.keep(url, 1.0)
    assert clock.hits + clock.misses == len(urls)


@given(URLS, st.integers(1, 6))
def test_no_more_is_held_than_was_said(urls: list[int], size: int) -> None:
    held = ClockCache(size)
    for url in urls:
        if held.look(url) is None:
            held.keep(url, float(url))
    found = [url for url in range(10) if held.look(url) is not None]
    assert len(found) == min(size, len(set(urls)))
    assert [held.look(url) for url in found] == found


@pytest.mark.parametrize("held", [ClockCache(2), LockedCache(2)])
def test_numbers_can_be_replaced(held: ClockCache) -> None:
    held.keep(1, 1.0)
    held.replace(1, 5.0)
    held.replace(2, 7.0)
    assert (held.look(1), held.look(2)) == (5.0, None)
    held.keep(1, 6.0)
    assert held.look(1) == 6.0
    assert (held.hits, held.misses) == (2, 1)


def test_simulation_is_what_the_caches_do() -> None:
    dice = random.Random(1)
    links = [min(int(dice.paretovariate(0.7)), 500) for _ in range(4000)]
    found = simulate(str(number).encode() for number in links)
    assert (found.links, found.distinct) == (4000, len({*links}))
    assert list(found.misses) == SIZES
    alone = ClockCache(64)
    for number in links:
        if alone.look(number) is None:
            alone.keep(number, 0.0)
    assert found.misses[64] == alone.misses > found.distinct
    assert found.misses[1 << 20] == found.distinct


def test_traces_are_read_plain_or_gzipped(tmp_path: Path) -> None:
    text = b"http://a/\r\nhttp://b/\n\n  http://a/\nhttp://c/"
    plain, packed = tmp_path / "trace", tmp_path / "trace2"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    for path in (plain, packed):
        shares: list[float] = []
        with opened_trace(path, shares.append) as lines:
            found = simulate(lines, [64])
        assert found == (4, 3, {64: 3})
        assert shares
        assert 0 <= shares[0] <= 1


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "No such file"),
        (gzip.compress(b"http://a/\n" * 99, mtime=0)[:-12], "end-of-stream"),
        (b"\x1f\x8bno gzip at all", "cannot read"),
    ],
)
def test_a_broken_trace_gets_a_sentence(tmp_path: Path, content: bytes | None, part: str) -> None:
    path = tmp_path / "trace"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ArgumentError, match=part) as caught, opened_trace(path) as lines:
        simulate(lines)
    assert "\n" not in str(caught.value)
