"""Whole crawls that neither idle nor wait for long: slow sites, dead seeds, equal links, clocks that jump."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest

from focuscrawl.demo import Response
from focuscrawl.frontier import Outcome, State
from tests.frontier.test_scheduler import A, B, Script, Stepper, page, steps
from tests.servers.blocking_server import blocking_server

__all__ = ["steps"]
EAGER = ("-s", "FOCUSCRAWL_EAGERNESS=0.75")
MANY = (*EAGER, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")


@pytest.fixture
def blocking(steps: Stepper) -> Iterator[Stepper]:
    """A web whose sites may block."""
    with blocking_server(steps.web) as steps.environment:
        yield steps


@dataclass
class Gate(Script):
    """A site whose pages at ``/slow…`` answer when ``opened`` or after 60 s."""

    opened: threading.Event = field(default_factory=threading.Event)
    was_in_time: bool = True
    awaited: int = 0
    waiting: int = 0
    most: int = 0

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path.startswith("/slow"):
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            if self.awaited and self.waiting >= self.awaited:
                self.opened.set()
            self.was_in_time &= self.opened.wait(60)
            self.waiting -= 1
        elif path == "/opens":
            self.opened.set()
        return super().respond(path, query, headers)


def test_poor_links_do_not_wait_for_a_site_that_is_slow(blocking: Stepper) -> None:
    blocking.web.sites["a.test"] = gate = Gate()
    blocking.says(f"{A}/", page("/slow 9", *(f"{B}/{n} {n}" for n in range(1, 30)), "/opens 0"))
    for url in (f"{A}/slow", f"{A}/opens", *(f"{B}/{n}" for n in range(1, 30))):
        blocking.says(url, page())
    assert blocking.run(*MANY) == ""
    assert gate.was_in_time
    assert blocking.outcomes() == {Outcome(State.DONE): 32}


def test_links_that_are_all_equal_fill_the_slots(blocking: Stepper) -> None:
    blocking.web.sites["a.test"] = gate = Gate(awaited=8)
    equal = [f"/slow{n} 3" for n in range(24)]
    blocking.says(f"{A}/", page(*equal))
    for n in range(24):
        blocking.says(f"{A}/slow{n}", page(*equal))
    assert blocking.run(*MANY) == ""
    assert gate.was_in_time
    assert gate.most >= 8
    assert blocking.outcomes() == {Outcome(State.DONE): 25}


@pytest.mark.parametrize("back", [7200, -7200])
def test_a_clock_that_is_set_changes_no_pause(steps: Stepper, back: int) -> None:
    steps.says(f"{A}/", page("/busy 1", clock_goes_back=back))
    steps.says(f"{A}/busy", Response(503, {"Retry-After": "2"}), page())
    assert steps.run() == ""
    assert steps.state(f"{A}/busy") == Outcome(State.DONE)
    assert steps.gaps(A)[-1] >= 2


def test_a_clock_that_is_set_while_a_host_pauses_ends_no_run(steps: Stepper) -> None:
    steps.says(f"{A}/", page("/busy 9", f"{B}/ 1"))
    steps.says(f"{A}/busy", Response(503, {"Retry-After": "3"}), page())
    steps.says(f"{B}/", page(clock_goes_back=7200))
    assert steps.run() == ""
    assert steps.state(f"{A}/busy") == Outcome(State.DONE)


def test_requests_that_wait_for_a_delay_hold_no_slot(blocking: Stepper) -> None:
    hosts, free = [f"http://h{n}.test" for n in range(8)], [f"http://f{n}.test/" for n in range(6)]
    links = [f"{host}/{n} {9 - n}" for host in hosts for n in range(2)]
    blocking.says(f"{A}/", page(*links, *(f"{url} 1" for url in free)))
    for url in (*(link.split()[0] for link in links), *free):
        blocking.says(url, page())
    polite = ("-s", "DOWNLOAD_DELAY=2", "-s", "ROBOTSTXT_OBEY=0", "-s", "CONCURRENT_REQUESTS=4")
    assert blocking.run(*polite) == ""
    requested = blocking.requested()
    assert max(map(requested.index, free)) < min(requested.index(f"{host}/1") for host in hosts)
