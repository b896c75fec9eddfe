"""Limits of the work that one visitor, and all of them, cause at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from focuscrawl.web import web_application
from focuscrawl.web.accounts import login_sessions
from focuscrawl.web.accounts.permissions import ALONE, STRANGER, Role, Visitor
from focuscrawl.web.prices import series_pages
from focuscrawl.web.prices.price_charts import Chart
from focuscrawl.web.web_application import RequestLimits, WorkLimits
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, client_of, fill, run_async
from tests.web.prices.conftest import weeks

_SECONDS = 30


@pytest.fixture
def full(site: WebSite) -> Iterator[TestClient]:
    """A client of a site with prices and users."""
    fill(site.store_url, weeks())
    add_users(site)
    with client_of(site) as client:
        yield client


def cookie_of(site: WebSite, role: Role) -> dict[str, str]:
    secret = site.database.run_now(login_sessions.begin_session, role, site.key)
    return {"Cookie": f"session={secret}"}


def test_nobody_waits_for_the_pictures_of_another(
    full: TestClient, site: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    drawn: list[str] = []

    def slow_picture(chart: Chart) -> bytes:
        assert goes_on.wait(_SECONDS)
        drawn.append(chart.title)
        return b"\x89PNG"

    monkeypatch.setattr(series_pages, "picture_of", slow_picture)
    greedy, other = cookie_of(site, Role.READER), cookie_of(site, Role.EDITOR)
    with ThreadPoolExecutor(50) as threads:
        requests = [
            threads.submit(full.get, f"/prices.png?from=2026-02-{day:02}&to=2026-02-2{more}", headers=greedy)
            for day in range(1, 11)
            for more in range(4)
        ]  # fmt: skip
        try:
            # Of 40, 36 have a turn or wait for it.
            done, _ = wait(requests, _SECONDS, return_when="FIRST_COMPLETED")
            refused = next(iter(done)).result()
            assert refused.status_code == 429
            assert int(refused.headers["retry-after"]) > 0
            assert "请求过于频繁" in refused.text
            page = threads.submit(full.get, "/prices", headers=other).result(_SECONDS)
            assert page.status_code == 200
            assert not drawn
        finally:
            goes_on.set()
        statuses = [one.result(_SECONDS).status_code for one in requests]
    assert sorted(statuses) == [200] * 36 + [429] * 4


class Work:
    """An application behind the limits, whose requests wait until they may go on."""

    def __init__(self, site: WebSite) -> None:
        self._site = site
        self._limits = WorkLimits(self._answer)
        self.goes_on = asyncio.Event()
        self.statuses: list[int] = []
        self.working = self.most = 0

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.working += 1
        self.most = max(self.most, self.working)
        await self.goes_on.wait()
        self.working -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def begin(self, *visitors: tuple[Visitor, str]) -> list[asyncio.Task[None]]:
        """Send requests of visitors from network addresses, and let them get as far as they can."""
        tasks = [asyncio.create_task(self._request(*visitor)) for visitor in visitors]
        for _ in range(20):
            await asyncio.sleep(0)
        return tasks

    async def _request(self, visitor: Visitor, address: str) -> None:
        scope: Scope = {
            "type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [],
            "client": (address, 1),
            "state": {"visitor": visitor, "has_users": visitor is not ALONE},
            "app": SimpleNamespace(state=SimpleNamespace(site=self._site)),
        }  # fmt: skip
        await self._limits(scope, self._nothing, self._note)

    async def _nothing(self) -> Message:
        raise AssertionError

    async def _note(self, message: Message) -> None:
        if "status" in message:
            self.statuses.append(message["status"])


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two requests of a visitor at once and one that waits, five of all and two that wait."""
    monkeypatch.setattr(web_application, "OF_ONE", RequestLimits(2, 1))
    monkeypatch.setattr(web_application, "OF_ALL", RequestLimits(5, 2))


def finished(site: WebSite, *visitors: tuple[Visitor, str]) -> tuple[list[int], int]:
    """Return the statuses of requests sent at once, and how many were worked on at once."""

    async def run() -> tuple[list[int], int]:
        work = Work(site)
        tasks = await work.begin(*visitors)
        work.goes_on.set()
        await asyncio.gather(*tasks)
        assert work.working == 0
        return sorted(work.statuses), work.most

    return run_async(run())


@pytest.mark.usefixtures("few")
def test_one_visitor_has_few_turns(site: WebSite) -> None:
    user = (Visitor("reader"), "10.0.0.1")
    assert finished(site, *[user] * 5) == ([200] * 3 + [429] * 2, 2)
    # A user is the same one from everywhere; strangers are told apart by address.
    assert finished(site, *((Visitor("reader"), f"10.0.0.{n}") for n in range(5)))[1] == 2
    assert finished(site, *((STRANGER, f"10.0.0.{n}") for n in range(5))) == ([200] * 5, 5)
    assert finished(site, *[(STRANGER, "10.0.0.1")] * 5) == ([200] * 3 + [429] * 2, 2)


@pytest.mark.usefixtures("few")
def test_all_together_have_more_turns(site: WebSite) -> None:
    users = [(Visitor(f"user{n}"), "10.0.0.1") for n in range(9)]
    assert finished(site, *users) == ([200] * 7 + [503] * 2, 5)
    # Without users there is one visitor, of this machine.
    assert finished(site, *[(ALONE, "127.0.0.1")] * 9) == ([200] * 7 + [503] * 2, 5)


@pytest.mark.usefixtures("few")
def test_nobody_waits_for_ever(site: WebSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_application, "LONGEST_WAIT", 0.05)

    async def run() -> list[int]:
        work, user = Work(site), (Visitor("reader"), "10.0.0.1")
        tasks = await work.begin(*[user] * 3)
        await asyncio.wait(tasks, return_when="FIRST_COMPLETED")
        assert work.statuses == [429]
        work.goes_on.set()
        await asyncio.gather(*tasks)
        # The turns are there again.
        await asyncio.gather(*await work.begin(*[user] * 2))
        return work.statuses

    assert run_async(run()) == [429, 200, 200, 200, 200]


@pytest.mark.usefixtures("few")
def test_a_refusal_that_is_sent_slowly_changes_no_turns(site: WebSite) -> None:
    async def run() -> int:
        work, user = Work(site), (Visitor("reader"), "10.0.0.1")
        is_sent = asyncio.Event()
        note = work._note

        async def slow(message: Message) -> None:
            if message.get("status") == 429:
                await is_sent.wait()
            await note(message)

        work._note = slow  # type: ignore[method-assign]
        first = await work.begin(*[user] * 4)
        work.goes_on.set()
        await asyncio.wait(first[:3])
        work.goes_on.clear()
        second = await work.begin(*[user] * 2)
        is_sent.set()
        await first[3]
        third = await work.begin(*[user] * 2)
        most = work.most
        work.goes_on.set()
        await asyncio.gather(*second, *third)
        return most

    assert run_async(run()) == 2
