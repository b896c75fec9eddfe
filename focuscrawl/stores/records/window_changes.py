"""Changes of template records in the last window of their crawl, against the windows before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from focuscrawl.items import RecordChange

GetState = Callable[[str], Awaitable[dict[str, Any] | None]]


class WindowChanges:
    """Tells which rows of records the last window of their crawl added or changed.

    ``get_state`` reads the state that :class:`~focuscrawl.crawling.run_window.RunWindow` stores, once
    for each crawl.
    """

    def __init__(self, get_state: GetState) -> None:
        self._get_state = get_state
        self._states: dict[str, dict[str, Any]] = {}

    async def of(self, row: Mapping[str, Any]) -> RecordChange:
        """Return the change of a row; none in the first window, where all are new."""
        crawl = row["crawl"]
        if crawl not in self._states:
            self._states[crawl] = await self._get_state(f"window {crawl}") or {}
        window = self._states[crawl].get("window", 0)
        if window < 2 or row["window"] != window:
            return ""
        begun = datetime.fromisoformat(self._states[crawl]["begun"])
        if row["fetched_at"] < begun:
            return ""
        return "new" if row["first_seen"] >= begun else "changed"
