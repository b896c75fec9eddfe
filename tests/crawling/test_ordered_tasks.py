"""Turns: what began first passes first, however long it takes to get there."""

from __future__ import annotations

import asyncio

import pytest

from focuscrawl.crawling.ordered_tasks import Turns


async def _passed(steps: list[int], broken: frozenset[int] = frozenset()) -> list[int]:
    """Return the order in which tasks pass; the task ``n`` gets there after ``steps[n]`` steps."""
    turns = Turns()
    passed: list[int] = []

    async def work(number: int) -> None:
        async with turns.queue() as turn:
            for _ in range(steps[number]):
                await asyncio.sleep(0)
            if number in broken:
                raise RuntimeError
            await turn()
            # Whoever has its turn may wait for something: nobody else passes meanwhile.
            await asyncio.sleep(0)
            passed.append(number)

    await asyncio.gather(*map(work, range(len(steps))), return_exceptions=True)
    return passed


@pytest.mark.parametrize("steps", [[9, 5, 1, 0], [0, 1, 5, 9], [3, 9, 0, 4]])
def test_first_come_first_passed(steps: list[int]) -> None:
    assert asyncio.run(_passed(steps)) == [0, 1, 2, 3]


def test_an_error_lets_nobody_pass_those_before_it() -> None:
    assert asyncio.run(_passed([20, 0, 3, 1], frozenset({1}))) == [0, 2, 3]
