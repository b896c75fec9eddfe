"""Crawls that record and replay: those of tests/crawl, and a spider that tells all it gets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.conftest import crawl, demo, maize_replay
from tests.servers import warm_scrapy

__all__ = ["crawl", "demo", "maize_replay"]

SPIDER = """
import scrapy, sys

class Tell(scrapy.Spider):
    name = "tell"
    custom_settings = {
        "ADDONS": {"focuscrawl.addon.FocuscrawlAddon": 500}, "FOCUSCRAWL_MANNERS": True,
        "REDIRECT_ENABLED": False, "RETRY_ENABLED": False, "HTTPERROR_ALLOW_ALL": True,
        "ITEM_PIPELINES": {f"focuscrawl.pipelines.{name}": None for name in
                           ("dedup.DedupPipeline", "prices.PricesPipeline", "store.StorePipeline")},
        "EXTENSIONS": {f"focuscrawl.extensions.{name}": None for name in
                       ("single_run.SingleRun", "progress_display.ProgressLine", "run_summary.RunSummary")},
    }
    async def start(self):
        for n, line in enumerate(open("urls.txt")):
            method, url = line.split()
            yield scrapy.Request(url, method=method, cb_kwargs={"n": n}, dont_filter=True,
                                 body=b"q=1" if method == "POST" else b"", errback=self.failed)
    def parse(self, response, n):
        headers = {name.decode("latin-1"): [value.decode("latin-1") for value in values]
                   for name, values in response.headers.items() if name != b"Date"}
        yield {"n": n, "url": response.url, "status": response.status, "headers": headers,
               "body": response.body.hex(), "protocol": response.protocol,
               "kind": type(response).__name__}
    def failed(self, failure):
        yield {"n": failure.request.cb_kwargs["n"], "error": type(failure.value).__name__}
    def closed(self, reason):
        settings = self.crawler.settings
        stats = self.crawler.stats.get_stats()
        import json
        wanted = ["DOWNLOAD_DELAY", "AUTOTHROTTLE_ENABLED", "FOCUSCRAWL_RETRY_AFTER_MAX"]
        json.dump({"stats": stats, "settings": {name: settings[name] for name in wanted}},
                  open("end.json", "w"), default=str)
"""

# Tells of every attempt to reach a machine, be it this one.
WATCH = """
import os, sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open(os.environ["SOCKET_LOG"], "a") as log:
            print(event, arguments, file=log)
sys.addaudithook(watch)
"""


@dataclass
class Told:
    """What a crawl of the telling spider got."""

    items: list[dict[str, Any]]
    stats: dict[str, Any]
    settings: dict[str, Any]


@dataclass
class Teller:
    """Fetches URLs by a spider in a process of its own."""

    folder: Path
    environment: dict[str, str]
    largest_file: int = 0

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "tell.py").write_text(SPIDER)
        environment = os.environ | self.environment
        environment.pop("SCRAPY_SETTINGS_MODULE", None)
        command = ["runspider", "tell.py", "-L", "ERROR", "-O", "told.jsonl", *arguments]
        if not self.largest_file:
            return warm_scrapy.run(command, cwd=self.folder, env=environment)
        return subprocess.run(
            ["prlimit", f"--fsize={self.largest_file}", sys.executable, "-m", "scrapy", *command],
            cwd=self.folder, env=environment, text=True, capture_output=True, timeout=300, check=False,
        )  # fmt: skip

    def __call__(self, urls: list[str], *arguments: str) -> Told:
        """Fetch lines of method and URL."""
        (self.folder / "urls.txt").write_text("\n".join(urls))
        run = self.run(*arguments)
        assert run.returncode == 0, run.stderr
        assert run.stderr == ""
        lines = (self.folder / "told.jsonl").read_text().splitlines()
        items = sorted(map(json.loads, lines), key=lambda item: item["n"])
        end = json.loads((self.folder / "end.json").read_text())
        return Told(items, end["stats"], end["settings"])


@pytest.fixture
def sockets(tmp_path: Path) -> Path:
    """Logs the connections of the processes that have ``watched(sockets)`` in their environment."""
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH)
    return tmp_path / "watch" / "sockets.log"


def watched(log: Path) -> dict[str, str]:
    """Return variables that make a process log its connections."""
    nowhere = "http://127.0.0.1:9"
    return {
        "PYTHONPATH": str(log.parent), "SOCKET_LOG": str(log),
        "http_proxy": nowhere, "https_proxy": nowhere,
    }  # fmt: skip


@pytest.fixture
def tell(tmp_path: Path) -> Teller:
    """A spider that writes down every response; it has no proxy but cannot reach what is named."""
    return Teller(tmp_path, {"no_proxy": "127.0.0.1", "http_proxy": "http://127.0.0.1:9"})
