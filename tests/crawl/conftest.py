"""Crawls as a user runs them: a process of their own, a proxy on 127.0.0.1, files to look at."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from focuscrawl.demo import DemoServer, DemoWeb, Response
from tests.servers import warm_scrapy

SHARED = Path(__file__).resolve().parents[3] / "shared"
TODAY = date(2026, 3, 5)
NO_DELAYS = (
    "-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "FOCUSCRAWL_RETRY_PAUSE=0"
)  # fmt: skip


@dataclass
class Finished:
    """What a crawl printed, and how it ended."""

    code: int
    out: str
    err: str

    def count(self, outcome: str) -> int:
        """Return a number of the summary, such as ``new``."""
        found = re.search(rf"(\d+) {outcome}\b", self.out)
        assert found, self.out + self.err
        return int(found[1])


@dataclass
class Crawler:
    """Runs ``scrapy crawl`` in a folder, through a proxy."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    most_files: int = 0
    spider: str = "maize"

    def start(self, *arguments: str) -> warm_scrapy.Process:
        """Start a crawl of the spider."""
        environment = (
            os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"} | self.environment
        )
        command = ["crawl", self.spider, *NO_DELAYS, *arguments]
        if not self.most_files:
            return warm_scrapy.start(command, cwd=self.folder, env=environment)
        limit = ["prlimit", f"--nofile={self.most_files}"]
        return subprocess.Popen(
            [*limit, sys.executable, "-m", "scrapy", *command],
            cwd=self.folder, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def __call__(self, *arguments: str) -> Finished:
        """Run a crawl to its end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        return Finished(process.returncode, out, err)

    @property
    def database(self) -> Path:
        """The SQLite file of the default stores."""
        return self.folder / "data" / "focuscrawl.sqlite"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query of the SQLite store."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query).fetchall()

    def content(self) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Return all that a crawl found, but not when it was found."""
        return (
            self.rows(
                "select url_md5, url, site, title, published, stamp, page_urls, missing_urls,"
                " is_complete, text, content_md5, validators from articles order by url_md5"
            ),
            self.rows("select * from quotes order by article_md5, seq"),
        )


def wait_until(process: warm_scrapy.Process, is_so: Callable[[], bool]) -> None:
    """Wait for something that happens while a process runs."""
    deadline = time.monotonic() + 120
    while not is_so():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def crawl(tmp_path: Path) -> Crawler:
    """A crawler in an empty folder, without proxy: it cannot reach anything that is named."""
    nowhere = "http://127.0.0.1:9"
    return Crawler(tmp_path, {"http_proxy": nowhere, "https_proxy": nowhere})


@pytest.fixture
def no_workbook(crawl: Crawler) -> None:
    """Let crawls write to the database only: rendering a workbook takes as long as a small crawl."""
    crawl.environment["FOCUSCRAWL_STORES"] = "sqlite:///data/focuscrawl.sqlite"


@pytest.fixture
def demo(crawl: Crawler) -> Iterator[Callable[..., DemoWeb]]:
    """Starts a demo web and points ``crawl`` at it."""
    servers: list[DemoServer] = []

    def start(days: int = 30, **options: Any) -> DemoWeb:
        web = DemoWeb(seed=7, days=days, today=TODAY, **options)
        server = DemoServer(web)
        server.start()
        servers.append(server)
        crawl.environment |= server.proxy_environment
        return web

    yield start
    for server in servers:
        server.stop()


@dataclass
class Replay:
    """A running replay proxy and its log."""

    port: int
    log: Path

    def requests(self) -> list[str]:
        """Return the lines of the log since the last call, robots.txt aside."""
        lines = [
            line
            for line in self.log.read_text().splitlines()
            if not line.endswith(("robots.txt", "?404"))
        ]
        self.log.write_text("")
        return lines


@pytest.fixture
def maize_replay(tmp_path: Path, crawl: Crawler) -> Iterator[Callable[..., Replay]]:
    """Serves the recorded maize crawl of 2017 to ``crawl``."""
    yield from _replay("maize-2017.warc.gz", tmp_path, crawl)


@pytest.fixture
def blogs_replay(tmp_path: Path, crawl: Crawler) -> Iterator[Callable[..., Replay]]:
    """Serves the recorded web of blogs to ``crawl``."""
    yield from _replay("blogs-2026.warc.gz", tmp_path, crawl)


def _replay(recording: str, folder: Path, crawl: Crawler) -> Iterator[Callable[..., Replay]]:
    if not SHARED.exists():
        pytest.skip(f"the recorded sites are not here ({SHARED})")
    processes = []

    def start(*options: str) -> Replay:
        log = folder / "replay.log"
        log.touch()
        process = subprocess.Popen(
            [sys.executable, SHARED / "replay/replay_proxy.py", SHARED / "replay" / recording,
             "--port", "0", "--log", log, *options],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        processes.append(process)
        assert process.stdout
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        proxy = f"http://127.0.0.1:{port}"
        crawl.environment |= {"http_proxy": proxy, "https_proxy": proxy}
        return Replay(port, log)

    yield start
    for process in processes:
        process.terminate()
        process.wait()


_ODD_PROFILE = {
    "name": "odd",
    "start_urls": ["http://odd.test/"],
    "list": {
        "entry": "//li", "link": "./a/@href", "title": "./a", "next": "//a[.='下一页']/@href",
    },
    "article": {"body": "//div[@id='body']", "next": "//a[.='下一页']/@href"},
}  # fmt: skip


class OddSite:
    """A site of fixed pages."""

    def __init__(self, pages: dict[str, bytes]) -> None:
        self.pages = pages

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path not in self.pages:
            return Response(404, {}, b"")
        if self.pages[path].startswith(b"->"):
            return Response(302, {"Location": self.pages[path][2:].decode()}, b"")
        return Response(200, {"Content-Type": "text/html"}, self.pages[path])


@pytest.fixture
def odd(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Callable[..., str]:
    """Serves fixed pages under ``odd.test`` and writes a profile for them."""

    def make(pages: dict[str, bytes], **changes: object) -> str:
        demo(days=1).sites["odd.test"] = OddSite(pages)
        path = crawl.folder / "odd.yaml"
        path.write_text(yaml.safe_dump(_ODD_PROFILE | changes), encoding="utf-8")
        return f"site={path}"

    return make


def report_of(done: Finished) -> dict[str, Any]:
    """Return the only line of standard output of a crawl with ``--json``."""
    assert done.out.count("\n") == 1, done.out
    assert done.out.isascii()
    report = json.loads(done.out)
    assert report["exit_code"] == done.code
    assert isinstance(report, dict)
    return report


def one_line(err: str) -> str:
    """Return the only line that tells a mistake."""
    lines = [line for line in err.splitlines() if line.startswith("error:")]
    assert len(lines) == 1, err
    assert "Traceback" not in err
    return lines[0]
