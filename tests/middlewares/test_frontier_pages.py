"""Responses of pages that an earlier run died with."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import Response

from focuscrawl.errors import WorkerError
from focuscrawl.middlewares import frontier_pages
from focuscrawl.middlewares.frontier_pages import SuspectResponses, load_readers


@pytest.mark.parametrize("is_suspect", [False, True])
@pytest.mark.parametrize("is_silent", [False, True])
@pytest.mark.parametrize("can_start", [False, True])
async def test_a_suspect_is_blamed_only_once_a_worker_process_is_ready(
    monkeypatch: pytest.MonkeyPatch, is_suspect: bool, is_silent: bool, can_start: bool
) -> None:
    done: list[object] = []

    async def in_worker(function: Callable[[], None]) -> None:
        done.append(function)
        if not can_start:
            raise WorkerError

    async def record(request: Request) -> None:
        done.append(request)

    monkeypatch.setattr(frontier_pages, "in_worker", in_worker)
    scheduler = SimpleNamespace(
        is_suspect=lambda request: is_suspect,
        must_record=lambda request: is_suspect or is_silent,
        record_response=record,
    )
    made: object = SimpleNamespace(engine=SimpleNamespace(scheduler=scheduler))
    assert isinstance(made, SimpleNamespace)
    request, response = Request("http://a.test/"), Response("http://a.test/")
    middleware = SuspectResponses.__new__(SuspectResponses)
    middleware.crawler = made  # type: ignore[assignment]
    found = middleware.process_response(request, response)
    assert (await found if isawaitable(found) else found) is response
    assert done == [load_readers] * is_suspect + [request] * (is_suspect or is_silent)


def test_the_readers_are_there() -> None:
    load_readers()
