from __future__ import annotations

from pathlib import Path

from focuscrawl.lab.workers.work_division import Division
from focuscrawl.lab.workers.worker_lab import WorkerLab, simulate_all
from focuscrawl.scheduling.eagerness import Eagerness
from tests.lab.workers.small_crawls import TOPIC, circle, host_of_worker


def test_outcomes_are_of_every_set_and_division(tmp_path: Path) -> None:
    hosts = [host_of_worker(number, 2) for number in range(2)]
    web = circle(hosts)
    truth = {url: "post" in url for url in web}
    lab = WorkerLab(TOPIC, tmp_path, truth, web, 20, lambda: Eagerness(1.0))
    seeds = {"x": [f"http://{hosts[0]}/"], "y": [f"http://{hosts[1]}/"]}
    divisions = [Division(), Division(2, 2, shared=frozenset({"learner"}))]
    found = simulate_all(lab, seeds, divisions)
    assert [outcome.seeds for outcome in found] == ["x", "x", "y", "y"]
    assert [outcome.variant for outcome in found[:2]] == [
        "1 worker", "2 workers, every 1, margin 0, learner (4 at once)",
    ]  # fmt: skip
    assert all(
        (outcome.topic, outcome.targets, outcome.pages, len(outcome.hits), outcome.seconds > 0)
        == ("nets", 10, 12, 10, True)
        for outcome in found
    )
