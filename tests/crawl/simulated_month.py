"""A month of use on a faked clock: crawls by cron, a web server, editors, kills, restarts, an upgrade."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import openpyxl
import yaml

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.article_truth import ArticleTruth
from focuscrawl.stores.database_urls import sqlite_url
from tests.commands.test_users import PASSWORD
from tests.crawl.conftest import NO_DELAYS, TODAY, OddSite, wait_until
from tests.servers.faked_clock import faked_clock
from tests.servers.process import free_port

PUBLIC = "http://prices.example"
_LIST = {"link": "./a/@href", "title": "./a"}
_NEWS = {
    "name": "news",
    "start_urls": ["http://news.test/"],
    "article": {"body": {"css": "div.text"}},
}  # fmt: skip
_TEXT = (
    "<h1>{0}</h1><div class='text'>{0}。各地玉米收购价格有涨有跌，企业按质论价，货源不多。</div>"
)
# Of when and by which run a row was written.
_OF_RUNS = re.compile("抓取|下载|首次|时间|运行|第一次|最近")


class Command(NamedTuple):
    """A command of one day, how it ended, and what it printed."""

    day: int
    name: str
    code: int
    out: str


class Answer(NamedTuple):
    """An answer of the server."""

    status: int
    text: str
    date: str
    cookie: str


class NewsSite(OddSite):
    """A list with an article for each day, in a layout that changes with a redesign."""

    def __init__(self, today: date) -> None:
        self.layout = "list"
        self.turn_to(today)

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""
        self.today = today
        titles = {n: f"第{n}日玉米价格" for n in range((today - TODAY).days + 1, 0, -1)}
        rows = "".join(f"<li><a href='/{n}.html'>{title}</a></li>" for n, title in titles.items())
        self.pages = {f"/{n}.html": _page(_TEXT.format(title)) for n, title in titles.items()}
        self.pages["/"] = _page(f"<ul class='{self.layout}'>{rows}</ul>")

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing: the articles have no prices."""
        return {}

    def redesign(self) -> None:
        """Have another layout."""
        self.layout = "articles"
        self.turn_to(self.today)


@dataclass
class Month:
    """A project folder, the sites that it crawls, and its server; day 1 is :data:`TODAY`.

    ``stores`` is the value of FOCUSCRAWL_STORES, or "" for the default.
    """

    folder: Path
    stores: str = ""
    day: int = 1
    commands: list[Command] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.web = DemoWeb(seed=7, days=3, today=TODAY)
        self.news = NewsSite(TODAY)
        self.web.sites["news.test"] = self.news
        self.proxy = DemoServer(self.web)
        self.proxy.start()
        self.port = free_port()
        self.server: subprocess.Popen[str] | None = None
        self.cookie = ""
        self.turn_to(1)
        self.write_profile("list")

    # The world

    def turn_to(self, day: int) -> None:
        """Let it be the morning of a day."""
        self.web.advance(day - self.day)
        self.day = day
        moment = TODAY + timedelta(days=day - 1)
        (self.folder / "clock").write_text(f"{moment} 08:00:00")
        if self.server:
            self.server.send_signal(signal.SIGUSR1)
            said = f"{moment.day:02} {moment:%b}"
            wait_until(self.server, lambda: said in self.request("/login").date)
            self.log_in()

    def write_profile(self, layout: str) -> None:
        """Write the profile of the news for a layout."""
        listed = _LIST | {"entry": {"css": f"ul.{layout} > li"}}
        (self.folder / "news.yaml").write_text(yaml.safe_dump(_NEWS | {"list": listed}), "utf-8")

    # Commands

    @property
    def environment(self) -> dict[str, str]:
        """The environment of all commands."""
        stores = {"FOCUSCRAWL_STORES": self.stores} if self.stores else {}
        return {
            **os.environ, **self.proxy.proxy_environment, **stores,
            "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
            "FOCUSCRAWL_WEB_SECRET": "x" * 32,
            **faked_clock(self.folder / "clock"),
        }  # fmt: skip

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command of Scrapy, in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "scrapy", *arguments], cwd=self.folder, env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        )  # fmt: skip

    def finish(self, name: str, process: subprocess.Popen[str], given: str = "") -> Command:
        """Wait for the end of a command."""
        out, _ = process.communicate(given, timeout=300)
        self.commands.append(Command(self.day, name, process.returncode, out))
        return self.commands[-1]

    def run(self, *arguments: str, given: str = "") -> Command:
        """Run a command to its end."""
        return self.finish(arguments[0], self.start(*arguments), given)

    def start_crawl(self, site: str) -> subprocess.Popen[str]:
        """Start the crawl that cron starts."""
        return self.start("crawl", "maize", "-a", f"site={site}", "-a", "refresh=7", *NO_DELAYS)

    def crawl(self, *sites: str) -> list[Command]:
        """Crawl sites at the same time, as cron does; by default both."""
        sites = sites or ("demo", "news.yaml")
        processes = [self.start_crawl(site) for site in sites]
        return [
            self.finish(f"crawl {site}", one) for site, one in zip(sites, processes, strict=True)
        ]

    # The server

    def serve(self) -> None:
        """Start the server, and log in."""
        self.server = self.start(
            "serve", "--port", str(self.port), "--public-url", PUBLIC, "--store", self.store_url,
        )  # fmt: skip
        assert self.server.stdout
        line = self.server.stdout.readline()
        assert "Serving" in line, line + self.server.stdout.read()
        self.log_in()

    def log_in(self) -> None:
        """Log in as the administrator; a session lasts for less than a day."""
        self.cookie = self.request("/login", {"name": "wang", "password": PASSWORD}).cookie

    def kill_all(self, *processes: subprocess.Popen[str]) -> None:
        """Kill processes with all that they have started, as a machine that loses its power does."""
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def request(
        self, path: str, form: dict[str, str] | None = None, *, is_known: bool = True
    ) -> Answer:
        """Get a page, or post a form, as the administrator or as somebody unknown."""
        headers = {"Host": "prices.example", "Sec-Fetch-Site": "same-origin"}
        headers |= {"Cookie": self.cookie} if is_known and self.cookie else {}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            if form is None:
                connection.request("GET", path, headers=headers)
            else:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                connection.request("POST", path, urlencode(form), headers)
            answer = connection.getresponse()
            cookie = answer.headers.get("Set-Cookie", "").partition(";")[0]
            day = answer.headers.get("Date", "")
            return Answer(answer.status, answer.read().decode(), day, cookie)

    def decide(self, article_md5: str, seq: int, verdict: str) -> None:
        """Decide on a quote in the browser."""
        path = f"/prices/quotes/{article_md5}/{seq}"
        page = self.request(path)
        shown = re.search(r'name="shown" value="([^"]*)"', page.text)
        assert shown, page.text
        done = self.request(path, {"verdict": verdict, "shown": shown[1]})
        assert done.status == 303, done.text

    def close(self) -> None:
        """Stop everything."""
        if self.server:
            self.kill_all(self.server)
        self.proxy.stop()

    # What is there

    @property
    def store_url(self) -> str:
        """The URL of the first database."""
        return self.stores.partition(",")[0] or sqlite_url(self.folder / "data/focuscrawl.sqlite")

    def rows(self, query: str, file: str = "focuscrawl.sqlite") -> list[tuple[Any, ...]]:
        """Return the rows of a query of a file of SQLite."""
        with closing(sqlite3.connect(self.folder / "data" / file)) as connection:
            return connection.execute(query).fetchall()

    def workbook(self, name: str = "data/focuscrawl.xlsx") -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of each sheet, sorted, without the columns of when they were written."""
        book = openpyxl.load_workbook(self.folder / name, read_only=True)
        sheets = {}
        for sheet in book:
            head, *rows = [tuple(row) for row in sheet.iter_rows(values_only=True)] or [()]
            kept = [n for n, one in enumerate(head) if not _OF_RUNS.search(str(one))]
            sheets[sheet.title] = [
                tuple(head[n] for n in kept),
                *sorted((tuple(row[n] for n in kept if n < len(row)) for row in rows), key=repr),
            ]
        book.close()
        return sheets


def _page(html: str) -> bytes:
    return f"<html><meta charset=utf-8>{html}</html>".encode()
