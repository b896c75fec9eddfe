"""Counts of a run over a frontier, in Scrapy's stats."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from focuscrawl.frontier.frontier_entries import Ack, Pushed

Increase = Callable[[str, int], None]
"""Increases a number in the stats."""


def count_pushed(increase: Increase, pushed: Pushed) -> None:
    """Count the results of pushed links."""
    for name, number in pushed._asdict().items():
        if number:
            name = "enqueued" if name == "new" else name
            increase(f"frontier/{name}", number)


def count_outcomes(increase: Increase, acks: Iterable[Ack]) -> None:
    """Count finished pages, by state and by reason."""
    for ack in acks:
        state, reason = ack.outcome
        increase(f"frontier/{state}", 1)
        if reason:
            increase(f"frontier/{state}/{reason}", 1)
