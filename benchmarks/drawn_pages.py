"""Pages a second, memory and requests of drawn pages, against the same site without a browser.

    python -m benchmarks.drawn_pages [--articles 40] [--kills 20]

The site of the tests is crawled three times, without delays: its static list and articles, its JSON with
drawn articles, and everything drawn. Memory is the peak of the crawler and of all processes below it.
With ``--kills``, crawls of the drawn site are killed at random times and continued; in the end each
article has to be there once.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from focuscrawl.demo import DemoServer, DemoWeb, Response
from tests.crawl import drawn_site
from tests.crawl.drawn_site import PROFILE, TEXT, ScriptSite

FAST = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "FOCUSCRAWL_RETRY_PAUSE=0")
JSON_LIST = {
    "json": {
        "entries": "rows",
        "title": "title",
        "link": "http://app.test/a/{id}.html",
        "date": "day",
    }
}


class BothSites(ScriptSite):
    """The site with a static twin: ``/static`` leads to articles below ``/s/``."""

    def respond(self, path: str, query: str, headers: Any) -> Response:
        """Return a page."""
        if path.startswith("/s/"):
            page = f"<h1>{path}</h1><div class='text'>{TEXT.replace('今日', path)}</div>"
            return Response(200, {"Content-Type": "text/html; charset=utf-8"}, page.encode())
        found = super().respond(path, query, headers)
        if path != "/static":
            return found
        return replace(found, body=found.body.replace(b"/a/", b"/s/"))


def below(pid: int) -> Iterator[int]:
    """Yield a process and those below it."""
    yield pid
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from below(int(child))


def memory_of(pid: int) -> int:
    """Return the memory of a process in bytes, with its share of what several processes use."""
    with suppress(OSError, IndexError):
        found = Path(f"/proc/{pid}/smaps_rollup").read_text().partition("\nPss:")[2]
        return int(found.split()[0]) << 10
    return 0


def start(folder: Path, server: DemoServer, **changes: Any) -> subprocess.Popen[bytes]:
    """Start a crawl with a changed profile."""
    profile = {key: one for key, one in (PROFILE | changes).items() if one is not None}
    (folder / "drawn.yaml").write_text(yaml.safe_dump(profile), "utf-8")
    settings = [word for one in FAST for word in ("-s", one)]
    environment = os.environ | server.proxy_environment
    environment |= {
        "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
        "FOCUSCRAWL_STORES": "sqlite:///data/focuscrawl.sqlite",
    }
    command = [sys.executable, "-m", "scrapy", "crawl", "list", "-a", "site=drawn.yaml", *settings]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE)


def measure(web: DemoWeb, server: DemoServer, name: str, **changes: Any) -> None:
    """Print what a crawl takes."""
    with tempfile.TemporaryDirectory() as folder:
        web.log.clear()
        began, peaks = time.monotonic(), {"crawler": 0, "all": 0}
        process = start(Path(folder), server, **changes)
        while process.poll() is None:
            own = memory_of(process.pid)
            peaks["crawler"] = max(peaks["crawler"], own)
            peaks["all"] = max(peaks["all"], sum(map(memory_of, below(process.pid))))
            time.sleep(0.2)
        seconds = time.monotonic() - began
        pages = len(rows(Path(folder)))
        print(
            f"{name:12} {pages:4} articles in {seconds:5.1f} s, {pages / seconds:5.1f} a second, "
            f"{len(web.log):4} requests, crawler {peaks['crawler'] >> 20} MB, "
            f"with browser {peaks['all'] >> 20} MB, exit code {process.returncode}"
        )


def rows(folder: Path) -> list[Any]:
    """Return the complete articles of a crawl."""
    with closing(sqlite3.connect(folder / "data" / "focuscrawl.sqlite")) as connection:
        return connection.execute("select url from articles where is_complete").fetchall()


def kill(server: DemoServer, kills: int, articles: int) -> None:
    """Kill crawls at random times, and continue each until it has ended."""
    chance, done, crawls = random.Random(1), 0, 0
    while done < kills:
        crawls += 1
        with tempfile.TemporaryDirectory() as folder:
            while True:
                process = start(Path(folder), server)
                try:
                    process.wait(chance.uniform(2, 9) if done < kills else 300)
                    break
                except subprocess.TimeoutExpired:
                    os.kill(process.pid, signal.SIGKILL)
                    process.wait()
                    done += 1
            found = rows(Path(folder))
            assert process.returncode == 0, process.returncode
            assert len(found) == len(set(found)) == articles, len(found)
    print(f"{done} kills in {crawls} crawls: all {articles} articles there, none twice")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=40)
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    count = options.articles
    drawn_site.TITLES[:] = [f"山东玉米价格行情第{n}期" for n in range(count)]
    drawn_site.ROWS[:] = [
        {"id": n + 7, "title": one, "day": "2024-03-20"} for n, one in enumerate(drawn_site.TITLES)
    ]
    web = DemoWeb(seed=1, days=1, today=date(2026, 3, 5))
    web.sites["app.test"] = BothSites(per_page=count)
    plain: dict[str, Any] = {"render": None, "wait_for": None}
    with DemoServer(web) as server:
        if not options.kills:
            static = {**plain, "start_urls": ["http://app.test/static"]}
            data = {"list": JSON_LIST, "start_urls": ["http://app.test/api/list?page=1"]}
            measure(web, server, "static", **static)
            link = JSON_LIST["json"] | {"link": "http://app.test/s/{id}.html"}
            measure(web, server, "JSON", **plain, **data | {"list": {"json": link}})
            measure(web, server, "JSON, drawn", **data, render="article")
            measure(web, server, "drawn", wait_for=PROFILE["wait_for"])
        else:
            kill(server, options.kills, count)


if __name__ == "__main__":
    main()
