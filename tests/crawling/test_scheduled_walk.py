"""Walks carried on page by page, without a crawl."""

from __future__ import annotations

import asyncio

import pytest

from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.crawling.scheduled_walk import Fetch, ScheduledWalk

A, B = "http://a.example/", "http://b.example/"


async def test_a_walk_gives_its_requests_one_by_one_and_its_result() -> None:
    async def both(fetch: Fetch) -> list[str]:
        first = await fetch(A, takes_json=True)
        # What does not concern a page, reading in another process say, keeps the callback open.
        await asyncio.sleep(0)
        return [first.text, (await fetch(B)).text]

    walk = ScheduledWalk(both)
    request = await walk.next()
    assert request
    assert (request.url, request.meta, request.dont_filter) == (A, {"takes_json": True}, True)
    request = await walk.next(FetchedPage(A, "first"))
    assert request
    assert request.url == B
    assert await walk.next(FetchedPage(B, "second")) is None
    assert walk.result() == ["first", "second"]


async def test_a_walk_without_requests_ends_at_once_and_raises_its_error() -> None:
    async def broken(fetch: Fetch) -> None:
        raise LookupError("nothing")

    walk = ScheduledWalk(broken)
    assert await walk.next() is None
    with pytest.raises(LookupError):
        walk.result()


@pytest.mark.parametrize(
    ("url", "failure", "is_fault"),
    [("no-scheme", "no address", False), ("http://。。。\u202e神.test/", "invalid address", True)],
)
async def test_what_no_request_can_be_made_for_is_a_failure(
    url: str, failure: str, is_fault: bool
) -> None:
    walk = ScheduledWalk(lambda fetch: fetch(url))
    assert await walk.next() is None
    assert (walk.result().failure, walk.result().is_fault) == (failure, is_fault)


async def test_a_walk_that_is_cancelled_waits_no_longer() -> None:
    walk = ScheduledWalk(lambda fetch: fetch(A))
    walk.cancel()
    assert await walk.next()
    walk.cancel()
    await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        walk.result()
