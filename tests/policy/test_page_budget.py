"""Budgets of pages: nothing too many, nothing left over, and no waiting for what can be fetched early."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.frontier_entries import PagesLeft
from focuscrawl.policy.page_budget import (
    LARGEST_GRANT,
    BudgetGrants,
    LocalBudget,
    budget_of,
)


class Counter:
    """The counter of all workers in memory; ``answers`` are the seconds that a call takes."""

    def __init__(self, pages: int, workers: int = 1, seed: int | None = None) -> None:
        self.pages = pages
        self.workers = workers
        self.grants: list[int] = []
        self.failures: list[Exception] = []
        self.gate: asyncio.Event | None = None
        self._chance = random.Random(seed) if seed is not None else None

    async def _answer(self) -> None:
        if self.gate:
            await self.gate.wait()
        for _ in range(self._chance.randrange(5) if self._chance else 0):
            await asyncio.sleep(0)
        if self.failures:
            raise self.failures.pop()

    async def left(self) -> PagesLeft:
        await self._answer()
        return PagesLeft(self.pages, self.workers)

    async def take(self, count: int) -> int:
        await self._answer()
        granted = min(count, self.pages)
        self.pages -= granted
        self.grants.append(granted)
        return granted

    async def give_back(self, count: int) -> None:
        await self._answer()
        self.pages += count


async def spend_all(budget: BudgetGrants | LocalBudget, most: int = 10**6) -> int:
    spent = 0
    while spent < most and await budget.spend():
        spent += 1
    return spent


@pytest.mark.parametrize("most", [1, 2, 250])
async def test_one_process_spends_all_and_no_more(most: int) -> None:
    budget = LocalBudget(most)
    assert await spend_all(budget, most - 1) == most - 1
    assert not await budget.is_used_up()
    assert await spend_all(budget) == 1
    assert await budget.is_used_up()
    assert not await budget.spend()
    await budget.close()


def test_one_process_never_waits() -> None:
    # The order in which pages are judged must not depend on the event loop.
    spending = LocalBudget(1).spend()
    with pytest.raises(StopIteration) as returned:
        spending.send(None)
    assert returned.value.value is True


@given(
    pages=st.integers(1, 1500),
    workers=st.integers(1, 6),
    tasks=st.integers(1, 4),
    seed=st.integers(0, 1000),
)
def test_workers_spend_all_and_no_more(pages: int, workers: int, tasks: int, seed: int) -> None:
    async def run() -> None:
        counter = Counter(pages, workers, seed)
        budgets = [BudgetGrants(counter) for _ in range(workers)]
        # Each worker reads several pages at once.
        work = [spend_all(budget) for budget in budgets for _ in range(tasks)]
        assert sum(await asyncio.gather(*work)) == pages
        assert counter.pages == 0
        assert max(counter.grants) <= LARGEST_GRANT
        for budget in budgets:
            assert await budget.is_used_up()
            await budget.close()
        assert counter.pages == 0

    asyncio.run(run())


@pytest.mark.parametrize("spent", [0, 1, 50, 99, 100, 150])
async def test_a_killed_worker_costs_its_grants_only(spent: int) -> None:
    counter = Counter(1000, 2)
    killed = BudgetGrants(counter)
    assert await spend_all(killed, spent) == spent
    await asyncio.sleep(0)
    held = 1000 - counter.pages - spent
    assert held <= LARGEST_GRANT * 5 // 4
    assert await spend_all(BudgetGrants(counter)) == 1000 - spent - held


async def test_the_last_page_is_known_to_be_the_last() -> None:
    budget = BudgetGrants(Counter(3))
    for is_last in (False, False, True):
        assert await budget.spend()
        assert await budget.is_used_up() is is_last


async def test_the_next_grant_is_fetched_before_the_present_one_is_spent() -> None:
    counter = Counter(10_000)
    budget = BudgetGrants(counter)
    assert await spend_all(budget, 80) == 80
    await asyncio.sleep(0)
    counter.gate = asyncio.Event()
    assert counter.grants == [100, 100]
    # Nobody waits for a server that is slow from here on.
    assert await asyncio.wait_for(spend_all(budget, 120), 10) == 120
    waiting = asyncio.create_task(budget.spend())
    await asyncio.sleep(0)
    assert not waiting.done()
    counter.gate.set()
    assert await waiting


async def test_an_error_reaches_who_waits_for_a_grant_and_passes() -> None:
    counter = Counter(1000)
    budget = BudgetGrants(counter)
    counter.failures = [FrontierError("away")]
    with pytest.raises(FrontierError, match="away"):
        await budget.spend()
    assert await spend_all(budget, 76) == 76
    counter.failures = [FrontierError("away")]
    await asyncio.sleep(0)
    assert await spend_all(budget) == 1000 - 76


async def test_workers_that_share_a_frontier_share_its_budget() -> None:
    class Frontier:
        counter = Counter(5)

        def page_counter(self, most: int) -> Counter:
            assert most == 5
            return self.counter

    frontier = Frontier()
    budgets = [budget_of(frontier, 5), budget_of(frontier, 5), budget_of(frontier, None)]
    assert await budgets[0].spend()
    await budgets[0].close()
    assert frontier.counter.pages == 4
    assert sum([await budgets[1].spend() for _ in range(9)]) == 4
    assert await budgets[2].spend()
    assert isinstance(budget_of(None, 5), LocalBudget)


async def test_a_server_that_is_gone_at_the_end_is_no_error() -> None:
    counter = Counter(1000)
    budget = BudgetGrants(counter)
    assert await budget.spend()
    counter.failures = [FrontierError("away")]
    await budget.close()
    assert await budget.is_used_up()
