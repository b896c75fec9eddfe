"""Limits of the work that requests cause at once: of one visitor, and of all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from focuscrawl.web.error_pages import http_error
from focuscrawl.web.network_addresses import counted_address

_RETRY_SECONDS = 5


class Limits(NamedTuple):
    """Numbers of requests that are worked on at once, and that wait for their turn at most."""

    working: int
    waiting: int


OF_ONE, OF_ALL = Limits(6, 30), Limits(64, 300)
"""A browser sends six requests at once to a server."""
LONGEST_WAIT = 20.0
"""Seconds after which a request that waits for its turn is refused."""


class TooBusyError(Exception):
    """Too many requests wait, or one has waited too long; ``status`` is the one of the response."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Turns:
    """Turns of requests within limits, in the order of their arrival."""

    def __init__(self, limits: Limits, status: int) -> None:
        self._semaphore = asyncio.Semaphore(limits.working)
        self._most = sum(limits)
        self._status = status
        self._count = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request has a turn or waits for one."""
        return self._count == 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and take it; raises TooBusyError if there is none."""
        if self._count >= self._most:
            raise TooBusyError(self._status)
        self._count += 1
        try:
            await self._begin()
            try:
                yield
            finally:
                self._semaphore.release()
        finally:
            self._count -= 1

    async def _begin(self) -> None:
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                await self._semaphore.acquire()
        except TimeoutError as error:
            raise TooBusyError(self._status) from error


class WorkLimits:
    """Works on a few requests of each visitor at once, up to the last byte of their responses.

    A visitor is a user, or a network address where nobody is logged in. A server without users has
    one visitor, who is not limited.
    """

    def __init__(self, application: ASGIApp) -> None:
        self._application = application
        self._of_all = Turns(OF_ALL, 503)
        self._of_one: dict[tuple[str, str], Turns] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request when it is its turn."""
        if scope["type"] != "http" or scope["path"].startswith("/static/"):
            await self._application(scope, receive, send)
            return
        visitor = self._visitor(scope)
        own = self._of_one.setdefault(visitor, Turns(OF_ONE, 429))
        is_limited = scope["state"]["has_users"]
        first: AbstractAsyncContextManager[None] = own.turn() if is_limited else nullcontext()
        try:
            async with first, self._of_all.turn():
                await self._application(scope, receive, send)
        except TooBusyError as error:
            refusal = HTTPException(error.status, headers={"Retry-After": str(_RETRY_SECONDS)})
            response = await http_error(Request(scope), refusal)
            await response(scope, receive, send)
        finally:
            if own.is_idle:
                self._of_one.pop(visitor, None)

    @staticmethod
    def _visitor(scope: Scope) -> tuple[str, str]:
        name = scope["state"]["visitor"].name
        address = scope["client"][0] if scope.get("client") else ""
        return name, "" if name else counted_address(address)
