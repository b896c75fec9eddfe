"""A store in memory that can be made to stay away, to refuse, or to be slow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import date
from typing import Any

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.items import PageVerdict, PriceDecision, Record
from focuscrawl.stored_records import KnownArticle
from focuscrawl.stores.records.batch_changes import plan
from focuscrawl.stores.records.canonical_records import known_article, prepare, stored_verdict
from focuscrawl.stores.store_protocol import Outcome, RefusedRecordsError, Written


class FakeStore:
    """Decides as the real stores do (through ``plan``); ``log`` holds the URLs of each batch."""

    def __init__(self, label: str = "fake://one") -> None:
        self.label = label
        self.rows: dict[str, dict[str, Any]] = {}
        self.state: dict[str, dict[str, Any]] = {}
        self.log: list[list[str]] = []
        self.failures: list[Exception] = []
        self.is_away = False
        self.refuses: set[str] = set()
        self.gate: asyncio.Event | None = None
        self.is_open = False
        self.at_once = self.most_at_once = 0

    async def _answer(self) -> None:
        if self.failures:
            raise self.failures.pop(0)
        if self.is_away:
            raise StoreUnavailableError(f"{self.label} does not answer")

    async def open(self) -> None:
        await self._answer()
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False

    async def write(self, records: Sequence[Record]) -> Written:
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            if self.gate:
                await self.gate.wait()
            await asyncio.sleep(0)
            await self._answer()
            return self._written(records)
        finally:
            self.at_once -= 1

    def _written(self, records: Sequence[Record]) -> Written:
        outcomes: list[Outcome | None] = []
        refused: dict[int, StoreError] = {}
        for number, record in enumerate(records):
            if record.url in self.refuses:
                refused[number] = StoreError(f"{record.url} is refused")
                outcomes.append(None)
            else:
                outcomes.append(self._keep(record))
        self.log.append([record.url for record in records])
        if refused:
            raise RefusedRecordsError(refused, Written.of(outcomes))
        return Written.of(outcomes)

    def _keep(self, record: Record) -> Outcome:
        entry = prepare(record)
        todo = plan([entry], self.rows)
        for key, replaced in todo.replaced.items():
            self.rows[key] = replaced.row
        for key, columns in todo.columns.items():
            self.rows[key] |= columns
        return entry.outcome

    async def decisions(self) -> AsyncIterator[PriceDecision]:
        await self._answer()
        for decision in ():
            yield decision

    async def page_verdicts(self, topic: str | None = None) -> AsyncIterator[PageVerdict]:
        await self._answer()
        for row in self.rows.values():
            if "judge" in row:
                yield stored_verdict(row)

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        await self._answer()
        return {md5: known_article(self.rows[md5]) for md5 in url_md5s if md5 in self.rows}

    async def unfinished(self, site: str) -> list[KnownArticle]:
        listed = await self.listed_since(site, None)
        return [entry for entry in listed if not entry.is_complete]

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        await self._answer()
        return [known_article(row) for row in self.rows.values() if row["site"] == site]

    async def get_state(self, key: str) -> dict[str, Any] | None:
        await self._answer()
        return self.state.get(key)

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        await self._answer()
        self.state[key] = value

    @property
    def texts(self) -> dict[str, str]:
        return {row["url"]: row["text"] for row in self.rows.values()}


def away(store: FakeStore) -> FakeStore:
    """Make a store unavailable."""
    store.is_away = True
    return store
