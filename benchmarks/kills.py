"""SIGKILL at random times of all five spiders, with 16 concurrent requests and learning.

Every community of the demo web links to a host that is dead: a third of them are silent, the others
answer 503 or close the connection. In the crawl ``dead`` 30 % of the hosts that blogs link to are dead.

    python -m benchmarks.kills [--kills 100] [--crawls maize article ...] [--random 1]

For each crawl, an undisturbed run gives the expected tables. Then the same crawl is killed
repeatedly and resumed each time; if it ends before its share of the kills is used up, it restarts in
an empty folder. The tables of each finished crawl are compared with the expected ones, without the
columns that hold times. The columns about the path to a page (``via``, ``steps``, ``score``) depend on
the order of the pages, so they are compared separately; ``sparse`` is the tunnel crawl in which even
the set of fetched pages depends on the order. At most the URLs that a kill leaves leased in a frontier
are fetched again: their median and maximum are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import ChainMap
from collections.abc import Mapping
from contextlib import ExitStack, closing
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from benchmarks.harness import BLOGS, SHARED
from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.communities.community_web import Communities, write_topic
from focuscrawl.demo.firms.firm_web import Firms
from focuscrawl.demo.numbered_site import HOST, NumberedSite
from focuscrawl.demo.site_protocol import Response

SETTINGS = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "FOCUSCRAWL_RETRY_PAUSE": 0,
}
TIMES = {"first_seen", "fetched_at", "listed_at", "tried_at", "due_at", "gone_at"}
BY_ORDER = {"pages": {"score", "steps", "via"}, "crawl_state": {"value"}}
DAY = date(2026, 3, 5)
LONGEST_S = 3600
COMMUNITIES = 60

Rows = dict[str, set[tuple[Any, ...]]]


class DeadSite(NamedTuple):
    """Site of the demo web that has nothing but one answer."""

    answer: Response

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Return the answer."""
        return self.answer

    def turn_to(self, today: date) -> None:
        """Stay dead."""

    def truth(self) -> dict[str, Any]:
        """Return nothing."""
        return {}


class Crawl(NamedTuple):
    """A spider with its arguments; with ``order_decides`` the set of pages depends on their order."""

    spider: str
    arguments: dict[str, str]
    settings: Mapping[str, Any] = MappingProxyType({})
    database: str = "focuscrawl.sqlite"
    order_decides: bool = False

    def start(self, folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        """Start a run with its data in ``folder``."""
        folder.mkdir(exist_ok=True)
        settings = {
            **SETTINGS,
            **self.settings,
            "FOCUSCRAWL_DATA": folder,
            "FOCUSCRAWL_STORES": f"sqlite:///{folder}/focuscrawl.sqlite",
            "LOG_FILE": folder / "log.txt",
        }
        command = [sys.executable, "-m", "scrapy", "crawl", self.spider]
        command += [word for pair in self.arguments.items() for word in ("-a", "=".join(pair))]
        command += [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        return subprocess.Popen(
            command,
            cwd=folder.parent,
            env={**os.environ, **environment, "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"},
            stdout=(folder / "out.txt").open("ab"),
            stderr=subprocess.STDOUT,
        )

    def finish(self, folder: Path, environment: dict[str, str]) -> float:
        """Run to the end; return the duration in seconds."""
        begun = time.monotonic()
        if code := self.start(folder, environment).wait(LONGEST_S):
            sys.exit(f"{self.spider} ended with {code}: {(folder / 'out.txt').read_text()}")
        return time.monotonic() - begun

    def killed_after(self, seconds: float, folder: Path, environment: dict[str, str]) -> bool:
        """Run for at most ``seconds``; return whether it had to be killed."""
        process = self.start(folder, environment)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def rows(self, folder: Path, *, by_order: bool = False) -> Rows:
        """Return the rows of each table, without columns that differ between any two runs."""
        with closing(sqlite3.connect(folder / self.database)) as connection:
            tables = [
                name
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                )
            ]
            return {
                table: set(_rows(connection, table, by_order=by_order))
                for table in tables
                # The internal tables of the full-text index depend on the order of insertion; each run has a row.
                if "_search_" not in table
                and not table.startswith("sqlite_")
                and table != "crawl_runs"
            }


def leased(folder: Path) -> int:
    """Return the number of URLs that the last run left leased in its frontiers."""
    count = 0
    for path in folder.glob("frontier-*.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            (more,) = connection.execute(
                "SELECT count(*) FROM leases JOIN urls USING (seq) WHERE outcome IS NULL"
            ).fetchone()
            count += more
    return count


def _rows(connection: sqlite3.Connection, table: str, *, by_order: bool) -> list[tuple[Any, ...]]:
    left_out = TIMES | (set() if by_order else BY_ORDER.get(table, set()))
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    columns = ", ".join(f'"{name}"' for name in names if name not in left_out)
    return connection.execute(f"SELECT {columns} FROM {table}").fetchall()  # noqa: S608


def crawls(folder: Path) -> dict[str, Crawl]:
    """Return the crawls by name; three of them need the recorded blogs."""
    found = {
        "maize": Crawl("maize", {"site": "demo", "title": "山东玉米"}),
        "list": Crawl("list", {"site": "demo", "title": "玉米"}),
        "article": Crawl("article", {"profile": "demo"}),
        "template": Crawl(
            "template",
            {"template": "contacts", "region": "四川", "engine": "demo", "all": "true"},
        ),
        "labels": Crawl(
            "labels",
            {
                "topic": str(folder / "money.yaml"),
                "max_pages": "100000",
                "max_pages_per_site": "100000",
            },
            # For the silent hosts.
            {"DOWNLOAD_TIMEOUT": 2},
            database="labels-money.sqlite",
        ),
    }
    if BLOGS.exists():
        seeds = json.loads((SHARED / "replay/blogs/seeds.json").read_text())["security"]["on_topic"]
        common = {
            "topic": "security",
            "seeds": ",".join(seeds),
            "text": "plain",
            "keep": "all",
            "learn": "true",
        }
        replay = {"FOCUSCRAWL_REPLAY": BLOGS}
        found["tunnel"] = Crawl("tunnel", {**common, "mode": "best-first"}, replay)
        # A tenth of the hosts that are not recorded are silent.
        dead = {**replay, "FOCUSCRAWL_REPLAY_DEAD": 0.3, "DOWNLOAD_TIMEOUT": 2}
        found["dead"] = Crawl("tunnel", {**common, "mode": "best-first"}, dead)
        found["sparse"] = Crawl("tunnel", {**common, "mode": "sparse-tunnel"}, replay)
        found["sparse"] = found["sparse"]._replace(order_decides=True)
    return found


def disturb(
    crawl: Crawl, name: str, folder: Path, kills: int, chance: random.Random, proxy: dict[str, str]
) -> bool:
    """Kill a crawl ``kills`` times; return whether its tables equal those of an undisturbed one."""
    calm, done, crawled, is_same = folder / f"{name}-calm", 0, 0, True
    again: list[int] = []
    seconds = crawl.finish(calm, proxy)
    # A second run of most crawls has little to do, so that its time is that of the start.
    start = min(3.0, seconds / 2)
    while done < kills:
        crawled += 1
        killed = folder / f"{name}-killed-{crawled}"
        left = kills - done
        is_killed = True
        while left and is_killed:
            life = start + chance.uniform(0, 1.6) * max(seconds - start, 1.0) / left
            is_killed = crawl.killed_after(life, killed, proxy)
            left -= is_killed
            if is_killed:
                again.append(leased(killed))
        done = kills - left
        # A run after the end of a crawl would start a new one.
        if is_killed:
            crawl.finish(killed, proxy)
        is_same = compare(crawl, name, calm, killed) and is_same
    print(
        f"{name}: {seconds:.1f} s undisturbed; {done} kills of {crawled} crawls; fetched again per kill:"
        f" median {statistics.median(again):g}, most {max(again)}",
        flush=True,
    )
    return is_same


def compare(crawl: Crawl, name: str, calm: Path, killed: Path) -> bool:
    """Print the differences between the tables of two runs; return whether they are as expected."""
    theirs, ours = crawl.rows(calm), crawl.rows(killed)
    exact = crawl.rows(calm, by_order=True), crawl.rows(killed, by_order=True)
    is_same = True
    for table in sorted(theirs.keys() | ours.keys()):
        expected, found = theirs.get(table, set()), ours.get(table, set())
        if not expected and not found:
            continue
        other = len(exact[0].get(table, set()) ^ exact[1].get(table, set())) // 2
        print(
            f"  {name} {table}: {len(expected)} rows expected, {len(found)} found; lost "
            f"{len(expected - found)}, added {len(found - expected)}; {other} differ in what the "
            "order decides"
        )
        if not crawl.order_decides:
            for row in [*(expected - found), *(found - expected)][:3]:
                print(f"    {str(row)[:300]}")
            is_same = is_same and expected == found
    return is_same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100, help="of all crawls together")
    parser.add_argument("--crawls", nargs="+")
    parser.add_argument("--random", type=int, default=1, help="random seed of the times")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        communities = Communities(1, COMMUNITIES, 40, 6, "finance")
        write_topic(communities, folder / "money.yaml")
        # Only ever read.
        deaths = Response(200, fault="hang"), Response(503), Response(200, body=b"x", fault="cut")
        dead = {f"gone-{n:03d}.demo.test": DeadSite(deaths[n % 3]) for n in range(COMMUNITIES)}
        numbered = {HOST: NumberedSite(1, 1500, today=DAY)}
        more: Any = ChainMap(numbered, dead, communities, Firms(1, 200))
        web = DemoWeb(1, 400, DAY, latency_ms=5, more_sites=more)
        proxy = stack.enter_context(DemoServer(web)).proxy_environment
        wanted = {name: crawl for name, crawl in crawls(folder).items()
                  if name in (options.crawls or crawls(folder))}  # fmt: skip
        results = {
            name: disturb(
                crawl,
                name,
                folder,
                -(-options.kills // len(wanted)),
                random.Random(options.random),
                proxy,
            )
            for name, crawl in wanted.items()
        }
    for name, is_same in results.items():
        print(f"{name}: {'the same tables' if is_same else 'OTHER TABLES'}")
    sys.exit(not all(results.values()))


if __name__ == "__main__":
    main()
