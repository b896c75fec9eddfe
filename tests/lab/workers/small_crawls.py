"""Webs of a few pages, workers without a trained model, and shards by number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from focuscrawl.lab.workers.recorded_responses import RecordedResponse
from focuscrawl.lab.workers.simulated_worker import SimulatedWorker, shard_of
from focuscrawl.pages.link import Link
from focuscrawl.policy.online_learner import OnlineLearner
from focuscrawl.policy.online_statistics import OnlineStatistics
from focuscrawl.policy.sparse_tunnel import TunnelRules
from focuscrawl.scoring.lexicon_scorer import LexiconScorer
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.topics import Topic
from focuscrawl.topics.topic_model import PageRule

TOPIC = Topic(
    name="nets",
    lexicon={"神经网络": 3, "梯度下降": 3},
    seeds=["http://a.test/"],
    positive_domains=["nets.test"],
    negative_domains=["food.test"],
    page_rule=PageRule(),
)


def worker(patience: int = 20) -> SimulatedWorker:
    scorer = CachedScorer(LexiconScorer(TOPIC))
    rules = TunnelRules(patience=patience)
    return SimulatedWorker(TOPIC, rules, scorer, OnlineLearner(scorer), OnlineStatistics())


def page(*links: str, relevant: bool = False) -> RecordedResponse:
    return RecordedResponse([Link(url) for url in links], relevant)


def host_of_worker(number: int, workers: int) -> str:
    """Return a host whose shard belongs to a worker."""
    names = (f"h{count}.test" for count in range(1000))
    return next(name for name in names if shard_of(name) % workers == number)


def circle(hosts: Iterable[str], posts: int = 5) -> Mapping[str, RecordedResponse]:
    """Return hosts whose homes link to the next host and to posts of their own; all are relevant."""
    names = list(hosts)
    web = {}
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        urls = [f"http://{name}/post/{number}" for number in range(posts)]
        web[f"http://{name}/"] = page(f"http://{following}/", *urls, relevant=True)
        web |= {url: page(relevant=True) for url in urls}
    return web
