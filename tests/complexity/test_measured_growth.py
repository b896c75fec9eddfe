"""The measuring of growth itself, by a clock that only readings move."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.complexity import growth as measuring
from tests.complexity.growth import LARGEST_FACTOR, Growth, full_growth, growth

SIZE = 4_000
Cost = Callable[[int], float]


class Reader:
    """Reads a text of n characters in ``cost(n)`` seconds."""

    def __init__(self, cost: Cost) -> None:
        self.cost = cost
        self.seconds = 0.0

    def __call__(self, text: str) -> None:
        self.seconds += self.cost(len(text))


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Callable[[Cost], Reader]:
    def make(cost: Cost) -> Reader:
        made = Reader(cost)
        clock = SimpleNamespace(process_time=lambda: made.seconds)
        monkeypatch.setattr(measuring, "time", clock)
        return made

    return make


def text(size: int) -> str:
    return "x" * size


def step(n: int) -> float:
    """Linear time, that of a cache up to 2,000 characters and that of memory above."""
    return 1e-5 * n * (1 if n <= 2_000 else 1.5)


def capped(n: int) -> float:
    """Quadratic time up to the cap of 4,000 characters."""
    return 1e-8 * min(n, 4_000) ** 2


@pytest.mark.parametrize(
    "cost",
    [
        lambda n: 1e-8 * n**2,
        lambda n: 1e-12 * n**3,
        # From 2n to 4n by 2.6.
        lambda n: 1e-5 * (n + 0.22 * n**2 / 1_000),
        lambda n: 1e-5 * (n + 6 * max(0, n - 3_000)),
    ],
)
def test_more_than_linear_time_is_seen(reader: Callable[[Cost], Reader], cost: Cost) -> None:
    assert growth(reader(cost), text, SIZE).factor > LARGEST_FACTOR


def test_a_step_is_linear_at_larger_sizes_and_nothing_else_is(
    reader: Callable[[Cost], Reader],
) -> None:
    assert growth(reader(step), text, SIZE).factor > LARGEST_FACTOR
    assert full_growth(reader(step), text, 4 * SIZE).is_linear
    assert growth(reader(capped), text, SIZE).factor > LARGEST_FACTOR
    assert not full_growth(reader(capped), text, 4 * SIZE).is_linear
    assert not full_growth(reader(lambda n: 1e-8 * n**2), text, 4 * SIZE).is_linear
    assert not Growth((0.01, 0.04)).is_linear
