"""A stock project is the same with the add-on, except for what its user switches on."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, ClassVar

import pytest

from tests.crawl.conftest import Crawler
from tests.crawl.test_addon import scrapy
from tests.servers import warm_scrapy

ADD_ON = 'ADDONS = {"focuscrawl.addon.FocuscrawlAddon": 500}\n'
FRONTIER = "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler"
NO_PAUSE = ("-s", "FOCUSCRAWL_RETRY_PAUSE=0", "-s", "FOCUSCRAWL_RETRY_AFTER_MAX=0.1")
SETTINGS = """
BOT_NAME = "theirs"
SPIDER_MODULES = ["theirs.spiders"]
NEWSPIDER_MODULE = "theirs.spiders"
DOWNLOADER_MIDDLEWARES = {"theirs.own.Mark": 543}
ITEM_PIPELINES = {"theirs.own.Count": 300}
EXTENSIONS = {"theirs.own.Facts": 100}
FEEDS = {"out.jsonl": {"format": "jsonlines", "overwrite": True}, "out.csv": {"format": "csv", "overwrite": True}}
RETRY_TIMES = 1
"""
OWN = """
import gc, json, logging
from scrapy import signals

class Mark:
    def process_request(self, request):
        request.headers["X-Mark"] = "theirs"

class Count:
    def process_item(self, item):
        return {**item, "number": 1}

class Facts:
    @classmethod
    def from_crawler(cls, crawler):
        extension = cls()
        extension.crawler = crawler
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def engine_stopped(self):
        from scrapy.utils.log import get_scrapy_root_handler
        settings = {n: str(v) for n, v in self.crawler.settings.copy_to_dict().items()}
        facts = {
            "settings": settings,
            "stats": {n: str(v) for n, v in self.crawler.stats.get_stats().items()},
            "gc": gc.get_threshold(),
            "log": get_scrapy_root_handler().level,
            "factory": str(logging.getLogRecordFactory()),
            "filters": str(logging.getLogger("scrapy.core.scraper").filters),
        }
        with open("facts.json", "w") as file:
            json.dump(facts, file)
"""
# Named as one of ours.
SPIDER = """
import scrapy

class List(scrapy.Spider):
    name = "list"
    link = ""

    async def start(self):
        yield scrapy.FormRequest(self.base + "/login", formdata={"who": "me"})

    def parse(self, response):
        yield {"page": response.url[-6:], "text": response.css("p::text").get(), "more": {"a": [1]}}
        yield from response.follow_all(css="a", callback=self.parse)
"""


class Members(BaseHTTPRequestHandler):
    """Pages for those who send the cookie of /login; robots.txt forbids all."""

    hold = Event()
    held = Event()
    needs_login = True
    agents: ClassVar[set[str]] = set()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def answer(self, status: int, text: str, **headers: str) -> None:
        """Send a page in GBK."""
        body = text.encode("gbk")
        self.send_response(status)
        found = {"Content-Type": "text/html; charset=gb2312", "Content-Length": str(len(body))}
        for name, value in (found | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """Log in."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(302, "", Set_Cookie="who=me", Location="/page/0")

    def do_GET(self) -> None:
        """Serve a page."""
        self.agents.add(str(self.headers["User-Agent"]))
        if self.path == "/robots.txt":
            self.answer(200, "User-agent: *\nDisallow: /\n", Content_Type="text/plain")
        elif self.path == "/page/9":
            self.answer(503, "", Retry_After="1")
        elif self.needs_login and "who=me" not in (self.headers["Cookie"] or ""):
            self.answer(200, "<p>please log in</p>")
        else:
            if self.path == "/page/3" and self.hold.is_set():
                self.held.set()
                self.hold.wait()
            number = int(self.path[-1])
            port = self.server.server_address[1]
            links = (
                f"<a href='/page/{number + 1}'></a><a href='http://127.0.0.2:{port}/page/9'></a>"
            )
            self.answer(200, f"<p>镕 {number}</p>" + (links if number < 5 else ""))


@pytest.fixture
def members() -> Iterator[str]:
    """Serve the members' pages."""
    with ThreadingHTTPServer(("0.0.0.0", 0), Members) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        Members.agents.clear()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def make_stock(crawl: Crawler, members: str, settings: str = "") -> None:
    """Write what ``scrapy startproject theirs`` makes, with a spider, middleware and pipeline."""
    crawl.environment |= {"http_proxy": "", "https_proxy": ""}
    folder = crawl.folder / "theirs"
    (folder / "spiders").mkdir(parents=True, exist_ok=True)
    (crawl.folder / "scrapy.cfg").write_text("[settings]\ndefault = theirs.settings\n")
    for name, text in {
        "__init__.py": "",
        "spiders/__init__.py": "",
        "settings.py": SETTINGS + settings,
        "own.py": OWN,
        "spiders/members.py": SPIDER + f"\n    base = {members!r}\n",
    }.items():
        (folder / name).write_text(text)


def outcome(crawl: Crawler, *arguments: str) -> dict[str, Any]:
    """Crawl, and return all that can be seen of it from outside."""
    done = scrapy(crawl, "crawl", "list", *arguments)
    facts = json.loads((crawl.folder / "facts.json").read_text())
    timed = ("time", "memusage", "per_minute", "log_count", "response_bytes", "httpcompression")
    return facts | {
        "code": done.returncode,
        "out": done.stdout,
        "stats": {n: v for n, v in facts["stats"].items() if not any(t in n for t in timed)},
        "settings": {
            n: v
            for n, v in facts["settings"].items()
            if not n.startswith("FOCUSCRAWL_") and n not in ("ADDONS", "SPIDER_MODULES")
        },
        "feeds": [sorted((crawl.folder / f"out.{n}").read_text().splitlines()) for n in ("jsonl", "csv")],
        "files": sorted(p.name for p in crawl.folder.iterdir()),
        "agents": set(Members.agents),
    }  # fmt: skip


@pytest.fixture
def stock(crawl: Crawler, members: str) -> dict[str, Any]:
    """The outcome without the add-on, which is then added."""
    make_stock(crawl, members)
    found = outcome(crawl)
    assert [json.loads(line)["text"] for line in found["feeds"][0]] == [f"镕 {n}" for n in range(6)]
    make_stock(crawl, members, ADD_ON)
    return found


SWITCHES = {
    "FOCUSCRAWL_SUMMARY=True": {"EXTENSIONS"},
    "FOCUSCRAWL_STORES=": {"EXTENSIONS", "FEED_EXPORTERS", "FEED_STORAGES", "ITEM_PIPELINES"},
    "FOCUSCRAWL_ALLOW_PRIVATE=": {"DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"},
    "FOCUSCRAWL_RETRY_AFTER_MAX=0.1": {"DOWNLOADER_MIDDLEWARES"},
    "FOCUSCRAWL_LINK_TOPIC=security": {"DOWNLOADER_MIDDLEWARES", "EXTENSIONS"},
}


def test_the_add_on_changes_nothing_but_what_is_switched_on(
    crawl: Crawler, stock: dict[str, Any]
) -> None:
    alone = outcome(crawl)
    assert {name: alone[name] for name in alone if alone[name] != stock[name]} == {}
    # The stores come last: their files stay.
    for switch, changed in sorted(SWITCHES.items(), key=lambda one: "STORES" in one[0]):
        check_switch(crawl, stock, switch, changed)


def check_switch(crawl: Crawler, stock: dict[str, Any], switch: str, changed: set[str]) -> None:
    """Check that a switch changes some settings and what it is for."""
    Members.agents.clear()
    found = outcome(crawl, "-s", switch)
    settings = found["settings"]
    differing = {name for name in settings if settings[name] != stock["settings"].get(name)}
    assert differing == changed, switch
    # With the stores, the cells of CSV are those of `scrapy export`.
    assert found["feeds"][0] == stock["feeds"][0], switch
    assert (found["code"], found["agents"]) == (0, stock["agents"]), switch
    has_summary = switch.startswith(("FOCUSCRAWL_SUMMARY", "FOCUSCRAWL_STORES"))
    assert ("list: finished" in found["out"]) == has_summary, switch
    assert "alarm" not in found["out"]
    has_stores = switch == "FOCUSCRAWL_STORES="
    assert ("data" in found["files"], "results" in found["out"]) == (has_stores, has_stores), switch
    if has_stores:
        assert crawl.rows("select count(*) from items") == [(6,)]


def test_switches_of_the_environment_count_in_the_exit_code_too(
    crawl: Crawler, members: str
) -> None:
    make_stock(crawl, members, ADD_ON)
    crawl.environment["FOCUSCRAWL_STORES"] = "sqlite:///data/own.sqlite"
    crawl.environment["FOCUSCRAWL_BATCH_SIZE"] = "0"
    refused = scrapy(crawl, "crawl", "list")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "error: FOCUSCRAWL_BATCH_SIZE must be" in refused.stderr
    assert "Traceback" not in refused.stderr
    crawl.environment["FOCUSCRAWL_BATCH_SIZE"] = ""
    (crawl.folder / "theirs/own.py").write_text(
        OWN.replace("{**item,", "{**item, 'odd': object(),")
    )
    done = scrapy(crawl, "crawl", "list")
    assert "not stored: 6 items" in done.stdout
    assert done.returncode == 3


def test_manners_are_a_switch_and_come_with_our_spiders(
    crawl: Crawler, members: str, stock: dict[str, Any]
) -> None:
    polite = outcome(crawl, "-s", "FOCUSCRAWL_MANNERS=True", "-s", "DOWNLOAD_DELAY=0.1")
    assert polite["code"] == 0
    settings = polite["settings"]
    assert (settings["COOKIES_ENABLED"], settings["DOWNLOAD_DELAY"]) == ("False", "0.1")
    assert polite["feeds"][0] == []
    (crawl.folder / "theirs/spiders/derived.py").write_text(
        "from focuscrawl.spiders.list_detail import ListSpider\n\n"
        "class Derived(ListSpider):\n    name = 'derived'\n"
        "    custom_settings = {**ListSpider.custom_settings, 'DOWNLOAD_TIMEOUT': 9}\n"
    )
    make_stock(crawl, members, ADD_ON + "CONCURRENT_REQUESTS_PER_DOMAIN = 3\n")
    done = scrapy(crawl, "crawl", "derived", "-a", "site=demo", "-s", "AUTOTHROTTLE_MAX_DELAY=2")
    assert "derived-demo" in done.stdout
    assert not [line for line in done.stderr.splitlines() if " INFO: " in line]
    settings = json.loads((crawl.folder / "facts.json").read_text())["settings"]
    names = ("ROBOTSTXT_OBEY", "DOWNLOAD_TIMEOUT", "CONCURRENT_REQUESTS_PER_DOMAIN", "LOG_LEVEL")
    assert [settings[name] for name in names] == ["True", "9", "3", "WARNING"]
    assert settings["AUTOTHROTTLE_MAX_DELAY"] == "2"


@pytest.mark.parametrize("with_frontier", [False, True])
def test_a_kill_and_feeds(crawl: Crawler, stock: dict[str, Any], with_frontier: bool) -> None:
    scheduler = ["-s", f"SCHEDULER={FRONTIER}", *NO_PAUSE] if with_frontier else []
    # The frontier keeps no cookies.
    Members.needs_login = not with_frontier
    Members.held.clear()
    environment = os.environ | crawl.environment
    environment.pop("SCRAPY_SETTINGS_MODULE", None)
    Members.hold.set()
    process = warm_scrapy.start(["crawl", "list", *scheduler], cwd=crawl.folder, env=environment)
    assert Members.held.wait(60)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    Members.hold.clear()
    Members.agents.clear()
    found = outcome(crawl, *scheduler)
    Members.needs_login = True
    if not with_frontier:
        assert found == stock
        return
    # The feed lacks what the killed run has stored, so the summary says where all of it is.
    assert len(found["feeds"][0]) < len(stock["feeds"][0])
    assert "the feed (-o, -O or FEEDS) has the items of this run" in found["out"]
    assert (found["code"], crawl.rows("select count(*) from items")) == (0, [(6,)])


def test_a_spider_with_the_frontier_that_yields_nothing_leaves_no_workbook(
    crawl: Crawler, stock: dict[str, Any]
) -> None:
    spider = crawl.folder / "theirs/spiders/members.py"
    spider.write_text(spider.read_text().replace("        yield {", "        _ = {"))
    found = outcome(crawl, "-s", f"SCHEDULER={FRONTIER}", *NO_PAUSE)
    assert found["code"] == 0
    assert found["settings"]["COOKIES_ENABLED"] == "True"
    assert "results" in found["out"]
    assert "xlsx" not in found["out"]
    assert not list((crawl.folder / "data").glob("*xlsx*"))


def test_errors_end_with_the_exit_code_of_scrapy(crawl: Crawler, members: str) -> None:
    make_stock(crawl, members, ADD_ON)
    spider = crawl.folder / "theirs/spiders/members.py"
    spider.write_text(spider.read_text() + "    def parse(self, response):\n        1 / 0\n")
    assert scrapy(crawl, "crawl", "list").returncode == 0
    assert scrapy(crawl, "crawl", "list", "-s", "FOCUSCRAWL_SUMMARY=True").returncode == 1
    assert json.loads(scrapy(crawl, "crawl", "list", "--json").stdout)["exit_code"] == 1


def test_other_commands_are_those_of_scrapy(crawl: Crawler, members: str) -> None:
    said = []
    for settings in ("", ADD_ON):
        make_stock(crawl, members, settings)
        code = "print(settings['USER_AGENT'], settings['COOKIES_ENABLED'], response.encoding)"
        done = [
            scrapy(crawl, *words)
            for words in (
                ("shell", "--nolog", "-c", code, f"{members}/page/1"),
                ("fetch", "--nolog", "--headers", f"{members}/nothing/1"),
                ("parse", "--nolog", "--spider=list", f"{members}/page/2"),
                ("check",),
            )
        ]
        said.append(
            [
                (one.returncode, [line for line in one.stdout.splitlines() if "Date:" not in line])
                for one in done
            ]
        )
    assert said[0] == said[1]
