"""Rounds of exchange beside a crawl: when they happen, and what a server that is away costs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from focuscrawl.errors import FrontierError
from focuscrawl.pages.link import Link
from focuscrawl.policy.crawl_state import CrawlState
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail
from focuscrawl.policy.shared_learner import SharedLearner
from focuscrawl.policy.shared_learning import Changed
from focuscrawl.policy.sparse_tunnel import Tunnel, TunnelRules
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.workers.worker_learning import WorkerLearning
from tests.policy.shared_workers import MemoryLearningLog


class Server(MemoryLearningLog):
    """A log on a server that can be away."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.threads: set[int] = set()

    def append(self, text: str) -> str:
        appended = super().append(text)
        self._check()
        return appended

    def read(self, after: str, most: int) -> Sequence[tuple[str, str]]:
        self._check()
        return super().read(after, most)

    def _check(self) -> None:
        self.threads.add(threading.get_ident())
        if self.is_away:
            raise FrontierError("the server is away")


class Crawl:
    """One worker's crawl, with a clock that is set by hand."""

    def __init__(self, log: MemoryLearningLog) -> None:
        self.now = 0.0
        self.changes: list[Changed] = []
        self.state = CrawlState(Tunnel(TunnelRules()), OnlineStatistics())
        self.learner = SharedLearner(CachedScorer(LinkClassifier(LinkFeatures(()))))
        self.sharing = WorkerLearning(
            log, self.state, self.learner, self.changes.append, clock=lambda: self.now
        )

    async def judge(self, number: int) -> None:
        link = Link(f"http://n{number}.test/", "神经网络")
        self.state.judged(link.url, Trail(link, ""), number % 2 == 0)
        self.learner.add(link, number % 2 == 0)
        self.sharing.page_judged()
        await self.settled()

    async def settled(self) -> None:
        """Wait for a round that has begun."""
        if self.sharing._task:
            await asyncio.wait([self.sharing._task])

    @property
    def pages(self) -> int:
        return len(self.state.counts()["sites"])


@pytest.fixture
def log() -> Server:
    return Server()


async def test_pages_are_shared_every_64_and_after_5_seconds(log: Server) -> None:
    crawl = Crawl(log)
    await crawl.sharing.begin()
    lengths = []
    for number in range(130):
        await crawl.judge(number)
        lengths.append(len(log))
    assert [n + 1 for n in range(1, 130) if lengths[n] > lengths[n - 1]] == [64, 128]
    crawl.now = 5.0
    await crawl.judge(130)
    assert len(log) == 3
    await crawl.judge(131)
    assert len(log) == 3
    await crawl.sharing.close()
    assert len(log) == 4
    assert threading.get_ident() not in log.threads


async def test_the_second_start_of_a_crawl_knows_what_the_first_has_learned(log: Server) -> None:
    first = Crawl(log)
    for number in range(10):
        await first.judge(number)
    await first.sharing.close()
    second = Crawl(log)
    await second.sharing.begin()
    assert second.state.counts() == first.state.counts()
    assert second.pages == 10


async def test_others_are_told_when_the_links_of_all_workers_have_trained_them(log: Server) -> None:
    one, other = Crawl(log), Crawl(log)
    for number in range(64):
        await one.judge(number)
    for number in range(64, 127):
        await other.judge(number)
    assert not any(changed.is_trained for changed in other.changes)
    await other.judge(127)
    assert [changed.is_trained for changed in one.changes + other.changes] == [False, True]


async def test_deltas_wait_for_a_server_that_is_away(
    log: Server, caplog: pytest.LogCaptureFixture
) -> None:
    crawl, reader = Crawl(log), Crawl(log)
    log.is_away = True
    for number in range(200):
        await crawl.judge(number)
    assert "what was learned is shared later: the server is away" in caplog.text
    log.is_away = False
    await crawl.sharing.close()
    await reader.sharing.begin()
    # Some were appended more than once: the server failed after it had written.
    assert len(log) > 4
    assert reader.state.counts() == crawl.state.counts()


async def test_a_crawl_that_cannot_read_the_log_does_not_begin(log: Server) -> None:
    log.is_away = True
    with pytest.raises(FrontierError, match="away"):
        await Crawl(log).sharing.begin()
    log.is_away = False
    log.append('{"something": "else"}')
    with pytest.raises(FrontierError, match="another version"):
        await Crawl(log).sharing.begin()
