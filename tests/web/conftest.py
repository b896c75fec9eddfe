"""A web site over a store, a client for it, and a real browser."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvicorn
from playwright.sync_api import Browser, ConsoleMessage, sync_playwright
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from focuscrawl.items import Record
from focuscrawl.stores.database_urls import database_at, sqlite_url
from focuscrawl.web.accounts import account_store, passwords
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.web_application import create_application
from focuscrawl.web.web_site import WebSite
from tests.conftest import missing

HOST = "http://127.0.0.1"
_T = TypeVar("_T")
PASSWORD = "correct horse battery"
# Argon2 takes its time on purpose, and the tests log in hundreds of times.
QUICK = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),))
_HASH = QUICK.hash(PASSWORD)


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords quickly; tests/web/accounts/test_passwords.py has the real parameters."""
    passwords.nobody.cache_clear()
    monkeypatch.setattr(passwords, "hasher", lambda: QUICK)


def fill(url: str, records: Sequence[Record]) -> None:
    """Write records into the store of a URL, which is created."""

    async def write() -> None:
        store = database_at(url)
        await store.open()
        try:
            await store.write(records)
        finally:
            await store.close()

    run_async(write())


def run_async(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end, in a thread, for Playwright has a running loop in this one."""
    with ThreadPoolExecutor(1) as worker:
        return worker.submit(asyncio.run, work).result()


def site_over(store_url: str, folder: Path, **values: Any) -> WebSite:
    """Return a site over a store, with its own database in a folder."""
    database = WebDatabase(sqlite_url(folder / "web.sqlite"))
    database.create()
    values = {"is_alone": True} | values
    return WebSite(database_at(store_url), store_url, database, folder, **values)


def add_users(site: WebSite) -> None:
    """Add a user of each role, named as the role."""
    for role in reversed(Role):
        site.database.run_now(account_store.add_user, Author("test", ""), role, role, _HASH)


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    """The URL of the store that the site shows."""
    return sqlite_url(tmp_path / "store.sqlite")


@pytest.fixture
def site(store_url: str, tmp_path: Path) -> Iterator[WebSite]:
    """A site over the store, without users."""
    site = site_over(store_url, tmp_path)
    with closing(site.database):
        yield site


@pytest.fixture
def client(site: WebSite) -> Iterator[TestClient]:
    """A client whose requests come from the same origin."""
    with client_of(site) as client:
        yield client


@contextmanager
def client_of(site: WebSite) -> Iterator[TestClient]:
    """Yield a client of a running site."""
    application = create_application(site, ["127.0.0.1"])
    headers = {"Sec-Fetch-Site": "same-origin", "Accept-Language": "zh-CN"}
    with TestClient(
        application, HOST, headers=headers, follow_redirects=False, raise_server_exceptions=False
    ) as client:
        yield client


def log_in(client: TestClient, role: Role) -> None:
    """Log in as the user of a role."""
    answer = client.post("/login", data={"name": role, "password": PASSWORD})
    assert answer.status_code == 303


@contextmanager
def served(site: WebSite) -> Iterator[str]:
    """Serve a site on a free port, and yield its address."""
    with running(create_application(site, ["127.0.0.1"])) as server:
        yield f"{HOST}:{port_of(server)}"


@contextmanager
def running(
    application: ASGIApp, listener: socket.socket | None = None, **options: Any
) -> Iterator[uvicorn.Server]:
    """Run a server of an application in a thread, with options of uvicorn, on a free port."""
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="warning", **options))
    thread = threading.Thread(target=server.run, args=([listener] if listener else None,))
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        yield server
    finally:
        server.should_exit = True
        thread.join()


def port_of(server: uvicorn.Server) -> int:
    """Return the port of a server that runs."""
    return int(server.servers[0].sockets[0].getsockname()[1])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; each test makes a context of its own."""
    program = shutil.which("chromium")
    if program is None:
        missing("Chromium is not installed; run tools/provide")
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        stack.callback(browser.close)
        yield browser


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Any]]:
    """Open a page in a fresh context; at the end, the console was empty and no request left this host."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def visit(address: str, **options: Any) -> Any:
            context = browser.new_context(locale="zh-CN", **options)
            stack.callback(context.close)
            page = context.new_page()
            page.on("console", lambda said: _note_said(said, complaints))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: _check_local(request.url, complaints))
            page.goto(address)
            return page

        yield visit
    assert complaints == []


def _note_said(said: ConsoleMessage, complaints: list[str]) -> None:
    # Chromium says so where the test is at a field before the page's autofocus: no fault of the page.
    if not said.text.startswith("Autofocus processing was blocked"):
        complaints.append(f"{said.type}: {said.text}")


def _check_local(address: str, complaints: list[str]) -> None:
    if not address.startswith((f"{HOST}:", "data:", "blob:")):
        complaints.append(f"request of {address}")
