"""``scrapy serve``, run as its own program."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from tests.commands.test_users import users
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
    with serving(folder, *arguments, **environment) as server:
        _, errors = server.communicate(timeout=60)
        assert server.returncode == 2
        assert errors.count("\n") == 1
        return errors


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
    with serving(tmp_path, *open_to_all, FOCUSCRAWL_WEB_SECRET="x" * 32) as server:
        assert server.stdout
        assert "at https://prices.example" in server.stdout.readline()


def test_no_store(tmp_path: Path) -> None:
    assert "crawl first" in said(tmp_path)
