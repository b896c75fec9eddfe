"""The budget of pages of all workers, while their server is away."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from focuscrawl.errors import FrontierUnavailableError
from focuscrawl.policy.page_budget import Budget, budget_of
from focuscrawl.workers.crawl_membership import open_crawl
from focuscrawl.workers.threaded_access import ThreadedAccess
from tests.servers.redis_server import RedisServer
from tests.workers.conftest import quiet_engine


async def opened(url: str, seconds: float) -> ThreadedAccess:
    joining = partial(open_crawl, url, "budget", arguments={}, slots=1)
    return await ThreadedAccess.open(quiet_engine(), seconds, joining)


async def spend_all(budget: Budget) -> int:
    spent = 0
    while await budget.spend():
        spent += 1
    return spent


async def test_a_server_that_is_started_again_is_waited_for(
    valkey_server: RedisServer, valkey_url: str
) -> None:
    access = await opened(valkey_url, 60)
    budget = budget_of(access.shared_pages(), 9)
    # appendfsync everysec
    await asyncio.sleep(1.2)
    await asyncio.to_thread(valkey_server.stop)
    spending = asyncio.ensure_future(spend_all(budget))
    await asyncio.sleep(0.5)
    assert not spending.done()
    await asyncio.to_thread(valkey_server.start)
    assert await spending == 9
    await budget.close()
    await access.settle()
    await access.close()


async def test_a_server_that_stays_away_is_an_error(
    valkey_server: RedisServer, valkey_url: str
) -> None:
    access = await opened(valkey_url, 0.3)
    budget = budget_of(access.shared_pages(), 9)
    valkey_server.stop()
    try:
        with pytest.raises(FrontierUnavailableError, match="does not answer"):
            await budget.spend()
    finally:
        valkey_server.start()
    await access.settle()
    await access.close()
