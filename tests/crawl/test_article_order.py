"""The patterns of ``scrapy crawl article`` do not wait for each other."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping

import pytest

from focuscrawl.crawling.stream_merge import merged
from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.numbered.numbered_site import HOST, PATTERN, NumberedSite
from tests.crawl.conftest import TODAY, Crawler

SLOW = "slow.demo.test"


class SlowSite(NumberedSite):
    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path.startswith("/article"):
            time.sleep(2)
        return super().respond(path, query, headers)


def test_a_slow_site_does_not_delay_the_patterns_behind_it(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    crawl.spider = "article"
    options = {"today": TODAY, "big_mb": 0, "faults": False}
    web = demo(more_sites={SLOW: SlowSite(7, 5, **options), HOST: NumberedSite(7, 5, **options)})
    patterns = ",".join((PATTERN.replace(HOST, SLOW), PATTERN))
    done = crawl("-a", f"url={patterns}", "-a", "stop=5", "-a", "concurrency=4")
    assert done.count("new") == 10, done.err
    asked = [request.url for request in web.log if "/article/" in request.url]
    # After the numbers that cannot exist.
    numbers = [at for at, url in enumerate(asked) if HOST in url][2:]
    numbers_of_slow = [at for at, url in enumerate(asked) if SLOW in url][2:]
    assert numbers[0] < numbers_of_slow[-1]


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
