"""Workers of a crawl over a web of numbers, in processes that are killed, stopped, or lose their server."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from focuscrawl.frontier import Candidate
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import connect
from focuscrawl.workers.shard_rows import ShardReader
from tests.servers.redis_server import RedisServer

PAGES = 1500
HOSTS = 61
LEASE_SECONDS = 1.5
_DEADLINE = 300.0


def page(number: int, score: float) -> Candidate:
    host = f"www{number % HOSTS}.example"
    return Candidate.of(f"http://{host}/{number}", host, score, n=number)


def links_of(number: int, pages: int = PAGES) -> list[Candidate]:
    targets = [2 * number + 1, 2 * number + 2, 7 * number + 3, number // 2, 0]
    return [page(to, (to * number % 97) / 10) for to in targets if to < pages]


def work(url: str, seed: int, pages: int, calm: Path) -> None:
    """Crawl until nothing waits anywhere; print each lease and each end.

    Until the file ``calm`` exists, the last page in flight is not ended, so that the crawl is not over:
    a worker that starts afterwards would begin it again.
    """
    from focuscrawl.errors import FrontierUnavailableError
    from focuscrawl.frontier import Ack, NotLeasedError
    from focuscrawl.workers.crawl_membership import open_crawl

    dice = random.Random(seed)
    frontier = None
    while frontier is None:
        with suppress(FrontierUnavailableError):
            frontier = open_crawl(url, "kills", arguments={}, slots=3, lease_seconds=LEASE_SECONDS)
    recovered = 0
    flying = []
    is_seeded = False
    while True:
        try:
            frontier.tend()
            if frontier.recovered > recovered:
                say("recovered", frontier.recovered - recovered)
                recovered = frontier.recovered
            if not is_seeded:
                frontier.push([page(0, 0.0)])
                is_seeded = True
            leases = frontier.lease(dice.randrange(1, 6), time.time())
            say("leased", *(lease.payload["n"] for lease in leases))
            flying += leases
            for lease in leases[: dice.randrange(3)]:
                frontier.mark_silent(lease)
            time.sleep(dice.random() * 0.01)
            dice.shuffle(flying)
            most = len(flying) + 1 if calm.exists() else max(1, len(flying))
            for lease in flying[: dice.randrange(most)]:
                frontier.process(lease)
                frontier.ack_many([Ack(lease, links_of(lease.payload["n"], pages))])
                flying.remove(lease)
                say("ended", lease.payload["n"])
            if not (frontier.waiting or flying) and frontier.is_over():
                break
        except FrontierUnavailableError:
            time.sleep(0.1)
        except NotLeasedError:
            flying = [lease for lease in flying if lease.seq in frontier._memory.leased]
    with suppress(FrontierUnavailableError):
        frontier.close()
    say("over")


def say(*words: object) -> None:
    if len(words) > 1 or words == ("over",):
        print(*words, flush=True)


@dataclass
class Worker:
    """A process, and what it has said."""

    process: subprocess.Popen[bytes]
    output: Path

    def numbers(self, word: str) -> list[int]:
        """Return the pages of its lines that begin with a word."""
        lines = self.output.read_text().splitlines(keepends=True)
        found = (line.split() for line in lines if line.endswith("\n"))
        return [int(number) for first, *numbers in found if first == word for number in numbers]

    @property
    def has_ended(self) -> bool:
        """True if it has seen the end of the crawl."""
        return self.output.read_text().endswith("over\n")


@dataclass
class Crawl:
    """A crawl by some workers, to which something happens in each round."""

    server: RedisServer
    dice: random.Random
    pages: int
    workers: list[Worker] = field(default_factory=list)
    dead: list[Worker] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)

    @property
    def _calm(self) -> Path:
        return self.server.folder / "calm"

    def start(self) -> None:
        """Start one more worker."""
        code = (
            "import sys, pathlib; from tests.workers.worker_kills import work;"
            " work(sys.argv[1], *map(int, sys.argv[2:4]), pathlib.Path(sys.argv[4]))"
        )
        command = [
            sys.executable,
            "-c",
            code,
            self.server.url,
            str(self.dice.randrange(10**6)),
            str(self.pages),
            str(self._calm),
        ]
        output = self.server.folder / f"worker-{len(self.workers + self.dead)}"
        with output.open("wb") as stream:
            self.workers.append(Worker(subprocess.Popen(command, stdout=stream), output))

    def disturb(self) -> None:
        """Kill or stop a worker, or restart the server."""
        event = self.dice.choice(["kill", "kill", "stop", "restart"])
        self.events[event] += 1
        worker = self.dice.choice(self.workers)
        if event == "kill":
            worker.process.kill()
            worker.process.wait()
            self.workers.remove(worker)
            self.dead.append(worker)
            self.start()
        elif event == "stop":
            worker.process.send_signal(signal.SIGSTOP)
            time.sleep(LEASE_SECONDS * 1.5)
            worker.process.send_signal(signal.SIGCONT)
        else:
            self.server.stop()
            time.sleep(0.3)
            self.server.start()

    def finish(self) -> None:
        """Let the crawl end, and wait until all workers say that it is over."""
        self._calm.touch()
        until = time.monotonic() + _DEADLINE
        while any(worker.process.poll() is None for worker in self.workers):
            assert time.monotonic() < until, "the crawl does not end"
            time.sleep(0.1)

    def ended(self) -> Counter[int]:
        """Return how often each page was ended."""
        return Counter(
            number for worker in self.workers + self.dead for number in worker.numbers("ended")
        )

    def states(self) -> Counter[str]:
        """Return the number of pages by state on the server, which must be running."""
        calls = connect(self.server.url)
        pages = [page(number, 0.0) for number in range(self.pages)]
        hosts = {found.key: found.host for found in pages}
        states = ShardReader(calls, CrawlKeys("kills")).known(hosts, hosts)
        calls.close()
        return Counter(str(states.get(key, "unknown")) for key in hosts)

    def in_flight(self) -> int:
        """Return how many pages were in flight when workers were killed, or lost their shards."""
        workers = self.workers + self.dead
        return sum(sum(worker.numbers("recovered")) for worker in workers)


def crawl_through(
    server: RedisServer, rounds: int, seed: int, workers: int = 3, pages: int = PAGES
) -> Crawl:
    """Crawl the web while something happens ``rounds`` times."""
    crawl = Crawl(server, random.Random(seed), pages)
    try:
        for _ in range(workers):
            crawl.start()
        for _ in range(rounds):
            time.sleep(0.3 + crawl.dice.random())
            crawl.disturb()
        crawl.finish()
    finally:
        for worker in crawl.workers:
            worker.process.kill()
    return crawl
