"""Workbooks for clients that leave before they are written."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from focuscrawl.exports.flat_records import Row
from focuscrawl.web import file_downloads
from tests.web.conftest import port_of, running

_PATIENCE = 20


class LongList:
    """Rows that take long, which say whether somebody reads them."""

    def __init__(self) -> None:
        self.has_begun, self.has_ended = threading.Event(), threading.Event()

    def __iter__(self) -> Iterator[Row]:
        self.has_begun.set()
        until = time.monotonic() + 2 * _PATIENCE
        try:
            while time.monotonic() < until:
                time.sleep(0.01)
                yield {"a": "b"}
        finally:
            self.has_ended.set()


def test_a_workbook_ends_when_its_client_leaves() -> None:
    rows = LongList()

    async def download(request: Request) -> Response:
        return await file_downloads.workbook_response(request, rows, {"a": str}, "a.xlsx", "a")

    application = Starlette(routes=[Route("/", download)])
    with running(application) as server:
        place = ("127.0.0.1", port_of(server))
        with socket.create_connection(place, timeout=_PATIENCE) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert rows.has_begun.wait(_PATIENCE)
        assert rows.has_ended.wait(_PATIENCE)
