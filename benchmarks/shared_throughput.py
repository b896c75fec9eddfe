"""Pages per second and CPU time per page: a SQLite frontier, one worker, two workers, in one run.

    python benchmarks/shared_throughput.py [--workers 0,1,2] [--pages 1000] [--text main] [--pin both]

Each crawl is ``scrapy crawl tunnel`` on the recorded blogs, replayed inside Scrapy, with a MariaDB for
its records: with 0 workers a process with a frontier in SQLite, else so many processes with a Valkey.

For main texts, each worker has a process per core that reads pages, so a single worker uses the whole machine, and a
second one on it can gain little. So the crawls are made twice: with all cores for all, and with one core for
each worker and its readers (``--pin no``, ``yes`` or ``both``), as if each had a machine. The servers may use all.

Pages are counted in the database. The first fifth is not measured, so that start-up and the division of the
hosts are left out, and nothing after the last page. ``idle`` is the share of the time in which the
main thread of a worker neither ran nor waited for a core. The CPU time of a worker includes its readers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import redis  # noqa: E402
from shared_crawl import SharedCrawl, started_servers  # noqa: E402

_TICKS = os.sysconf("SC_CLK_TCK")
_PAUSE = 0.25


class Sample(NamedTuple):
    """State at a moment: stored pages, seconds of CPU by process, idle seconds by worker."""

    at: float
    pages: int
    cpu: dict[str, float]
    idle: dict[str, float]

    def since(self, first: Sample) -> Sample:
        """Return the differences to an earlier sample."""
        return Sample(
            self.at - first.at,
            self.pages - first.pages,
            {name: value - first.cpu[name] for name, value in self.cpu.items()},
            {name: value - first.idle[name] for name, value in self.idle.items()},
        )


def cpu_seconds(pid: int) -> float:
    """Return user and system time of a process and of those that it has started."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    # The last two are those of children that have ended.
    return sum(map(int, fields[11:15])) / _TICKS + sum(map(cpu_seconds, children(pid)))


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def idle_seconds(pid: int, now: float) -> float:
    """Return the time that the main thread of a process has slept, up to a constant."""
    running, queued, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    return now - (int(running) + int(queued)) / 1e9


def sample(
    crawl: SharedCrawl, workers: Mapping[str, int], servers: Mapping[str, int]
) -> Sample | None:
    """Return the present state, None if a worker has ended."""
    now = time.monotonic()
    try:
        cpu = {name: cpu_seconds(pid) for name, pid in {**workers, **servers}.items()}
        idle = {name: idle_seconds(pid, now) for name, pid in workers.items()}
    except (FileNotFoundError, ProcessLookupError, IndexError):
        return None
    return Sample(now, crawl.count_pages(), cpu, idle)


def measure(
    crawl: SharedCrawl, running: Sequence[subprocess.Popen[bytes]], servers: Mapping[str, int]
) -> list[Sample]:
    """Return the states of a crawl whenever its number of pages had changed."""
    workers = {f"worker {n}": worker.pid for n, worker in enumerate(running, 1)}
    samples: list[Sample] = []
    while all(worker.poll() is None for worker in running):
        found = sample(crawl, workers, servers)
        if found and found.pages > (samples[-1].pages if samples else 0):
            samples.append(found)
        time.sleep(_PAUSE)
    return samples


def report(name: str, began: float, samples: Sequence[Sample], first: float) -> float:
    """Print the figures of a crawl; return its pages per second. ``first`` is that of the first crawl."""
    start = next(one for one in samples if one.pages >= samples[-1].pages / 5)
    found = samples[-1].since(start)
    rate = found.pages / found.at
    costs = ", ".join(
        f"{name} {1000 * value / found.pages:.1f}" for name, value in found.cpu.items()
    )
    idle = ", ".join(f"{value / found.at:.0%}" for value in found.idle.values())
    print(
        f"{name}: {found.pages} pages in {found.at:.1f} s, {rate:.1f}/s ({rate / (first or rate):.2f} of the first);"
        f" CPU {1000 * sum(found.cpu.values()) / found.pages:.1f} ms a page ({costs}); idle {idle};"
        f" first page after {samples[0].at - began:.1f} s",
        flush=True,
    )
    return rate


def pin(workers: Sequence[subprocess.Popen[bytes]]) -> None:
    """Let each worker, and the processes that it will start, use one core."""
    cores = sorted(os.sched_getaffinity(0))
    for number, worker in enumerate(workers):
        for task in Path(f"/proc/{worker.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), {cores[number % len(cores)]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", default="0,1,2")
    parser.add_argument("--pages", type=int, default=1000, help="0 for all")
    parser.add_argument("--text", default="main", help="main or plain")
    parser.add_argument("--pin", default="both", choices=["no", "yes", "both"])
    parser.add_argument("--set", action="append", default=[], help="NAME=VALUE of a setting")
    options = parser.parse_args()
    # Below 1, several workers would wait for the best of each other.
    settings = ["FOCUSCRAWL_EAGERNESS=1", *options.set]
    with started_servers() as (folder, valkey, database):
        servers = {"MariaDB": int((folder / "mariadb/pid").read_text())}
        with redis.Redis.from_url(valkey.url) as client:
            pid_of_valkey = client.info("server")["process_id"]
        for is_pinned in {"no": [False], "yes": [True], "both": [False, True]}[options.pin]:
            print("one core for each worker" if is_pinned else "all cores for all", flush=True)
            rates: dict[int, float] = {}
            for workers in map(int, options.workers.split(",")):
                valkey.clear()
                name = f"crawl_{workers}_{is_pinned:d}"
                crawl = SharedCrawl(folder, valkey if workers else None, name, database.port)
                crawl.create_database()
                began = time.monotonic()
                running = crawl.start(max(1, workers), options.pages, options.text, settings)
                if is_pinned:
                    pin(running)
                valkeys = {"Valkey": pid_of_valkey} if workers else {}
                samples = measure(crawl, running, servers | valkeys)
                crawl.wait(running)
                title = f"  {workers} on Valkey" if workers else "  SQLite"
                rates[workers] = report(title, began, samples, next(iter(rates.values()), 0))
            if {1, 2} <= rates.keys():
                print(f"  two workers: {rates[2] / rates[1]:.2f} times one", flush=True)


if __name__ == "__main__":
    main()
