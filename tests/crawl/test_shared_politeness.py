"""Workers that come, leave and die in one crawl: no host gets two requests within the delay."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import pytest

from focuscrawl.demo import DemoServer, DemoWeb, Response
from tests.crawl.conftest import Crawler
from tests.crawl.sent_requests import DOWNLOADER, Sent, gaps, handed_over, read_sent
from tests.servers.redis_server import RedisServer
from tests.servers.warm_scrapy import Process

# Long, so that most hosts are handed over within a delay of their last request.
DELAY = 1.0
# The worker's pause is by the clock of the machine, which may be slewed; Scrapy's delay is monotonic.
ROUNDING = 0.001
HOSTS = [f"h{number}.test" for number in range(24)]
TOPIC = "name: nets\nlexicon: {神经网络: 3}\nseeds: [http://h0.test/0]\n"
ALL_PAGES = ("topic=nets", "mode=best-first", "order=lexicon", "learn=False", "judge=rule", "keep=all",
             "text=plain")  # fmt: skip


class Endless:
    """A site without end, whose pages lead on to other sites; some redirect there, some fail at first.

    Every third site has no links to its own pages: at most times nothing of it waits.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._failed: set[int] = set()

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if not path[1:].isdigit():
            return Response(404)
        page = int(path[1:])
        if page % 7 == 3:
            return Response(302, {"Location": self._other(page, 2)})
        if page % 11 == 5 and page not in self._failed:
            self._failed.add(page)
            return Response(503)
        links = [self._other(page, step) for step in (1, 3)]
        if self._number % 3:
            links.append(f"/{page + 1}")
        anchors = "".join(f"<a href='{link}'>神经网络</a>" for link in links)
        html = f"<meta charset=utf-8><p>神经网络</p>{anchors}"
        return Response(200, {"Content-Type": "text/html"}, html.encode())

    def _other(self, page: int, step: int) -> str:
        return f"http://{HOSTS[(self._number + step) % len(HOSTS)]}/{page + 1}"


class LoggedWeb(DemoWeb):
    """The endless sites, and the URLs that arrived."""

    def __init__(self) -> None:
        self.arrived: Counter[str] = Counter()
        sites = {host: Endless(number) for number, host in enumerate(HOSTS)}
        super().__init__(days=1, more_sites=sites)  # type: ignore[arg-type]

    def respond(self, url: str, headers: Mapping[str, str]) -> Response:
        self.arrived[url] += 1
        return super().respond(url, headers)


class Crawl:
    """A crawl that workers join and leave."""

    def __init__(self, crawl: Crawler, frontier: str) -> None:
        self._crawl = crawl
        self._log = crawl.folder / "sent.log"
        self._settings = [
            f"FOCUSCRAWL_FRONTIER={frontier}", f"SENT_REQUESTS={self._log}",
            f"DOWNLOADER={DOWNLOADER}", f"DOWNLOAD_DELAY={DELAY}", "RANDOMIZE_DOWNLOAD_DELAY=False",
            "AUTOTHROTTLE_ENABLED=False", "CONCURRENT_REQUESTS_PER_DOMAIN=4", "LOG_LEVEL=WARNING",
            f"FOCUSCRAWL_STORES=sqlite:///{crawl.folder}/pages.sqlite",
        ]  # fmt: skip
        self.living: list[Process] = []

    @property
    def sent(self) -> list[Sent]:
        """All requests so far."""
        return read_sent(self._log)

    def join(self) -> Process:
        """Start a worker; return when it has sent requests for pages."""
        words = [word for argument in ALL_PAGES for word in ("-a", argument)]
        words += [word for setting in self._settings for word in ("-s", setting)]
        worker = self._crawl.start(*words)
        self.living.append(worker)
        self.wait_for(lambda: sum(request.worker == worker.pid for request in self.sent) >= 8)
        return worker

    def leave(self, worker: Process) -> None:
        """Stop a worker in order."""
        self.living.remove(worker)
        worker.terminate()
        _, err = worker.communicate(timeout=120)
        assert "Traceback" not in err, err

    def kill(self, worker: Process) -> None:
        """Kill a worker at once."""
        self.living.remove(worker)
        worker.kill()
        worker.communicate(timeout=120)

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait for something, while all workers live."""
        deadline = time.monotonic() + 240
        while not is_so():
            assert time.monotonic() < deadline, len(self.sent)
            for worker in self.living:
                assert worker.poll() is None, worker.communicate()
            time.sleep(0.1)


@pytest.fixture
def web(crawl: Crawler) -> Iterator[LoggedWeb]:
    (crawl.folder / "topics").mkdir()
    (crawl.folder / "topics" / "nets.yaml").write_text(TOPIC, "utf-8")
    crawl.spider = "tunnel"
    web = LoggedWeb()
    with DemoServer(web) as server:
        crawl.environment |= server.proxy_environment
        yield web


def test_no_host_gets_two_requests_within_the_delay(
    crawl: Crawler, web: LoggedWeb, valkey_server: RedisServer
) -> None:
    valkey_server.clear()
    shared = Crawl(crawl, valkey_server.socket_url)
    killed = shared.join()
    second = shared.join()
    shared.kill(killed)
    hosts = {request.host for request in shared.sent if request.worker == killed.pid}
    third = shared.join()
    shared.leave(second)
    shared.join()
    # Its shards are free after its lease.
    shared.wait_for(lambda: hosts <= {one.host for one in shared.sent if one.worker != killed.pid})
    for worker in list(shared.living):
        shared.leave(worker)

    sent = shared.sent
    assert third.pid in {request.worker for request in sent}
    assert handed_over(sent) >= len(hosts) > 0
    shortest = gaps(sent)[0]
    assert shortest[0] >= DELAY - ROUNDING, shortest
    # What the check rests on: no request was sent without being logged.
    assert web.arrived <= Counter(request.url for request in sent)
    assert any(url.endswith("/robots.txt") for url in web.arrived)
