"""Histories of lists that change while they are read, each run a real `scrapy crawl list`.

    python -m benchmarks.list_histories [--histories 200] [--first 0] [--jobs 2]

The model of the site, and what happens to it, are those of `tests/sites/list_site.py`, by their seeds:
pins, floods, deletions, new dates, swapped entries, stale caches, empty, foreign and failing pages, missing
pagers, killed runs. Lost is what a run with exit code 0 has not stored although it stood on the list
before and after it. Printed are the histories with a loss, the exit codes, and the list pages that a quiet
morning has requested.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from html import escape
from pathlib import Path

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.site_protocol import ArticleTruth, Response, not_found
from focuscrawl.sites.page_reading import ListPage
from tests.sites.list_site import ROOT, Events, History, Outcome, Run, Site, play

SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "RETRY_TIMES": 1,
    "FOCUSCRAWL_RETRY_PAUSE": 0,
    "FOCUSCRAWL_STORES": "sqlite:///data/x.sqlite",
    "ROBOTSTXT_OBEY": False,
    "LOG_LEVEL": "ERROR",
}
PROFILE = """name: model
start_urls: ['{start}']
list:
{rules}
article:
  body: {{css: div.content}}
"""
HTML_RULES = """  entry: {css: ul.list > li}
  link: ./a/@href
  title: ./a
  date: {css: span.date}
  next: //a[.="下一页"]/@href"""
JSON_RULES = f"""  json:
    entries: list
    link: url
    title: title
    date: date
    next: '{ROOT}list?page={{page}}'"""
LONGEST_S = 120


class ServedList:
    """Serves the model over HTTP; the run that is under way decides what happens before each answer."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.places = {site.url(place): place for place in range(1, 200)}
        self.steps: list[str] = []
        self.events = Events()
        self.process: subprocess.Popen[str] | None = None

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond as the list or as an article."""
        url = f"{ROOT}{path[1:]}" + (f"?{query}" if query else "")
        if url in self.places:
            return self._list(url, headers)
        number = path.strip("/").removesuffix(".html")
        if not number.isdecimal():
            return not_found()
        text = f"第{number}期：山东深加工企业玉米收购价格稳中偏强，市场购销活跃。" * 4
        return _page(
            f"<title>第{number}期</title><h1>第{number}期</h1><div class=content>{text}</div>"
        )

    def _list(self, url: str, headers: Mapping[str, str]) -> Response:
        dies_after = self.events.dies_after
        if dies_after is not None and len(self.steps) >= dies_after and self.process:
            self.process.kill()
            return Response(200, fault="hang")
        if self.site.random.random() < self.events.moves:
            self.site.change()
        passes_caches = "no-cache" in headers.get("cache-control", "")
        self.steps.append("again" if passes_caches else "page")
        place = self.places[url]
        if passes_caches and self.site.random.random() < self.events.heals:
            self.site.answers.pop(place, None)
        trouble, page = self.site.page(place, {})
        if page:
            return _json_list(page) if self.site.style == "counted" else _html_list(page)
        if trouble == "missing":
            return not_found()
        if trouble == "failed":
            return Response(503)
        if trouble == "foreign":
            return _page("<title>登录</title><form>请先登录 <input name=u></form>")
        return _page(f"<title>列表</title><div>维护中</div><a href='{self.site.url(1)}'>首页</a>")

    def turn_to(self, today: date) -> None:
        """Do nothing: the history has days of its own."""

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing."""
        return {}


def _page(html: str) -> Response:
    return Response(
        200,
        {"Content-Type": "text/html; charset=utf-8"},
        f"<!doctype html><html><head><meta charset=utf-8></head><body>{html}</body></html>".encode(),
    )


def _html_list(page: ListPage) -> Response:
    rows = "".join(
        f"<li><a href='{escape(one.url)}'>{one.title}</a>"
        f"<span class=date>{one.published or ''}</span></li>"
        for one in page.entries
    )
    pager = f"<a href='{escape(page.next_url)}'>下一页</a>" if page.next_url else ""
    return _page(f"<title>列表</title><ul class=list>{rows}</ul><div class=pager>{pager}</div>")


def _json_list(page: ListPage) -> Response:
    entries = [
        {"url": one.url, "title": one.title, "date": str(one.published or "")}
        for one in page.entries
    ]
    return Response(
        200, {"Content-Type": "application/json"}, json.dumps({"list": entries}).encode()
    )


class CrawledHistory(History):
    """Runs of `scrapy crawl list` in a folder of their own."""

    def __init__(self, site: Site, folder: Path, codes: Counter[int]) -> None:
        super().__init__(site)
        self.folder, self.codes = folder, codes
        self.served = ServedList(site)
        web = DemoWeb()
        web.sites["list.test"] = self.served
        self.server = DemoServer(web)
        self.server.start()
        rules = JSON_RULES if site.style == "counted" else HTML_RULES
        if not site.is_dated:
            rules = "\n".join(line for line in rules.splitlines() if "date:" not in line)
        profile = PROFILE.format(start=site.url(1), rules=rules)
        (folder / "model.yaml").write_text(profile, encoding="utf-8")
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
        self.database = folder / "data/x.sqlite"

    def run(self, events: Events) -> Run:
        """Run the command once; what it stored is what later runs, and `missing`, go by."""
        self.site.note_hidden()
        if events.is_whole:
            self._make_whole_due()
        served = self.served
        served.steps, served.events = [], events
        command = [sys.executable, "-m", "scrapy", "crawl", "list", "-a", "site=model.yaml"]
        command += [word for name, value in SETTINGS.items() for word in ("-s", f"{name}={value}")]
        environment = os.environ | self.server.proxy_environment
        environment["FOCUSCRAWL_DATA"] = "data"
        served.process = subprocess.Popen(
            command, cwd=self.folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            output, _ = served.process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired as error:
            served.process.kill()
            raise RuntimeError(f"no end after {len(served.steps)} list pages") from error
        code = served.process.returncode
        self.codes[code] += 1
        # 2 where a foreign page stands in the place of the list.
        if code not in (0, 2, 3, -signal.SIGKILL):
            raise RuntimeError(f"exit code {code}:\n{output}")
        before, self.state = self.state, self._stored_state()
        self.site.note_hidden()
        # A run that ends with 3 for another reason has joined the list, too.
        if code == 0 or self.state != before:
            self.site.old = set(self.site.numbers) - set(self.missing())
        return Run(served.steps, code == 0, 0)

    def missing(self) -> list[int]:
        """Return the entries of the list that are not stored, or only incomplete."""
        urls = set(self._rows("select url from articles where is_complete"))
        return [one for one in self.site.numbers if f"{ROOT}{one}.html" not in urls]

    def _stored_state(self) -> dict[str, object] | None:
        states = self._rows("select value from crawl_state where key like 'coverage %'")
        return json.loads(states[0]) if states else None

    def _rows(self, query: str) -> list[str]:
        if not self.database.exists():
            return []
        with closing(sqlite3.connect(self.database)) as connection:
            tables = [row[0] for row in connection.execute("select name from sqlite_master")]
            return [row[0] for row in connection.execute(query)] if "articles" in tables else []

    def _make_whole_due(self) -> None:
        if not self.state or not self.state.get("whole"):
            return
        value = json.dumps(self.state | {"whole": "2000-01-01"})
        with closing(sqlite3.connect(self.database)) as connection, connection:
            change = "update crawl_state set value = ? where key like 'coverage %'"
            connection.execute(change, [value])


def crawl(seed: int, codes: Counter[int]) -> Outcome:
    """Play the history of a seed with real crawls."""
    with tempfile.TemporaryDirectory(prefix="list-histories-") as folder:
        begun: list[CrawledHistory] = []

        def begin(site: Site) -> History:
            begun.append(CrawledHistory(site, Path(folder), codes))
            return begun[0]

        try:
            return play(seed, begin)
        except RuntimeError as error:
            raise RuntimeError(f"seed {seed}: {error}") from error
        finally:
            for one in begun:
                one.server.stop()


def main() -> None:
    """Play the histories and print what was lost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    codes = Counter[int]()
    seeds = range(options.first, options.first + options.histories)
    quiet, runs, lost, started = list[int](), 0, 0, time.monotonic()
    with ThreadPoolExecutor(options.jobs) as jobs:
        for seed, outcome in zip(
            seeds, jobs.map(lambda one: crawl(one, codes), seeds), strict=True
        ):
            runs += len(outcome.runs)
            quiet += [len(outcome.quiet)] if outcome.quiet else []
            if outcome.lost:
                lost += 1
                print(f"seed {seed}: lost {outcome.lost}", flush=True)
    print(
        f"{len(seeds)} histories, {runs} runs in {time.monotonic() - started:.0f} s, exit codes "
        f"{dict(codes)}; {lost} histories with a loss; list pages on a quiet morning: median "
        f"{statistics.median(quiet)}, most {max(quiet)}"
    )


if __name__ == "__main__":
    main()
