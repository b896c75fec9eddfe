"""Cost of the row and series that each run writes, in one run.

Crawls of the demo web with and without the recorder, alternately, without delays. CPU time of whole
processes, because that of other programs on the machine is not in it; wall-clock time beside it. Their
difference is smaller than its noise, so the parts are timed by themselves as well: what is done for a
response, for an item, and each ten seconds with the longest series.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.extensions.run_recorder import RunRecorder
from focuscrawl.items import CrawlRun
from focuscrawl.stores.database_urls import database_at, sqlite_url

OFF = '{"focuscrawl.extensions.run_recorder.RunRecorder": null}'


class Cost(NamedTuple):
    """Seconds of CPU and wall-clock time."""

    cpu: float
    wall: float


def crawl(folder: Path, environment: dict[str, str], *, is_recorded: bool) -> Cost:
    """Crawl the demo web into a fresh folder and return the cost."""
    command = [sys.executable, "-m", "scrapy", "crawl", "maize", "-a", "site=demo"]
    command += ["-s", f"FOCUSCRAWL_DATA={folder}", "-s", "DOWNLOAD_DELAY=0"]
    command += ["-s", f"FOCUSCRAWL_STORES=sqlite:///{folder}/store.sqlite"]
    command += ["-s", "AUTOTHROTTLE_ENABLED=False"]
    if not is_recorded:
        command += ["-s", f"EXTENSIONS={OFF}"]
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the crawl failed with exit code {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - begun)


class Parts(NamedTuple):
    """Seconds of CPU for a response, for an item, and for an update of the row."""

    response: float
    item: float
    update: float


def seconds_each(work: Callable[[], object], times: int) -> float:
    """Return the CPU time of a call."""
    begun = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begun) / times


def parts(folder: Path) -> Parts:
    """Time the parts of the recorder with 400 points, 50 of 1000 hosts and 300 stats."""
    crawler = get_crawler(Spider)
    recorder: Any = RunRecorder(crawler)
    for number in range(300):
        crawler.stats.set_value(f"focuscrawl/dropped/reason {number}", number)
    for number in range(1000):
        request = Request(f"http://host{number}.example/", meta={"download_latency": 0.25})
        recorder.response_downloaded(Response(request.url), request)
    response = seconds_each(
        lambda: recorder.response_downloaded(Response(request.url), request), 50_000
    ) - seconds_each(lambda: Response(request.url), 50_000)
    item = SimpleNamespace(url="http://host1.example/1.htm")
    each_item = seconds_each(lambda: recorder.item_scraped(item), 50_000)
    return Parts(response, each_item, asyncio.run(_update(recorder, folder)))


async def _update(recorder: Any, folder: Path) -> float:
    now = datetime.now(UTC)
    run = CrawlRun(key="a" * 32, crawl="demo", spider="demo", machine="demo", began_at=now,
                   updated_at=now)  # fmt: skip
    store = database_at(sqlite_url(folder / "parts.sqlite"))
    await store.open()
    for _ in range(400):
        recorder._measure(run)
    begun = time.process_time()
    for _ in range(100):
        recorder._measure(run)
        await store.write_run(run)
    took = (time.process_time() - begun) / 100
    await store.close()
    return took


def main() -> None:
    """Print the cost of each pair and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--days", type=int, default=200)
    options = parser.parse_args()
    ratios: list[Cost] = []
    web = DemoWeb(seed=1, days=options.days, today=date(2026, 3, 5))
    with DemoServer(web) as server, tempfile.TemporaryDirectory() as name:
        environment = os.environ | server.proxy_environment
        environment["SCRAPY_SETTINGS_MODULE"] = "focuscrawl.settings"
        for pair in range(options.pairs):
            # Each is the first one every second time.
            order = (True, False) if pair % 2 else (False, True)
            costs = {
                is_recorded: crawl(
                    Path(name) / f"{pair}-{is_recorded}", environment, is_recorded=is_recorded
                )
                for is_recorded in order
            }
            plain, recorded = costs[False], costs[True]
            ratios.append(Cost(recorded.cpu / plain.cpu, recorded.wall / plain.wall))
            print(
                f"pair {pair + 1}: without {plain.cpu:.2f} s CPU ({plain.wall:.2f} s), "
                f"with {recorded.cpu:.2f} s CPU ({recorded.wall:.2f} s), "
                f"ratio {ratios[-1].cpu:.3f} ({ratios[-1].wall:.3f})",
                flush=True,
            )
        cost = parts(Path(name))
    cpu, wall = (statistics.median(each) for each in zip(*ratios, strict=True))
    print(f"median ratio: {cpu:.3f} CPU, {wall:.3f} wall-clock time")
    print(
        f"parts: {cost.response * 1e6:.1f} µs for a response, {cost.item * 1e6:.1f} µs for an item, "
        f"{cost.update * 1e3:.1f} ms each 10 s ({cost.update / 10:.2%} of a core)"
    )


if __name__ == "__main__":
    main()
