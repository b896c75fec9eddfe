"""One recorded crawl by one, two and four workers on a Valkey: the same pages, the harvest, the speed.

    python benchmarks/shared_crawl.py [--workers 1,2,4] [--budgets 0,1000] [--text plain]

Each crawl is ``scrapy crawl tunnel`` started that many times with one Valkey and one MariaDB, both of
the benchmark's own; the recorded blogs are replayed inside Scrapy. Without a budget (0) the workers
must have judged the same pages, whatever their number. With a budget they must keep .97 of the
harvest of one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import pymysql  # noqa: E402

from tests.servers import mariadb, redis_server  # noqa: E402
from tests.servers.process import ServerProcess  # noqa: E402
from tests.servers.redis_server import RedisServer  # noqa: E402

SHARED = ROOT.parent / "shared"
RECORDING = SHARED / "replay/blogs-2026.warc.gz"
TOPIC = "security"


class SharedCrawl:
    """A crawl by some workers."""

    def __init__(self, folder: Path, valkey: RedisServer | None, database: str, port: int) -> None:
        self.folder = folder
        self._valkey = valkey
        self._database = database
        self._port = port

    def run(self, workers: int, budget: int, text: str, settings: list[str]) -> float:
        """Return the seconds until the last worker has ended."""
        began = time.monotonic()
        self.wait(self.start(workers, budget, text, settings))
        return time.monotonic() - began

    def start(
        self, workers: int, budget: int, text: str, settings: list[str]
    ) -> list[subprocess.Popen[bytes]]:
        """Start the workers; without a Valkey their frontier is in SQLite."""
        seeds = json.loads((SHARED / "replay/blogs/seeds.json").read_text())[TOPIC]
        named = ",".join(url for urls in seeds.values() for url in urls)
        environment = os.environ | {
            "DB_PASSWORD": mariadb.PASSWORD,
            "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
        }
        given = [
            *([f"FOCUSCRAWL_FRONTIER={self._valkey.url}"] if self._valkey else []),
            f"FOCUSCRAWL_REPLAY={RECORDING}",
            f"FOCUSCRAWL_STORES=mysql+pymysql://tester:${{DB_PASSWORD}}@127.0.0.1:{self._port}/{self._database}",
            "ROBOTSTXT_OBEY=False", "DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False",
            "LOG_LEVEL=WARNING", *settings,
        ]  # fmt: skip
        command = [
            sys.executable, "-m", "scrapy", "crawl", "tunnel", "-a", f"topic={TOPIC}",
            "-a", f"seeds={named}", "-a", "mode=best-first", "-a", "keep=all", "-a", f"text={text}",
            *(["-a", f"max_pages={budget}"] if budget else []),
            *(word for setting in given for word in ("-s", setting)),
        ]  # fmt: skip
        running = []
        for number in range(workers):
            output = (self.folder / f"{self._database}-{number}.txt").open("w")
            data = ["-s", f"FOCUSCRAWL_DATA={self.folder}/{self._database}-{number}"]
            running.append(
                subprocess.Popen(
                    [*command, *data], cwd=ROOT, env=environment, stdout=output, stderr=output
                )
            )
        return running

    def wait(self, running: list[subprocess.Popen[bytes]]) -> None:
        """Wait until all workers have ended."""
        for worker in running:
            if worker.wait() not in (0, 3):
                sys.exit(f"a worker ended with {worker.returncode}; see {self.folder}")

    def create_database(self) -> None:
        """Create the database of the crawl."""
        self._query(f"CREATE DATABASE {self._database} CHARACTER SET utf8mb4", database=None)

    def count_pages(self) -> int:
        """Return the number of judged pages, 0 as long as there is no table."""
        try:
            return int(self._query("SELECT COUNT(*) FROM pages")[0][0])
        except pymysql.err.ProgrammingError:
            return 0

    def pages(self) -> dict[str, bool]:
        """Return the judged pages, and whether they are relevant."""
        found = self._query("SELECT url, is_relevant FROM pages")
        return {url: bool(relevant) for url, relevant in found}

    def _query(self, statement: str, **other: Any) -> Sequence[tuple[Any, ...]]:
        options = {"host": "127.0.0.1", "port": self._port, "user": "tester"}
        options |= {"password": mariadb.PASSWORD, "database": self._database}
        with (
            pymysql.connect(**options | other) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall()


@contextmanager
def started_servers() -> Iterator[tuple[Path, RedisServer, ServerProcess]]:
    """Yield a folder, a Valkey and a MariaDB; end the program where the recording is missing."""
    if not RECORDING.exists():
        sys.exit(f"the recorded blogs are not here ({RECORDING}); nothing measured")
    folder = Path(tempfile.mkdtemp())
    for name in ("valkey", "mariadb"):
        (folder / name).mkdir()
    valkey, database = redis_server.make_valkey(folder / "valkey"), mariadb.make(folder / "mariadb")
    for server in (valkey, database):
        server.start()
    try:
        yield folder, valkey, database
    finally:
        for server in (valkey, database):
            server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--budgets", default="0,1000")
    parser.add_argument("--text", default="plain", help="main or plain")
    parser.add_argument("--set", action="append", default=[], help="NAME=VALUE of a setting")
    options = parser.parse_args()
    with started_servers() as (folder, valkey, database):
        for budget in map(int, options.budgets.split(",")):
            first: dict[str, bool] = {}
            for workers in map(int, options.workers.split(",")):
                valkey.clear()
                crawl = SharedCrawl(folder, valkey, f"crawl_{workers}_{budget}", database.port)
                crawl.create_database()
                seconds = crawl.run(workers, budget, options.text, options.set)
                found = crawl.pages()
                first = first or found
                harvest = sum(found.values()) / max(1, len(found))
                ratio = harvest / (sum(first.values()) / len(first))
                print(
                    f"budget {budget or 'none':>4}  {workers} workers: {len(found)} pages, {len(found) / seconds:.1f}/s,"
                    f" harvest {harvest:.3f} ({ratio:.2f} of the first), {len(found.keys() ^ first.keys())}"
                    " pages differ",
                    flush=True,
                )


if __name__ == "__main__":
    main()
