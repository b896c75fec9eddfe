"""Whole crawls with hosts that refuse, are silent or fail for a while: they hold up no other."""

from __future__ import annotations

import json
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer

import pytest

from focuscrawl.demo import Response
from focuscrawl.frontier import Outcome, State
from tests.frontier.distant_frontier import SECONDS
from tests.frontier.test_scheduler import ONE_BY_ONE, A, B, Stepper, page, steps
from tests.scheduling import stepping_spider

__all__ = ["steps"]
DONE = Outcome(State.DONE)
OFTEN = ("-s", "RETRY_TIMES=100000", "-s", "FOCUSCRAWL_RETRY_PAUSE_MAX=0.05")
OPEN = ("-s", "FOCUSCRAWL_ALLOW_PRIVATE=True", "-s", "CONCURRENT_REQUESTS=4")


class _Server(ThreadingHTTPServer):
    def server_bind(self) -> None:
        # That of HTTPServer asks for the name of the address.
        TCPServer.server_bind(self)

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that gave up."""


class Hosts:
    """Hosts on addresses of the loopback network, which log their requests in one list."""

    def __init__(self) -> None:
        self.log: list[tuple[str, str]] = []
        self._running = ExitStack()

    def serve(self, address: str, answer: Callable[[str], tuple[int, list[str]]]) -> str:
        """Serve a host; ``answer`` returns the status of a path and the links, and may wait.

        Without a status, the connection is closed.
        """
        log = self.log

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                log.append((address, self.path))
                status, links = answer(self.path)
                if not status:
                    return
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps({"links": [{"url": url} for url in links]}).encode())

            def do_CONNECT(self) -> None:
                log.append((address, self.path))
                self.send_error(403)

            def log_message(self, *_: object) -> None:
                pass

        server = _Server((address, 0), Handler)
        self._running.callback(server.server_close)
        self._running.callback(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://{address}:{server.server_address[1]}"

    def close(self) -> None:
        self._running.close()


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    hosts = Hosts()
    yield hosts
    hosts.close()


def chain_to(is_over: threading.Event) -> Callable[[str], tuple[int, list[str]]]:
    """Return the answers of a host of 21 pages, each with a link to the next; the last sets the event."""

    def answer(path: str) -> tuple[int, list[str]]:
        if path == "/20":
            is_over.set()
        links = [f"/{int(path.strip('/') or 0) + 1}"] if path not in ("/robots.txt", "/20") else []
        return (404 if "robots" in path else 200), links

    return answer


def closed_port(address: str) -> str:
    with socket.create_server((address, 0)) as server:
        return f"http://{address}:{server.getsockname()[1]}"


@pytest.fixture(params=["near", "distant"])
def direct(request: pytest.FixtureRequest, steps: Stepper) -> Stepper:
    """A stepper that needs no proxy, with a frontier in a file, or on a server."""
    steps.environment = {"no_proxy": "*"}
    if request.param == "distant":
        steps.spider = str(Path(stepping_spider.__file__).with_name("distant_spider.py"))
        steps.environment[SECONDS] = "0.001"
    return steps


@pytest.mark.parametrize(("have_rules", "slots"), [(False, 4), (True, 4), (True, 1)])
def test_a_live_host_is_crawled_while_others_are_silent_or_refuse(
    direct: Stepper, hosts: Hosts, have_rules: bool, slots: int
) -> None:
    is_over = threading.Event()

    def silent(path: str) -> tuple[int, list[str]]:
        if not (have_rules and "robots" in path):
            is_over.wait(60)
        return (404 if "robots" in path else 200), []

    dead, live_host = closed_port("127.0.2.1"), hosts.serve("127.0.4.1", chain_to(is_over))
    # More silent hosts than request slots, and tried earlier.
    silents = [hosts.serve(f"127.0.1.{n}", silent) for n in range(2 * slots)]
    seeds = " ".join(f"{url}/" for url in (*silents, dead, live_host))
    log = direct.run(
        *OPEN,
        "-s",
        f"CONCURRENT_REQUESTS={slots}",
        "-L",
        "INFO",
        "-s",
        "RETRY_TIMES=0",
        "-s",
        "FOCUSCRAWL_RETRY_PAUSE=0",
        seeds=seeds,
    )
    assert f"robots.txt of {dead[7:]} cannot be fetched (connection refused)" in log
    assert direct.waiting() == 1
    assert direct.outcomes() == {DONE: 21 + 2 * slots}
    before = [host for host, _ in hosts.log[: hosts.log.index(("127.0.4.1", "/20"))]]
    assert sum(host.startswith("127.0.1.") for host in before) == 2 * slots * (1 + have_rules)


def test_a_dead_port_leaves_the_pages_of_another_port(direct: Stepper, hosts: Hosts) -> None:
    dead = closed_port("127.0.4.1")
    links = [f"{dead}/x", "/1", f"{dead}/y", "/2"]
    live = hosts.serve("127.0.4.1", lambda path: (404 if "robots" in path else 200, links))
    direct.run(*OPEN, "-s", "RETRY_TIMES=0", seeds=f"{live}/")
    assert direct.outcomes()[DONE] == 3
    assert direct.state(f"{dead}/x") == Outcome(
        State.FAILED, "robots.txt unreachable: connection refused"
    )
    assert direct.waiting() == 0


def test_a_proxy_that_refuses_https_is_asked_once_for_rules_and_for_each_page(
    steps: Stepper, hosts: Hosts
) -> None:
    proxy = hosts.serve("127.0.5.1", lambda path: (404 if "half" in path else 503, []))
    steps.environment = {"http_proxy": proxy, "https_proxy": proxy}
    assert "https://half.test/>: refused by" in steps.run(*OPEN, seeds="https://half.test/ https://no.test/")  # fmt: skip
    asked = [path for _, path in hosts.log if "half" in path]
    assert asked == ["half.test:443", "http://half.test/robots.txt", "half.test:443"]
    assert [path for _, path in hosts.log if "no." in path] == ["no.test:443", "http://no.test/robots.txt"]  # fmt: skip
    assert steps.outcomes() == {Outcome(State.FAILED, "refused by the proxy: HTTP 403"): 1}
    assert steps.waiting() == 1


def test_a_crawl_that_is_closed_waits_for_no_silent_host(direct: Stepper, hosts: Hosts) -> None:
    good = hosts.serve("127.0.4.1", lambda path: (404 if "robots" in path else 200, ["/1"]))
    with socket.create_server(("127.0.1.1", 0)) as listening:
        silent = "http://{}:{}/".format(*listening.getsockname())
        log = direct.run(*OPEN, "-L", "INFO", "-a", "budget=1", "-s", "RETRY_TIMES=0", seeds=f"{silent} {good}/")  # fmt: skip
    assert "cannot be fetched" not in log
    assert direct.waiting() == 2


def test_a_host_whose_robots_txt_fails_holds_no_request_slot(direct: Stepper, hosts: Hosts) -> None:
    is_over = threading.Event()

    def live(path: str) -> tuple[int, list[str]]:
        if path == "/last":
            is_over.set()
        return (404 if "robots" in path else 200), ["/last"]

    def failing(path: str) -> tuple[int, list[str]]:
        return (503 if not is_over.is_set() else 404 if "robots" in path else 200), []

    bad, good = hosts.serve("127.0.3.1", failing), hosts.serve("127.0.4.1", live)
    seeds = f"{bad}/1 {bad}/2 {good}/"
    assert direct.run(*ONE_BY_ONE, *OFTEN, seeds=seeds) == ""
    assert direct.outcomes() == {DONE: 4}
    assert hosts.log[0] == ("127.0.3.1", "/robots.txt")


@pytest.mark.parametrize("obey", [True, False])
def test_silent_hosts_are_tried_again_and_left_to_the_next_run(
    direct: Stepper, hosts: Hosts, obey: bool
) -> None:
    good = hosts.serve("127.0.4.1", lambda path: (404 if "robots" in path else 200, []))
    with ExitStack() as listening:
        # The kernel accepts connections; nobody reads them.
        silents = [
            listening.enter_context(socket.create_server((f"127.0.1.{n}", 0))) for n in (1, 2, 3)
        ]
        roots = ["http://{}:{}/".format(*one.getsockname()) for one in silents]
        urls = [f"{root}{n}" for root in roots for n in range(2)]
        limits = ("-s", "DOWNLOAD_TIMEOUT=0.2", "-s", f"ROBOTSTXT_OBEY={obey}")
        log = direct.run(*OPEN, *limits, "-L", "INFO", seeds=" ".join([*urls, f"{good}/"]))
        for silent in silents:
            silent.setblocking(False)
            for _ in range(3):
                silent.accept()[0].close()
            with pytest.raises(BlockingIOError):
                silent.accept()
    told = log.count("cannot be fetched (timeout): none of its pages was requested")
    assert told == (3 if obey else 0)
    assert direct.waiting() == len(urls)
    assert direct.state(f"{good}/") == DONE


def test_a_host_that_answers_every_tenth_request_is_crawled(direct: Stepper, hosts: Hosts) -> None:
    def rare(path: str) -> tuple[int, list[str]]:
        number = sum(host == "127.0.3.1" for host, _ in hosts.log)
        return (0 if number % 10 else 404 if "robots" in path else 200), ["/1", "/2"]

    good = hosts.serve("127.0.4.1", lambda path: (404 if "robots" in path else 200, []))
    bad = hosts.serve("127.0.3.1", rare)
    assert direct.run(*OPEN, *OFTEN, seeds=f"{bad}/ {good}/") == ""
    assert direct.outcomes() == {DONE: 4}
    answered = [path for host, path in hosts.log if host == "127.0.3.1"][9::10]
    assert sorted(answered) == ["/", "/1", "/2", "/robots.txt"]


def test_a_run_that_is_killed_while_a_host_is_paused_loses_nothing(steps: Stepper) -> None:
    steps.says(f"{A}/robots.txt", Response(503))
    steps.says(f"{B}/", page(*(f"{A}/{n}" for n in range(5)), "/x"))
    steps.says(f"{B}/x", page())
    for n in range(5):
        steps.says(f"{A}/{n}", page())
    assert steps.kill_after(20, signal.SIGKILL, *OFTEN, seeds=f"{B}/")
    steps.says(f"{A}/robots.txt", Response(404))
    assert steps.run(seeds=f"{B}/") == ""
    assert set(steps.items()) == {f"{B}/", f"{B}/x", *(f"{A}/{n}" for n in range(5))}
    assert {times for _, times in steps.items().values()} == {1}
    assert steps.waiting() == 0


def test_silent_hosts_hold_up_no_page_after_a_kill(direct: Stepper, hosts: Hosts) -> None:
    are_asked, is_over = threading.Event(), threading.Event()
    was_over = []

    def silent(path: str) -> tuple[int, list[str]]:
        if len({host for host, _ in hosts.log}) == 2:
            are_asked.set()
        is_over.wait(60)
        was_over.append(is_over.is_set())
        return (404 if "robots" in path else 200), []

    silents = [hosts.serve(f"127.0.1.{n}", silent) for n in (1, 2)]
    seeds = " ".join(f"{url}/" for url in silents)
    killed = direct.start(*OPEN, seeds=seeds)
    assert are_asked.wait(60)
    killed.kill()
    killed.communicate()
    live = hosts.serve("127.0.4.1", chain_to(is_over))
    assert direct.run(*OPEN, seeds=f"{seeds} {live}/") == ""
    assert direct.outcomes() == {DONE: 21 + 2}
    assert all(was_over)
