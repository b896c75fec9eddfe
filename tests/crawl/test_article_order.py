"""The patterns of ``scrapy crawl article`` do not wait for each other."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Mapping

import pytest

from focuscrawl.crawling.stream_merge import merged
from focuscrawl.demo import DemoServer, DemoWeb, Response
from focuscrawl.demo.demo_server import ADDRESS
from focuscrawl.demo.numbered_site import HOST, PATTERN, NumberedSite
from tests.crawl.conftest import TODAY, Crawler

LAST = 5
LONGEST_WAIT = 60


class FastSite(NumberedSite):
    """Sets ``has_ended`` when its last number is requested."""

    has_ended = threading.Event()

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == f"/article/{LAST}.htm":
            self.has_ended.set()
        return super().respond(path, query, headers)


class SlowSite(NumberedSite):
    """Holds back its first article until the other site has ended; blocks the thread of its server."""

    timed_out = False

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/article/1.htm":
            self.timed_out = not FastSite.has_ended.wait(LONGEST_WAIT)
        return super().respond(path, query, headers)


def test_a_slow_site_does_not_delay_the_patterns_behind_it(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    crawl.spider = "article"
    FastSite.has_ended.clear()
    options = {"today": TODAY, "big_mb": 0, "faults": False}
    slow = SlowSite(7, LAST, **options)
    demo(more_sites={HOST: FastSite(7, LAST, **options)})
    with DemoServer(DemoWeb(7, 1, TODAY, more_sites={ADDRESS: slow})) as server:
        crawl.environment["no_proxy"] = ADDRESS
        patterns = f"{PATTERN.replace(HOST, f'{ADDRESS}:{server.port}')},{PATTERN}"
        settings = ("-s", f"DOWNLOAD_TIMEOUT={2 * LONGEST_WAIT}")
        done = crawl(
            "-a", f"url={patterns}", "-a", f"stop={LAST}", "-a", "concurrency=16", *settings
        )
    assert done.count("new") == 2 * LAST, done.err
    assert not slow.timed_out


async def test_streams_are_merged_as_they_come_and_the_first_error_ends_all() -> None:
    async def stream(name: str, count: int, *, fails: bool = False) -> AsyncIterator[str]:
        for number in range(count):
            yield f"{name}{number}"
        if fails:
            raise OSError(name)

    found = [value async for value in merged([stream("a", 3), stream("b", 1), stream("c", 0)])]
    assert sorted(found) == ["a0", "a1", "a2", "b0"]
    assert [value for value in found if value.startswith("a")] == ["a0", "a1", "a2"]
    with pytest.raises(OSError, match="b"):
        _ = [value async for value in merged([stream("a", 9), stream("b", 1, fails=True)])]
