"""The hostile web itself: it sends what it should, and sees who touches what."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

from tests.hostile.addresses import TARGETS
from tests.hostile.cases import CASES
from tests.hostile.honest import Honest
from tests.hostile.processes import Bounds, watched
from tests.hostile.server import HostileWeb

SAY_NOTHING = {"body-silent", "body-closes"}
MEGABYTE = 1024 * 1024


async def answered(web: HostileWeb, url: str, most: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    writer.write(f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode("utf-8", "surrogateescape"))
    try:
        async with asyncio.timeout(120):
            return await reader.read(most)
    finally:
        writer.close()


@pytest.mark.exhaustive
async def test_every_case_sends_something() -> None:
    with HostileWeb(CASES, {}) as web:
        for case in CASES.values():
            if case.name not in SAY_NOTHING:
                path = "/robots.txt" if case.robots and case.name != "robots-silent" else "/"
                got = await answered(web, f"http://{case.host}{path}", 10)
                assert got or case.name == "robots-closed", case.name


async def test_whoever_asks_for_an_address_that_is_not_public_is_seen_and_nobody_else() -> None:
    with HostileWeb({"bomb-digits": CASES["bomb-digits"]}, Honest(3).sites()) as web:
        for target in TARGETS.values():
            web.reset()
            await answered(web, f"http://{target.format(80)}/", 10)
            assert web.touched, target
        web.reset()
        for url in ("http://essays0.honest.test/", "http://bomb-digits.hostile.test/", "http://a/"):
            await answered(web, url, 10)
        assert not web.touched
        assert web.requested["essays0.honest.test"] == 1
        with socket.create_connection(("127.0.0.1", web.canary)) as connection:
            assert connection.recv(1) == b""
        assert web.touched == {"a connection to the canary": 1}


@pytest.mark.parametrize(
    ("program", "killed"),
    [
        ("while True: pass", "time"),
        ("x = bytearray(300 << 20)\nwhile True: x[::4096] = bytes(len(x[::4096]))", "memory"),
    ],
)
def test_a_process_over_its_bounds_is_killed(tmp_path: Path, program: str, killed: str) -> None:
    bounds = Bounds(seconds=30 if killed == "memory" else 2, memory=200 * MEGABYTE)
    ended = watched([sys.executable, "-c", program], tmp_path, os.environ, bounds)
    assert (ended.killed, ended.code) == (killed, -9)
