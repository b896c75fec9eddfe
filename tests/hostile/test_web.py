"""The hostile web itself: it sends what it should, and sees who touches what."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.addresses import TARGETS
from tests.hostile.cases import CASES, chosen
from tests.hostile.honest import Honest
from tests.hostile.processes import Bounds, watched
from tests.hostile.server import HostileWeb

SAY_NOTHING = {"body-silent", "body-closes"}
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def web() -> Iterator[HostileWeb]:
    with HostileWeb(CASES, Honest(3).sites()) as served:
        yield served


async def answered(web: HostileWeb, url: str, most: int = 400) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    writer.write(f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode("utf-8", "surrogateescape"))
    try:
        async with asyncio.timeout(120):
            return await reader.read(most)
    finally:
        writer.close()


def test_there_are_a_hundred_cases_and_more() -> None:
    assert len(CASES) >= 100
    assert len({case.host for case in CASES.values()}) == len(CASES)


@pytest.mark.parametrize("category", sorted({case.category for case in CASES.values()}))
async def test_every_case_sends_something(web: HostileWeb, category: str) -> None:
    for case in chosen(category):
        if case.name not in SAY_NOTHING:
            path = "/robots.txt" if case.robots and case.name != "robots-silent" else "/"
            got = await answered(web, f"http://{case.host}{path}", 10)
            assert got or case.name == "robots-closed", case.name


async def test_honest_pages_come_whole(web: HostileWeb) -> None:
    for url in Honest(3).pages():
        page = await answered(web, url, 100_000)
        assert page.startswith(b"HTTP/1.1 200")
        assert page.endswith(b"</html>")


@pytest.mark.parametrize("target", TARGETS.values())
async def test_whoever_asks_for_an_address_that_is_not_public_is_seen(
    web: HostileWeb, target: str
) -> None:
    web.reset()
    await answered(web, f"http://{target.format(80)}/", 10)
    assert web.touched


async def test_names_are_nothing_to_be_counted(web: HostileWeb) -> None:
    web.reset()
    for url in ("http://essays0.honest.test/", "http://bomb-digits.hostile.test/", "http://a/"):
        await answered(web, url, 10)
    assert not web.touched
    assert web.requested["essays0.honest.test"] == 1


def test_the_canary_sees_a_connection(web: HostileWeb) -> None:
    web.reset()
    with socket.create_connection(("127.0.0.1", web.canary)) as connection:
        assert connection.recv(1) == b""
    assert web.touched == {"a connection to the canary": 1}


@pytest.mark.parametrize(
    ("program", "killed"),
    [
        ("while True: pass", "time"),
        ("x = bytearray(300 << 20)\nwhile True: x[::4096] = bytes(len(x[::4096]))", "memory"),
        ("print('hello')", ""),
    ],
)
def test_a_process_over_its_bounds_is_killed(tmp_path: Path, program: str, killed: str) -> None:
    bounds = Bounds(seconds=30 if killed == "memory" else 2, memory=200 * MEGABYTE)
    ended = watched([sys.executable, "-c", program], tmp_path, os.environ, bounds)
    assert ended.killed == killed
    assert ended.code == (-9 if killed else 0)
    assert killed or ended.out == "hello\n"
