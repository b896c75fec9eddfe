"""Outcomes of simulated crawls, for every set of seeds and division of the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from focuscrawl.lab.crawl_conditions import Condition
from focuscrawl.lab.crawl_outcomes import Outcome, outcome_of
from focuscrawl.lab.workers.recorded_responses import RecordedResponse
from focuscrawl.lab.workers.simulated_crawl import Eagerness, SimulatedCrawl
from focuscrawl.lab.workers.simulated_worker import SimulatedWorker
from focuscrawl.lab.workers.work_division import LEARNER, Division
from focuscrawl.policy.online_learner import OnlineLearner
from focuscrawl.policy.online_statistics import OnlineStatistics
from focuscrawl.policy.sparse_tunnel import TunnelRules
from focuscrawl.scoring.model_files.scorer_loading import load_scorer
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.topics import Topic


class WorkerLab(NamedTuple):
    """Parameters shared by all simulated crawls; ``eager`` returns the eagerness of a worker."""

    topic: Topic
    models: Path
    truth: Mapping[str, bool]
    web: Mapping[str, RecordedResponse]
    budget: int
    eager: Callable[[], Eagerness]


def simulate_all(
    lab: WorkerLab,
    seed_sets: Mapping[str, Sequence[str]],
    divisions: Sequence[Division],
    step: Callable[[str], None] = lambda _: None,
) -> list[Outcome]:
    """Return one outcome for each set of seeds and division; ``step`` is called after each."""
    found = []
    for (name, urls), division in product(seed_sets.items(), divisions):
        found.append(_outcome(lab, name, urls, division))
        step(f"{division} from {name}")
    return found


def _outcome(lab: WorkerLab, name: str, urls: Sequence[str], division: Division) -> Outcome:
    crawl = SimulatedCrawl(_workers(lab, division), division, lab.web, lab.eager)
    run = crawl.run(urls, lab.budget)
    outcome = outcome_of(lab.topic.name, name, str(division), run.urls, lab.truth)
    requests = division.workers * division.requests
    return outcome._replace(condition=Condition(requests), seconds=run.seconds)


def _workers(lab: WorkerLab, division: Division) -> list[SimulatedWorker]:
    count = 1 if LEARNER in division.shared else division.workers
    scorers = [CachedScorer(load_scorer(lab.topic, lab.models)) for _ in range(count)]
    learners = [OnlineLearner(scorer) for scorer in scorers]
    return [
        SimulatedWorker(
            lab.topic,
            TunnelRules(),
            scorers[number % count],
            learners[number % count],
            OnlineStatistics(),
        )
        for number in range(division.workers)
    ]
