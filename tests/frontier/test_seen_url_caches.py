"""Cache policies against what they are by definition, and the simulation of traces."""

from __future__ import annotations

import gzip
import random
from collections import Counter, OrderedDict
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.frontier.seen_url_caches import (
    ClockCache,
    LruCache,
    RandomCache,
    SeenCache,
    StaticCache,
)
from focuscrawl.lab.url_caches.cache_simulation import (
    POLICIES,
    SIZES,
    Trace,
    count_misses,
    make_cache,
    read_trace,
    simulate,
)

URLS = st.lists(st.integers(0, 9), max_size=60)
CACHES = [LruCache, ClockCache, RandomCache]


def trace_of(urls: Sequence[int]) -> Trace:
    return Trace(str(url).encode() for url in urls)


def misses(policy: str, size: int, trace: Trace) -> int:
    return count_misses(make_cache(policy, size, trace), trace.links)


def least_misses(links: Sequence[int], size: int) -> int:
    """Return the misses of the best of all choices what to hold, found by trying all."""

    @cache
    def least(at: int, held: frozenset[int]) -> int:
        if at == len(links):
            return 0
        if links[at] in held:
            return least(at + 1, held)
        full = held | {links[at]}
        choices = [full] if len(full) <= size else [full - {gone} for gone in full]
        return 1 + min(least(at + 1, choice) for choice in choices)

    return least(0, frozenset())


@given(URLS, st.integers(1, 6))
def test_lru_is_an_ordered_dict(urls: list[int], size: int) -> None:
    held: OrderedDict[int, None] = OrderedDict()
    lru = LruCache(size)
    for url in urls:
        assert (lru.look(url) is not None) == (url in held)
        lru.keep(url, 1.0)
        held[url] = None
        held.move_to_end(url)
        if len(held) > size:
            held.popitem(last=False)


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


@given(st.lists(st.integers(0, 5), max_size=14), st.integers(1, 4))
def test_min_is_the_best_that_can_be_had(urls: list[int], size: int) -> None:
    trace = trace_of(urls)
    assert misses("MIN", size, trace) == least_misses(tuple(trace.links), size)


@given(URLS, st.integers(1, 12))
def test_nothing_misses_less_than_min_nor_min_less_than_infinite(
    urls: list[int], size: int
) -> None:
    trace = trace_of(urls)
    found = {policy: misses(policy, size, trace) for policy in POLICIES}
    assert found["INFINITE"] == trace.distinct == len(set(urls))
    assert found["INFINITE"] <= found["MIN"] == min(found[name] for name in POLICIES[1:])


@given(URLS, st.integers(1, 6))
def test_static_holds_the_most_popular(urls: list[int], size: int) -> None:
    counts = sorted(Counter(urls).values(), reverse=True)
    assert misses("STATIC", size, trace_of(urls)) == len(urls) - sum(n - 1 for n in counts[:size])


@pytest.mark.parametrize("kind", CACHES)
@given(urls=URLS, size=st.integers(1, 6))
def test_no_more_is_held_than_was_said(kind: type[LruCache], urls: list[int], size: int) -> None:
    held = kind(size)
    for url in urls:
        if held.look(url) is None:
            held.keep(url, float(url))
    found = [url for url in range(10) if held.look(url) is not None]
    assert len(found) == min(size, len(set(urls)))
    assert [held.look(url) for url in found] == found


@pytest.mark.parametrize("held", [LruCache(2), ClockCache(2), RandomCache(2), StaticCache({1, 2})])
def test_numbers_can_be_replaced(held: SeenCache) -> None:
    held.keep(1, 1.0)
    held.replace(1, 5.0)
    held.replace(2, 7.0)
    assert (held.look(1), held.look(2)) == (5.0, None)
    held.keep(1, 6.0)
    assert held.look(1) == 6.0
    assert (held.hits, held.misses) == (2, 1)


def test_simulation_is_what_the_caches_do() -> None:
    dice = random.Random(1)
    trace = trace_of([min(int(dice.paretovariate(0.7)), 500) for _ in range(4000)])
    points = {(point.policy, point.size): point.misses for point in simulate(trace)}
    assert list(points) == [(policy, size) for policy in POLICIES for size in SIZES]
    for policy in POLICIES:
        assert points[policy, 64] == misses(policy, 64, trace)
        assert points[policy, 1 << 20] == trace.distinct
        by_size = [points[policy, size] for size in SIZES]
        if policy in {"MIN", "LRU", "STATIC"}:
            assert by_size == sorted(by_size, reverse=True)


def test_traces_are_read_plain_or_gzipped(tmp_path: Path) -> None:
    text = b"http://a/\r\nhttp://b/\n\n  http://a/\nhttp://c/"
    plain, packed = tmp_path / "trace", tmp_path / "trace2"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    for path in (plain, packed):
        assert list(read_trace(path).links) == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "No such file"),
        (b"\n \n", "has no URLs"),
        (gzip.compress(b"http://a/\n" * 99, mtime=0)[:-12], "end-of-stream"),
        (b"\x1f\x8bno gzip at all", "cannot read"),
    ],
)
def test_a_broken_trace_gets_a_sentence(tmp_path: Path, content: bytes | None, part: str) -> None:
    path = tmp_path / "trace"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ArgumentError, match=part) as caught:
        read_trace(path)
    assert "\n" not in str(caught.value)
