"""A month of use on a faked clock: crawls by cron, a web server, editors, kills, restarts, an upgrade."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import openpyxl
import yaml
from sqlalchemy import Connection, create_engine, text

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.communities.community_web import Communities, topic_of
from focuscrawl.demo.numbered_site import HOST as NUMBERED_HOST
from focuscrawl.demo.numbered_site import NumberedSite
from focuscrawl.demo.site_protocol import ArticleTruth
from focuscrawl.items import check_code
from focuscrawl.stores.database_urls import sqlite_url
from tests.commands.test_users import PASSWORD
from tests.crawl.conftest import NO_DELAYS, TODAY, OddSite, wait_until
from tests.crawl.test_addon import make_project
from tests.servers import warm_scrapy
from tests.servers.faked_clock import CLOCK
from tests.servers.process import ServerProcess, free_port

PUBLIC = "http://prices.example"
_LIST = {
    "link": "./a/@href", "title": "./a", "date": "./span", "stamp": "./a/@title"
}  # fmt: skip
_NEWS = {
    "name": "news",
    "start_urls": ["http://news.test/"],
    "article": {"body": {"css": "div.text"}},
}  # fmt: skip
_TEXT = (
    "<h1>{0}</h1><div class='text'>{0}。山东潍坊盛泰药业玉米收购价{1}元/吨，较昨日上涨10元。"
    "各地企业按质论价，货源不多。</div>"
)
_OWN = """
import scrapy

class Titles(scrapy.Spider):
    name = "titles"
    start_urls = ["http://news.test/"]
    item_key = "url"
    custom_settings = {"SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler"}

    def parse(self, response):
        for link in response.css("li a"):
            yield {"url": response.urljoin(link.attrib["href"]), "title": link.css("::text").get()}
"""
# What cron crawls, by a name for each.
_CRAWLS = {
    "demo": ("maize", "-a", "site=demo", "-a", "refresh=7"),
    "news.yaml": ("maize", "-a", "site=news.yaml", "-a", "refresh=7"),
    "numbered": ("article", "-a", "profile=demo", "-a", "stop=200", "-a", "concurrency=8"),
    "titles": ("titles",),
    "labels": ("labels", "-a", "topic=money"),
}
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
    """A list with an article for each day, in a layout that changes with a redesign.

    ``prices`` has those of articles that are no longer what they were; of an article in ``changed``,
    the list says when it was changed.
    """

    def __init__(self, today: date) -> None:
        self.layout = "list"
        self.prices: dict[int, int] = {}
        self.changed: dict[int, date] = {}
        self.turn_to(today)

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""
        self.today = today
        self.pages, rows = {}, ""
        for n in range((today - TODAY).days + 1, 0, -1):
            day, title = TODAY + timedelta(days=n - 1), f"第{n}日玉米价格"
            price = self.prices.get(n, 2300 + 10 * n)
            self.pages[f"/{n}.html"] = _page(_TEXT.format(title, price))
            stamp = self.changed.get(n, day)
            rows += f"<li><a href='/{n}.html' title='{stamp}'>{title}</a><span>{day}</span></li>"
        self.pages["/"] = _page(f"<ul class='{self.layout}'>{rows}</ul>")

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing: what the articles say is not compared."""
        return {}

    def redesign(self) -> None:
        """Have another layout."""
        self.layout = "articles"
        self.turn_to(self.today)


@dataclass
class Month:
    """A project folder, the sites that it crawls, and its server; day 1 is :data:`TODAY`.

    ``store_url`` and ``web_url`` are those of the first database and of the one of the web views, ""
    for the default; ``database`` is the server of both, if they have one. Of a whole month every day
    is played, of a short one those on which something happens.
    """

    folder: Path
    store_url: str = ""
    web_url: str = ""
    database: ServerProcess | None = None
    is_whole: bool = False
    day: int = 1
    commands: list[Command] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        make_project(self.folder)
        (self.folder / "theirs/spiders/own.py").write_text(_OWN)
        communities = Communities(seed=6, count=14, articles=8, longest_chain=5)
        (self.folder / "topics").mkdir()
        (self.folder / "topics/money.yaml").write_text(
            yaml.safe_dump(topic_of(communities, "money"))
        )
        self.stores = (
            self.store_url and f"{self.store_url},excel:///{self.folder}/data/focuscrawl.xlsx"
        )
        self.store_url = self.store_url or sqlite_url(self.folder / "data/focuscrawl.sqlite")
        self.web_url = self.web_url or sqlite_url(self.folder / "data/web.sqlite")
        self.web = DemoWeb(seed=7, days=3, today=TODAY, more_sites=communities)
        self.numbered = NumberedSite(7, numbers=20, today=TODAY, big_mb=1, faults=False)
        self.web.sites[NUMBERED_HOST] = self.numbered
        self.news = NewsSite(TODAY)
        self.web.sites["news.test"] = self.news
        self.proxy = DemoServer(self.web)
        self.proxy.start()
        self.port = free_port()
        self.server: warm_scrapy.Process | None = None
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
        return {
            **os.environ, **self.proxy.proxy_environment,
            "FOCUSCRAWL_STORES": self.stores,
            "FOCUSCRAWL_WEB_DATABASE": self.web_url,
            "FOCUSCRAWL_WEB_SECRET": "x" * 32,
            CLOCK: str(self.folder / "clock"),
        }  # fmt: skip

    def start(self, *arguments: str, given: str = "") -> warm_scrapy.Process:
        """Start a command of Scrapy."""
        return warm_scrapy.start(arguments, cwd=self.folder, env=self.environment, given=given)

    def finish(self, name: str, process: warm_scrapy.Process) -> Command:
        """Wait for the end of a command."""
        out, err = process.communicate(timeout=300)
        self.commands.append(Command(self.day, name, process.wait(), out + err))
        return self.commands[-1]

    def run(self, *arguments: str, given: str = "") -> Command:
        """Run a command to its end."""
        return self.finish(arguments[0], self.start(*arguments, given=given))

    def start_crawl(self, name: str, *more: str) -> warm_scrapy.Process:
        """Start the crawl that cron starts."""
        return self.start("crawl", *_CRAWLS[name], *more, *NO_DELAYS)

    def crawl(self, *names: str) -> list[Command]:
        """Crawl at the same time, as cron does; by default the two sites with prices."""
        names = names or ("demo", "news.yaml")
        processes = [self.start_crawl(name) for name in names]
        return [
            self.finish(f"crawl {name}", one) for name, one in zip(names, processes, strict=True)
        ]

    # The server

    def serve(self) -> None:
        """Start the server, and log in."""
        options = ("--public-url", PUBLIC, "--store", self.store_url)
        self.server = self.start("serve", "--port", str(self.port), *options)
        wait_until(self.server, self.is_serving)
        self.log_in()

    def is_serving(self) -> bool:
        """Return whether the server answers."""
        try:
            return self.request("/login").status == 200
        except ConnectionError:
            return False

    def log_in(self) -> None:
        """Log in as the administrator; a session lasts for less than a day."""
        self.cookie = self.request("/login", {"name": "wang", "password": PASSWORD}).cookie

    def kill_server(self) -> None:
        """Kill the server, as a machine that loses its power does; its workers end with it."""
        if self.server:
            self.server.kill()
            self.server.communicate(timeout=60)

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

    def correct(self, url: str, title: str) -> None:
        """Give a numbered article another title in the browser."""
        path = f"/articles/{check_code(url)}"
        page = self.request(f"{path}/edit").text
        shown = dict(re.findall(r'name="(state|title|tags)"[^>]* value="([^"]*)"', page))
        done = self.request(f"{path}/edit", shown | {"title": title})
        assert done.status == 303, done.text

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
        self.kill_server()
        self.proxy.stop()

    # What is there

    @contextmanager
    def connection(self, url: str = "") -> Iterator[Connection]:
        """Connect to the first database, or to that of a URL; what is done is committed at the end."""
        engine = create_engine(url or self.store_url)
        try:
            with engine.begin() as connection:
                yield connection
        finally:
            engine.dispose()

    def rows(self, query: str, url: str = "", **values: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query of a database, with values for its parameters."""
        with self.connection(url) as connection:
            return [tuple(row) for row in connection.execute(text(query), values)]

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
