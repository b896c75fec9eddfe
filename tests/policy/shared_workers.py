"""Workers that share what they learn by a log, and pages for them to judge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from focuscrawl.pages.link import Link
from focuscrawl.policy.crawl_state import CrawlState
from focuscrawl.policy.learning_log import LearningExchange, LearningLog
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail
from focuscrawl.policy.shared_learner import SharedLearner
from focuscrawl.policy.shared_learning import SharedLearning
from focuscrawl.policy.sparse_tunnel import Mode, Tunnel, TunnelRules
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.score_cache import CachedScorer

WORDS = ("神经网络", "红烧排骨", "梯度下降", "周末爬山")
HOSTS = ("a.test", "b.test", "n1.c.test", "n2.c.test", "n3.d.c.test")
RULES = TunnelRules(Mode.SPARSE_TUNNEL, entries=3, patience=2)
TRAINING = [(Link(f"http://z.test/{n}", WORDS[n % 4]), n % 2 == 0) for n in range(24)]
HOSTS_OF_TRAINING = [f"{n % 5}.z.test" for n in range(24)]


class MemoryLearningLog:
    """A log in memory, for the workers of one process."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}
        self._last = 0

    def append(self, text: str) -> str:
        """Append a text; return its id."""
        self._last += 1
        self._texts[self._last] = text
        return str(self._last)

    def read(self, after: str, most: int) -> Sequence[tuple[str, str]]:
        """Return ids and texts after an id, in order, at most that many."""
        later = ((str(id), text) for id, text in self._texts.items() if id > int(after or 0))
        return list(islice(later, most))

    def trim(self, last: str) -> None:
        """Delete the texts up to an id, including it."""
        self._texts = {id: text for id, text in self._texts.items() if id > int(last)}

    def __len__(self) -> int:
        return len(self._texts)


class Judged(NamedTuple):
    """A page, and whether it is relevant; None for one that could not be fetched."""

    url: str
    trail: Trail
    verdict: bool | None


class Worker:
    """A worker that shares what it learns by a log."""

    def __init__(self, name: str, log: LearningLog, short: int = 10**6) -> None:
        self.state = CrawlState(Tunnel(RULES), OnlineStatistics())
        features = LinkFeatures(WORDS)
        # With hosts, the counts that training adds to are fractions.
        self.classifier = LinkClassifier(features).fit(
            *zip(*TRAINING, strict=True), HOSTS_OF_TRAINING
        )
        self.scorer = CachedScorer(self.classifier)
        self.learner = SharedLearner(self.scorer)
        self.learning = SharedLearning(name, self.state, self.learner)
        self.exchange = LearningExchange(log, name, short=short)

    def judge(self, page: Judged) -> None:
        if page.verdict is None:
            self.state.failed(page.url, page.trail)
            return
        self.state.judged(page.url, page.trail, page.verdict)
        self.learner.add(page.trail.link, page.verdict)

    def share(self) -> None:
        entries = self.exchange.round(self.learning.take_delta())
        self.learning.add_deltas(entries, self.exchange.waiting)

    def weights(self) -> dict[str, float]:
        """Return the weights of all links up to now, and the bias."""
        self.learner.train()
        return {**self.classifier.model.weights, "": self.classifier.model.bias}


def page(host: str, number: int, via: str, word: int, verdict: bool | None) -> Judged:
    url = f"http://{host}/posts/{number % 3}/{number}"
    anchor = "友情链接" if number % 7 == 0 else f"{WORDS[word]} {number % 4}"
    return Judged(url, Trail(Link(url, anchor), f"http://{via}/"), verdict)


def known(worker: Worker) -> tuple[object, ...]:
    """Return all that a worker has learned."""
    trails = [
        page(host, number, via, 0, True).trail
        for host in (*HOSTS, "new.c.test")
        for number in range(8)
        for via in HOSTS
    ]
    statistics = worker.state.statistics
    assert statistics
    return (
        worker.state.counts(),
        worker.weights(),
        worker.state.tunnel.sites(),
        [worker.state.tunnel.refusal(host, 0, 3) for host in HOSTS],
        [worker.state.traps.refusal(trail.link.url, 1) for trail in trails],
        [statistics.score(trail, 0.3) for trail in trails],
    )


def alone(pages: Sequence[Judged]) -> Worker:
    worker = Worker("alone", MemoryLearningLog())
    for judged in pages:
        worker.judge(judged)
    return worker


def crawl(
    pages: Sequence[Judged], workers: Sequence[Worker], chance: random.Random, rounds: float = 0.2
) -> None:
    """Let workers judge the pages, each at random, and share what they learn now and then."""
    for judged in pages:
        chance.choice(workers).judge(judged)
        if chance.random() < rounds:
            chance.choice(workers).share()


def some_pages(count: int, seed: int = 0) -> list[Judged]:
    chance = random.Random(seed)

    def some_page() -> Judged:
        hosts, verdict = chance.choices(HOSTS, k=2), chance.choice([True, False, False, None])
        return page(hosts[0], chance.randrange(30), hosts[1], chance.randrange(4), verdict)

    return [some_page() for _ in range(count)]
