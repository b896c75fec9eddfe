"""Crawls by scrapy-redis and by focuscrawl, whose workers may be killed, for scrapy_redis_comparison.py."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from redis import Redis  # noqa: E402

from tests.crawl.sent_requests import DOWNLOADER, Sent, gaps, read_sent  # noqa: E402
from tests.servers.redis_server import RedisServer  # noqa: E402

TOPIC = "security"
# No new page for so long: the workers of scrapy-redis never end by themselves.
IDLE_SECONDS = 20.0
SETTINGS = {
    "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 4, "RANDOMIZE_DOWNLOAD_DELAY": False,
    "AUTOTHROTTLE_ENABLED": False, "ROBOTSTXT_OBEY": False, "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": 0, "REMOTE_CONTROL_ENABLED": False, "HTTPPROXY_ENABLED": False,
    "LOG_LEVEL": "ERROR", "DOWNLOADER": DOWNLOADER, "FOCUSCRAWL_REPLAY_LATENCY": 0.1,
    "FOCUSCRAWL_TOPICS": ROOT / "topics", "FOCUSCRAWL_MODELS": ROOT / "models",
}  # fmt: skip

SPIDER = """
import os
from scrapy import Request
from scrapy_redis.spiders import RedisSpider

class Best(RedisSpider):
    name, link_topic = "best", "security"
    custom_settings = {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler", "SCHEDULER_PERSIST": True,
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "EXTENSIONS": {"focuscrawl.extensions.web_replay.Replay": 5},
        "DOWNLOADER_MIDDLEWARES": {"focuscrawl.middlewares.link_scoring.LinkScoringMiddleware": 110},
        "DOWNLOAD_HANDLERS": dict.fromkeys(
            ("http", "https"), "focuscrawl.extensions.replay_handler.ReplayHandler"),
    }
    stored = os.open("stored.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def make_request_from_data(self, data):
        return Request(data.decode(), priority=1_000_000)

    def parse(self, response):
        if response.meta["page"] is None:
            return
        os.write(self.stored, f"{response.url}\\n".encode())
        for link in response.meta["links"]:
            yield Request(link.link.url, priority=int(link.score * 1000))
"""


class Outcome(NamedTuple):
    """Stored pages in order, seconds until the last, CPU seconds of workers and server, requests."""

    pages: list[str]
    seconds: float
    worker_cpu: float
    server_cpu: float
    sent: list[Sent]

    @property
    def repeated(self) -> int:
        """The number of requests for what was requested before."""
        return len(self.sent) - len({request.url for request in self.sent})

    def closer(self, seconds: float) -> int:
        """Return how many requests to a host came closer to the one before than that."""
        return sum(gap < seconds for gap, _, _ in gaps(self.sent))


class Crawl:
    """A crawl in a folder of its own, by processes that may be killed."""

    name: str

    def __init__(
        self, folder: Path, recording: Path, valkey: RedisServer, packages: str, delay: float
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self._valkey = valkey
        self._environment = os.environ | {"PYTHONPATH": f"{ROOT}:{packages}"}
        self._settings = SETTINGS | {
            "SENT_REQUESTS": self.folder / "sent.log",
            "FOCUSCRAWL_REPLAY": recording,
            "FOCUSCRAWL_DATA": self.folder / "data",
            "DOWNLOAD_DELAY": delay,
        }
        self._living: list[int] = []
        self._cpu = 0.0

    def command(self, seeds: list[str], budget: int) -> list[str]:
        """Return the command of a worker, without settings."""
        raise NotImplementedError

    def prepare(self, seeds: list[str]) -> None:
        """Make what the workers need."""

    def stored(self) -> list[str]:
        """Return the stored pages."""
        raise NotImplementedError

    def is_over(self, idle_seconds: float, budget: int) -> bool:
        """Return whether the workers are to be stopped."""
        return not self._living

    def run(self, seeds: list[str], workers: int, budget: int = 0, kill_at: int = 0) -> Outcome:
        """Crawl; at ``kill_at`` pages a worker is killed, and another started."""
        self._valkey.clear()
        self.prepare(seeds)
        before, began = self._server_cpu(), time.monotonic()
        for _ in range(workers):
            self._start(seeds, budget)
        count, last = 0, began
        while not self.is_over(time.monotonic() - last, budget):
            time.sleep(0.1)
            self._reap(os.WNOHANG)
            if (now := len(self.stored())) != count:
                count, last = now, time.monotonic()
            if kill_at and count >= kill_at:
                kill_at = 0
                os.kill(self._living[0], signal.SIGKILL)
                self._start(seeds, budget)
        for pid in self._living:
            os.kill(pid, signal.SIGKILL)
        self._reap(0)
        server_cpu = self._server_cpu() - before
        sent = read_sent(self.folder / "sent.log")
        return Outcome(self.stored(), last - began, self._cpu, server_cpu, sent)

    def _start(self, seeds: list[str], budget: int) -> None:
        words = [w for name, value in self._settings.items() for w in ("-s", f"{name}={value}")]
        with (self.folder / "log.txt").open("a") as log:
            command = [sys.executable, "-m", "scrapy", *self.command(seeds, budget), *words]
            process = subprocess.Popen(
                command, cwd=self.folder, env=self._environment, stdout=log, stderr=log
            )
        process.returncode = 0  # The process is awaited by _reap, which also gets its CPU time.
        self._living.append(process.pid)

    def _reap(self, options: int) -> None:
        for pid in list(self._living):
            ended, _, usage = os.wait4(pid, options)
            if ended:
                self._living.remove(pid)
                self._cpu += usage.ru_utime + usage.ru_stime

    def _server_cpu(self) -> float:
        with Redis.from_url(self._valkey.url) as client:
            used = client.info("cpu")
        return float(used["used_cpu_sys"]) + float(used["used_cpu_user"])


class ScrapyRedis(Crawl):
    """A crawl with the scheduler, dupefilter and spider class of scrapy-redis."""

    name = "scrapy-redis"

    def prepare(self, seeds: list[str]) -> None:
        self._environment |= {"SCRAPY_SETTINGS_MODULE": ""}
        self._settings |= {"REDIS_URL": self._valkey.url}
        (self.folder / "best.py").write_text(SPIDER)
        with Redis.from_url(self._valkey.url) as client:
            client.rpush("best:start_urls", *seeds)

    def command(self, seeds: list[str], budget: int) -> list[str]:
        return ["runspider", "best.py"]

    def stored(self) -> list[str]:
        file = self.folder / "stored.txt"
        return file.read_text().split() if file.exists() else []

    def is_over(self, idle_seconds: float, budget: int) -> bool:
        if 0 < budget <= len(self.stored()):
            return True
        if idle_seconds < (IDLE_SECONDS if self.stored() else 120):
            return False
        with Redis.from_url(self._valkey.url) as client:
            return not client.exists("best:start_urls", "best:requests")


class Focuscrawl(Crawl):
    """A crawl by ``scrapy crawl tunnel`` with a shared frontier."""

    name = "focuscrawl"
    arguments: tuple[str, ...] = ("mode=best-first", "keep=all", "text=plain")

    def command(self, seeds: list[str], budget: int) -> list[str]:
        given = [f"topic={TOPIC}", f"seeds={','.join(seeds)}", *self.arguments]
        given += [f"max_pages={budget}"] if budget else []
        return ["crawl", "tunnel", *(word for one in given for word in ("-a", one))]

    def prepare(self, seeds: list[str]) -> None:
        self._environment |= {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
        self._settings |= {
            "FOCUSCRAWL_FRONTIER": self._valkey.socket_url,
            "FOCUSCRAWL_STORES": f"sqlite:///{self.folder}/pages.sqlite",
        }

    def stored(self) -> list[str]:
        file = self.folder / "pages.sqlite"
        with closing(sqlite3.connect(file, timeout=60)) as connection:
            if not connection.execute("select 1 from sqlite_master where name='pages'").fetchall():
                return []
            return [url for (url,) in connection.execute("select url from pages order by rowid")]


class SameScores(Focuscrawl):
    """The same, ranked by the link classifier alone."""

    name = "focuscrawl, same scores"
    arguments = (*Focuscrawl.arguments, "learn=False")
