"""Counts of a run over a frontier, in Scrapy's stats, and what its summary says of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf

from scrapy.crawler import Crawler

from focuscrawl import crawl_run as run
from focuscrawl.frontier.frontier_entries import DAMAGED_ROW, Ack, Pushed
from focuscrawl.network.waiting_times import local_time
from focuscrawl.scheduling.frontier_access import FrontierAccess

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


def report_rest(
    crawler: Crawler, frontier: FrontierAccess, paused_until: float | None, *, goes_on: bool
) -> None:
    """Report damaged rows, and the URLs that still wait; ``goes_on`` if the next run continues with them."""
    waiting = frontier.waiting
    if damaged := crawler.stats.get_value(f"frontier/failed/{DAMAGED_ROW.reason}"):
        sentence = f"{damaged} damaged rows of {frontier.label} were marked as failed"
        run.mark_incomplete(crawler, sentence)
    crawler.stats.set_value("frontier/waiting", waiting + frontier.leased)
    if waiting and paused_until and paused_until < inf:
        until = local_time(paused_until)
        run.mark_incomplete(crawler, f"{waiting} URLs wait for pauses until {until}")
    if waiting and goes_on:
        run.note(crawler, f"{waiting} URLs wait in {frontier.label}; the next run continues")
