"""One simulated worker: best first over the shards it owns, by what it has learned itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from focuscrawl.frontier import Candidate, Lease, MemoryFrontier, Outcome, State, failed, key_of
from focuscrawl.frontier.frontier_entries import Waiting
from focuscrawl.frontier.frontier_protocol import rescore_all
from focuscrawl.lab.workers.recorded_responses import RecordedResponse
from focuscrawl.pages.link import Link, Position
from focuscrawl.pages.registered_domains import is_below
from focuscrawl.policy.link_orders import ByStatistics
from focuscrawl.policy.online_learner import OnlineLearner
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail, site_of
from focuscrawl.policy.sparse_tunnel import IRRELEVANT_SITE, Tunnel, TunnelRules
from focuscrawl.policy.topical_crawl import IRRELEVANT, RELEVANT, JudgedPage, TopicalCrawl
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.topics import Topic

_SHARDS = 256
# As many as Scrapy's requests to a domain.
_SLOTS = 8


def shard_of(host: str) -> int:
    """Return the number of the shard that holds a host."""
    return key_of(host) % _SHARDS


class SimulatedWorker:
    """A worker with shards by number, and with the statistics and tunnel of its own pages.

    ``scorer`` and ``learner`` may be those of several workers. ``judged`` are links whose pages were
    judged and that the learner has not seen yet.
    """

    def __init__(
        self,
        topic: Topic,
        rules: TunnelRules,
        scorer: CachedScorer,
        learner: OnlineLearner,
        statistics: OnlineStatistics,
    ) -> None:
        self.shards: dict[int, MemoryFrontier] = {}
        self.statistics = statistics
        self.scorer = scorer
        self.learner = learner
        self.judged: list[tuple[Link, bool]] = []
        self._order = ByStatistics(statistics)
        self._crawl = TopicalCrawl(Tunnel(rules), self._order, statistics, topic.is_blacklisted)
        # Until a shard changes: most of the time would go into looking for the best URL.
        self._heads: dict[int, float | None] = {}
        self._best: float | None = None

    def best(self, now: float) -> float:
        """Return the score of its best waiting URL."""
        if self._best is None:
            self._best = max((score for _, score in self.heads(now)), default=-inf)
        return self._best

    def heads(self, now: float) -> Iterator[tuple[int, float]]:
        """Yield the best score of each shard with a URL that may be leased."""
        for number, frontier in self.shards.items():
            if number not in self._heads:
                self._heads[number] = frontier.best_score(now)
            if (score := self._heads[number]) is not None:
                yield number, score

    def lease(self, now: float) -> Lease:
        """Lease its best waiting URL; there must be one."""
        number, _ = max(self.heads(now), key=lambda head: head[1])
        (lease,) = self.shards[number].lease(1, now)
        self._has_changed(number)
        return lease

    def seed(self, url: str) -> Candidate:
        """Return a seed with its score."""
        scored = self.scorer.score([Link(url)])
        (score,) = self._order.scores("", True, scored)
        return _candidate(Trail(Link(url), ""), score, 0, 0)

    def receive(self, link: Candidate) -> None:
        """Add a link that another worker has found, as if it were one of its own pages'."""
        site = link.host
        frontier = self._frontier(site)
        trail, steps, _ = _read(link.url, link.payload)
        is_new = not frontier.known([link.key])
        waiting = self._waiting([site])[site] if is_new else 0
        if not self._crawl.tunnel.refusal(site, steps, waiting):
            frontier.push([link._replace(score=self._score([trail])[0])])

    def accept(self, link: Candidate) -> None:
        """Add a link with the score it has."""
        self._frontier(link.host).push([link])

    def read(self, lease: Lease, response: RecordedResponse | None) -> list[Candidate]:
        """End a lease; return the links of its page that are to be followed."""
        frontier = self._frontier(lease.host)
        trail, steps, depth = _read(lease.url, lease.payload)
        if response is None:
            frontier.ack(lease, outcome=failed("404"))
            self._crawl.failed(lease.url, trail)
            self._rescore_domain(lease.url)
            return []
        if response.location:
            frontier.ack(lease)
            if self._crawl.refusal_of_redirect(response.location):
                return []
            target = trail._replace(link=trail.link._replace(url=response.location))
            return [_candidate(target, lease.score + 1e-6, steps, depth)]
        frontier.ack(lease, outcome=Outcome(State.DONE, RELEVANT if response.is_relevant else IRRELEVANT))  # fmt: skip
        self.judged.append((trail.link, response.is_relevant))
        scored = self.scorer.score(response.links)
        page = JudgedPage(lease.url, trail, steps, depth, response.is_relevant, scored)
        choices = self._crawl.choose_links(page, self._known, self._waiting)
        if choices.is_site_given_up:
            frontier.drop_host(lease.host, IRRELEVANT_SITE)
        if self.statistics.is_due(lease.host):
            rescore_all(frontier, self._scores, host=lease.host)
        self._rescore_domain(lease.url)
        return [
            _candidate(Trail(link, lease.url), score, after, depth + 1)
            for link, score, after in choices.followed
        ]

    def rescore(self) -> None:
        """Score all waiting URLs again."""
        for frontier in self.shards.values():
            rescore_all(frontier, self._scores)
        self._has_changed(*self.shards)

    def best_of(self, links: Iterable[Candidate]) -> float | None:
        """Return the best score of the links that wait in its shards."""
        states = self._known([link.url for link in links])
        waits = (link.score for link in links if states.get(link.url) is State.WAITING)
        return max(waits, default=None)

    def _has_changed(self, *numbers: int) -> None:
        self._best = None
        for number in numbers:
            self._heads.pop(number, None)

    def _frontier(self, host: str) -> MemoryFrontier:
        """Return the shard of a host, which may be changed."""
        number = shard_of(host)
        self._has_changed(number)
        if number not in self.shards:
            self.shards[number] = MemoryFrontier(slots=_SLOTS)
        return self.shards[number]

    def _known(self, urls: Sequence[str]) -> dict[str, State]:
        found = {}
        for url in urls:
            frontier = self.shards.get(shard_of(site_of(url)))
            key = key_of(url)
            if frontier and (states := frontier.known([key])):
                found[url] = states[key]
        return found

    def _waiting(self, hosts: Sequence[str]) -> dict[str, int]:
        owned = [host for host in hosts if shard_of(host) in self.shards]
        return {host: self._frontier(host).counts([host]).hosts[host].waiting for host in owned}

    def _rescore_domain(self, url: str) -> None:
        if domain := self.statistics.changed_domain(site_of(url)):
            for frontier in self.shards.values():
                rescore_all(
                    frontier, self._scores, wanted=lambda entry: is_below(entry.host, domain)
                )
            self._has_changed(*self.shards)

    def _scores(self, waiting: Sequence[Waiting]) -> list[float]:
        return self._score([_read(entry.url, entry.payload)[0] for entry in waiting])

    def _score(self, trails: Sequence[Trail]) -> list[float]:
        scored = self.scorer.score([trail.link for trail in trails])
        pairs = zip(trails, scored, strict=True)
        return [self.statistics.score(trail, link.probability) for trail, link in pairs]


def _candidate(trail: Trail, score: float, steps: int, depth: int) -> Candidate:
    link = trail.link
    words = [trail.via, link.anchor, link.before, link.after, link.position]
    host = site_of(link.url)
    return Candidate.of(link.url, host, score, trail=words, steps=steps, depth=depth)


def _read(url: str, payload: Mapping[str, Any]) -> tuple[Trail, int, int]:
    via, anchor, before, after, position = payload["trail"]
    link = Link(url, anchor, before, after, position=Position(position))
    return Trail(link, via), payload["steps"], payload["depth"]
