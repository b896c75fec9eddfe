"""``scrapy serve``, run as its own program."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from scrapy.settings import Settings

from focuscrawl.commands import serve
from focuscrawl.stores.database_urls import located
from focuscrawl.web.crawls.crawl_processes import environment
from focuscrawl.web.web_server import ListenAddress
from tests.commands.test_users import users
from tests.servers import warm_scrapy
from tests.servers.process import free_port
from tests.stores import record_examples
from tests.web.conftest import fill


@contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen(
        [sys.executable, "-m", "scrapy", "serve", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, "FOCUSCRAWL_DATA": str(folder / "data"), **environment},
    )  # fmt: skip
    try:
        yield server
    finally:
        server.kill()
        server.communicate()


def store_in(folder: Path) -> str:
    url = f"sqlite:///{folder}/data/focuscrawl.sqlite"
    fill(url, [record_examples.article()])
    return url


def test_serves_the_store_of_the_project_until_ctrl_c(tmp_path: Path) -> None:
    store_in(tmp_path)
    with serving(tmp_path, "--port", "0") as server:
        assert server.stdout
        lines = [server.stdout.readline() for _ in range(3)]
        address = re.search(r"http://127\.0\.0\.1:\d+/", lines[0])
        assert address
        assert "Read only, since there are no users" in lines[1]
        with urlopen(f"{address[0]}login") as answer:
            assert answer.status == 200
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


def said(folder: Path, *arguments: str, **environment: str) -> str:
    """Return the one line with which a server that cannot start ends."""
    given = os.environ | {"FOCUSCRAWL_DATA": str(folder / "data")} | environment
    done = warm_scrapy.run(["serve", *arguments], cwd=folder, env=given)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_port_in_use(tmp_path: Path) -> None:
    url = store_in(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        error = said(tmp_path, "--store", url, "--port", port)
    assert error == (
        f"error: cannot listen at 127.0.0.1 port {port} (Address already in use); "
        "name another: --port, --host\n"
    )


def test_other_machines_need_users_and_a_secret(tmp_path: Path) -> None:
    store_in(tmp_path)
    open_to_all = ["--host", "0.0.0.0", "--public-url", "https://prices.example", "--port", "0"]
    assert "--public-url" in said(tmp_path, "--host", "0.0.0.0")
    assert "there are no users" in said(tmp_path, *open_to_all)
    users(tmp_path, "add", "wang", "--role", "administrator")
    assert "FOCUSCRAWL_WEB_SECRET" in said(tmp_path, *open_to_all)
    port = free_port()
    open_to_all = [*open_to_all[:-1], str(port)]
    with serving(tmp_path, *open_to_all, FOCUSCRAWL_WEB_SECRET="x" * 32) as server:
        assert server.stdout
        assert "at https://prices.example" in server.stdout.readline()
        with closing(sqlite3.connect(tmp_path / "data/web.sqlite")) as database, database:
            database.execute("DELETE FROM web_users")
        with urlopen(f"http://127.0.0.1:{port}/prices.csv") as answer:
            assert answer.url.endswith("/login?next=%2Fprices.csv")


def test_an_address_of_a_proxy_is_believed_only_where_there_is_one(tmp_path: Path) -> None:
    store_in(tmp_path)
    users(tmp_path, "add", "wang", "--role", "administrator")
    public = ("--public-url", "HTTPS://prices.example")
    secret = {"FOCUSCRAWL_WEB_SECRET": "x" * 32}
    for arguments, address in (((), "127.0.0.1"), (public, "10.1.2.3")):
        port = free_port()
        with serving(tmp_path, "--port", str(port), *arguments, **secret) as server:
            assert server.stdout
            server.stdout.readline()
            form = Request(f"http://127.0.0.1:{port}/login", b"name=wang&password=wrong+password")
            form.add_header("X-Forwarded-For", "10.1.2.3")
            with pytest.raises(HTTPError, match="401"):
                urlopen(form)
        with closing(sqlite3.connect(tmp_path / "data/web.sqlite")) as database:
            found = database.execute("SELECT address FROM web_failed_logins ORDER BY number DESC")
            assert found.fetchone() == (address,)


@pytest.mark.parametrize(
    ("store", "stores"),
    [
        (None, "{default},excel:///{folder}/focuscrawl.xlsx"),
        ("{default}", "{default},excel:///{folder}/focuscrawl.xlsx"),
        ("sqlite:///focuscrawl.sqlite", "{default},excel:///{folder}/focuscrawl.xlsx"),
        ("sqlite:///{folder}/other.sqlite", "sqlite:///{folder}/other.sqlite"),
    ],
)
def test_crawls_write_what_those_of_the_command_line_do(
    store: str | None, stores: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"folder": tmp_path, "default": f"sqlite:///{tmp_path}/focuscrawl.sqlite"}
    for name in ("focuscrawl", "other"):
        fill(f"sqlite:///{tmp_path}/{name}.sqlite", [record_examples.article()])
    settings = Settings({"FOCUSCRAWL_DATA": str(tmp_path)})
    asked = store and store.format(**names)
    site = serve._site(settings, asked, ListenAddress("127.0.0.1", 0))
    with closing(site.database):
        started = environment(site, {})["FOCUSCRAWL_STORES"]
        assert started == stores.format(**names)
        assert located(site.store_url) == located(asked or names["default"])


@pytest.mark.parametrize("place", ["--store", "FOCUSCRAWL_STORES"])
def test_mongodb_is_refused_with_the_command_that_copies_it(tmp_path: Path, place: str) -> None:
    url, excel = "mongodb://wang:geheim@127.0.0.1:9/prices?authSource=admin", "excel:///book.xlsx"
    given = [place, url] if place == "--store" else ["-s", f"{place}={excel},{url}"]
    assert said(tmp_path, *given) == (
        "error: the web views read SQLite, MySQL and MariaDB, not mongodb://wang@127.0.0.1:9/prices; "
        "copy it: scrapy transfer 'mongodb://wang:***@127.0.0.1:9/prices?authSource=admin' "
        "sqlite:///data/transferred.sqlite, then: scrapy serve --store sqlite:///data/transferred.sqlite\n"
    )
    assert not (tmp_path / "data").exists()


def test_no_store(tmp_path: Path) -> None:
    assert "crawl first" in said(tmp_path)
