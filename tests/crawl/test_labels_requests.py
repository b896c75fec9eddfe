"""Requests of ``scrapy crawl labels``: all of them pass the frontier, and levels wait for pauses."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import Crawler, wait_until
from tests.crawl.test_labels import ALL, TOPIC, labels, requested, states_of, web, write_topic

__all__ = ["labels", "web"]

HOST = "http://levels.test"
LEVELS = TOPIC | {"positive_domains": ["levels.test"], "seeds": [f"{HOST}/"]}
KILLER = """
import os, signal

class Killer:
    def process_response(self, request, response):
        if request.url.endswith("/b"):
            os.kill(os.getpid(), signal.SIGKILL)
        return response
"""


class Levels:
    """Three levels of pages: the seed, /a and /b, and a page below each."""

    LINKS: Mapping[str, str] = {"/": "/a /b", "/a": "/a/below", "/b": "/b/below"}
    retry_after = ""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/robots.txt":
            return Response(404, {}, b"")
        if path == "/b" and self.retry_after:
            seconds, self.retry_after = self.retry_after, ""
            return Response(503, {"Retry-After": seconds}, b"")
        links = "".join(f"<a href='{link}'>{link}</a>" for link in self.LINKS.get(path, "").split())
        return Response(200, {"Content-Type": "text/html"}, links.encode())


def test_a_level_waits_for_a_host_that_asks_for_a_pause(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    site = Levels()
    # Longer than a server may be silent.
    site.retry_after = "7"
    demo = web()
    demo.sites["levels.test"] = site
    write_topic(labels, LEVELS)
    run = labels(*ALL)
    assert run.code == 0, run.err
    paths = [url.removeprefix(HOST) for url in requested(demo)]
    assert sorted(paths[:4]) == ["/", "/a", "/b", "/b"]
    assert sorted(paths[4:]) == ["/a/below", "/b/below"]


def test_a_page_that_kills_the_crawler_is_left_out_in_the_end(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    web().sites["levels.test"] = Levels()
    write_topic(labels, LEVELS)
    (labels.folder / "killer.py").write_text(KILLER)
    codes: list[int] = []
    while len(codes) < 8 and (not codes or codes[-1] == -signal.SIGKILL):
        done = labels(*ALL, "-s", 'DOWNLOADER_MIDDLEWARES={"killer.Killer": 900}')
        codes.append(done.code)
    assert codes == [-signal.SIGKILL] * 4 + [3], done.err
    states = {url.removeprefix(HOST): state for url, state in states_of(labels).items()}
    assert states["/b"] == ("failed", "kills the crawler")
    assert states["/a/below"] == ("done", "")


_FULL = """
from focuscrawl.errors import FrontierError
from focuscrawl.frontier import SqliteFrontier

class Full:
    def __init__(self):
        self.push, self.pushed = SqliteFrontier.push, 0
        SqliteFrontier.push = lambda frontier, new: self.refuse(frontier, new)

    def refuse(self, frontier, new):
        self.pushed += 1
        if self.pushed > 2:
            raise FrontierError("the disk is full; free some space")
        return self.push(frontier, new)
"""


def test_pages_that_the_frontier_cannot_write_are_not_given_up(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    site = Levels()
    site.LINKS = {"/": "/a /b /c"}
    web().sites["levels.test"] = site
    write_topic(labels, LEVELS)
    (labels.folder / "full.py").write_text(_FULL)
    run = labels(*ALL, "-s", 'EXTENSIONS={"full.Full": 1}')
    assert (run.code, run.err) == (2, "error: the disk is full; free some space\n")
    assert "kills" not in run.out
    states = [state for state, _ in states_of(labels).values()]
    assert sorted(states) == ["done", "done", "taken", "taken"]


class SilentRobots(Levels):
    """Does not respond to /robots.txt until it is asked again by a later run."""

    is_silent = True

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/robots.txt" and self.is_silent:
            return Response(200, fault="hang")
        return super().respond(path, query, headers)


def test_a_page_whose_robots_txt_is_awaited_at_the_end_is_left_to_the_next_run(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    demo, site = web(), SilentRobots()
    demo.sites["levels.test"] = site
    write_topic(labels, LEVELS)
    process = labels.start(*ALL, "-s", "DOWNLOAD_TIMEOUT=1")
    wait_until(process, lambda: bool(demo.log))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.wait() == 130, err
    assert states_of(labels) == {f"{HOST}/": ("taken", "")}
    site.is_silent = False
    assert labels(*ALL).code == 0
    assert {state for state, _ in states_of(labels).values()} == {"done"}


class SilentLevels(Levels):
    """Does not respond to /b."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path == "/b":
            return Response(200, fault="hang")
        return super().respond(path, query, headers)


def test_a_silent_server_is_waited_for_with_the_scheduler_of_scrapy_as_well(
    labels: Crawler, web: Callable[..., DemoWeb]
) -> None:
    web().sites["levels.test"] = SilentLevels()
    write_topic(labels, LEVELS)
    run = labels(
        *ALL, "-s", "SCHEDULER=scrapy.core.scheduler.Scheduler",
        "-s", "DOWNLOAD_TIMEOUT=7", "-s", "RETRY_TIMES=0",
    )  # fmt: skip
    assert (run.code, run.err) == (0, "")
    assert states_of(labels)[f"{HOST}/a/below"] == ("done", "")
