"""``kill -9`` at any moment: every URL is there once, what was acknowledged stays so."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.frontier import State, read_frontier
from tests.frontier.numbered_web import PAGES, links_of, page_key

CRAWLER = """
import random, sys
from pathlib import Path
from focuscrawl.frontier import Ack, SqliteFrontier
from tests.frontier.numbered_web import PAGES, links_of, seed

frontier = SqliteFrontier(Path(sys.argv[1]), slots=3, window=4, budget=40)
dice = random.Random(int(sys.argv[2]))
print("recovered", frontier.recovered, flush=True)
frontier.push([seed()])
now = float(sys.argv[2])
flying = []
while frontier.waiting or flying:
    now += 1
    flying += frontier.lease(dice.randrange(1, 9), now)
    dice.shuffle(flying)
    ending = [flying.pop() for _ in range(dice.randrange(len(flying) + 1))]
    for lease in [lease for lease in ending if dice.random() < 0.1]:
        ending.remove(lease)
        frontier.retry(lease, now + 1) if dice.random() < 0.5 else frontier.release(lease)
    acks = [Ack(lease, links_of(lease.payload["n"])) for lease in ending]
    frontier.ack_many(acks)
    print(*(f"acked {ack.lease.payload['n']}\\n" for ack in acks), sep="", end="", flush=True)
print("end", flush=True)
frontier.close()
"""


def crawl(path: Path, run: int, seconds: float | None) -> list[str]:
    """Crawl till the end, or kill the crawl so long after its start; return what it said."""
    command = [sys.executable, "-c", CRAWLER, str(path), str(run * 100_000)]
    crawler = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert crawler.stdout
    said = [crawler.stdout.readline()] if seconds != 0 else []
    if seconds is not None:
        time.sleep(seconds)
        os.kill(crawler.pid, signal.SIGKILL)
    said += crawler.stdout.read().splitlines(keepends=True)
    crawler.stdout.close()
    assert crawler.wait() in ({0} if seconds is None else {0, -signal.SIGKILL})
    return [line.strip() for line in said if line.endswith("\n")]


def acked(said: list[str]) -> list[int]:
    return [int(line.split()[1]) for line in said if line.startswith("acked")]


def check_file(path: Path, ended: set[int]) -> int:
    """Check what a killed crawl has left; return how many leases it held."""
    with read_frontier(path) as reader:
        states = reader.known(map(page_key, range(PAGES)))
        done = {n for n in range(PAGES) if states.get(page_key(n)) is State.DONE}
        assert ended <= done
        for number in done:
            assert all(link.key in states for link in links_of(number))
        total = reader.counts().total()
        assert total.done == len(done)
        assert total.waiting + total.leased == len(states) - len(done)
    with closing(sqlite3.connect(path)) as connection:
        (urls,) = connection.execute("SELECT count(DISTINCT url) FROM urls").fetchone()
        assert urls == len(states)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return total.leased


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_lost_and_nothing_comes_twice(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "frontier.sqlite"
    dice = random.Random(seed)
    ended: list[int] = []
    leased = 0
    for run in range(4):
        said = crawl(path, run, dice.choice([0.02, 0.1, 0.3]))
        assert said[:1] == [f"recovered {leased}"]
        ended += acked(said)
        leased = check_file(path, set(ended))
        # Killed again while it starts.
        crawl(path, run, 0)
        leased = check_file(path, set(ended))
    said = crawl(path, 9, None)
    assert said[0] == f"recovered {leased}"
    assert said[-1] == "end"
    ended += acked(said)
    assert len(ended) == len(set(ended))
    assert check_file(path, set(range(PAGES))) == 0
