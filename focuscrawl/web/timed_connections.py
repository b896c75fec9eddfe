"""Connections of HTTP that are ended when their other side is too slow, or holds too many of them."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from focuscrawl.web.network_addresses import counted_address

REQUEST_SECONDS = 30.0
"""Time for a whole request to arrive, head and body, which has 256 KB at most."""
READING_SECONDS = 60.0
"""Time in which the other side has to take something of a response that waits for it."""
MOST_OF_AN_ADDRESS = 128
"""Connections of one address at once; an office behind one address needs dozens."""
_ARRIVED = {h11.DONE, h11.MUST_CLOSE, h11.CLOSED}


class TimedConnection(H11Protocol):
    """A connection of uvicorn, whose own time limit begins only after a response."""

    _address = ""
    _request_timer: asyncio.TimerHandle | None = None
    _reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        # Those of a proxy are those of all visitors, and the proxy has limits of its own.
        self._address = counted_address(self.client[0]) if self.client else ""
        if not self.config.proxy_headers and self._count_of_address() > MOST_OF_AN_ADDRESS:
            transport.abort()
            return
        self._await_request()

    def _count_of_address(self) -> int:
        others: set[Any] = self.connections
        return sum(one._address == self._address for one in others)

    def _await_request(self) -> None:
        self._request_timer = self.loop.call_later(REQUEST_SECONDS, self._end)

    def _end(self) -> None:
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take bytes; the time runs from the first one of a request to the last one, however many."""
        super().data_received(data)
        if self.conn.their_state in _ARRIVED:
            self._stop_request_timer()
        elif self._request_timer is None:
            self._await_request()

    def pause_writing(self) -> None:
        """Wait for a client that takes nothing of a response."""
        super().pause_writing()
        self._reading_timer = self.loop.call_later(READING_SECONDS, self._end)

    def resume_writing(self) -> None:
        """Go on writing to a client that has taken something."""
        super().resume_writing()
        self._stop_reading_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limits of a connection that has ended."""
        self._stop_request_timer()
        self._stop_reading_timer()
        super().connection_lost(exc)

    def _stop_request_timer(self) -> None:
        if self._request_timer:
            self._request_timer.cancel()
            self._request_timer = None

    def _stop_reading_timer(self) -> None:
        if self._reading_timer:
            self._reading_timer.cancel()
