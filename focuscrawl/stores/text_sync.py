"""Index of the texts of a store by day, which is brought up to date from the store."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from focuscrawl.search.dated_index import KINDS, DatedIndex, Hit
from focuscrawl.search.search_query import Query
from focuscrawl.search.search_results import FoundText, TextCandidate
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.stores.store_search import TEXTS

_PART = 200
_READ_AGAIN = 500
_FIRST_SECONDS, _SECONDS = 5.0, 0.2
_PAUSE, _LONGEST_PAUSE, _TIMES = 60.0, 600.0, 20
"""Seconds between readings, and how many times the processor time of the last one they are in between."""
_KEY = re.compile("[0-9a-f]{32}")
EDITED = ("article", "numbered")
"""The kinds of texts that editors correct."""


class Rewording(NamedTuple):
    """Words that an editor gave to a text beside its own, and tags in place of its own, if any."""

    state: str
    words: str
    tags: tuple[str, ...] | None


Rewordings = Callable[[], Awaitable[Mapping[str, Rewording]]]
"""Gives the rewordings of texts by key."""


class TextSync:
    """The index in a folder, and the texts of a store in it.

    New texts are those whose keys the index lacks. What has changed is noticed by reading the newest texts
    again each time, and a part of all others in turn.
    """

    def __init__(self, folder: Path) -> None:
        self.index = DatedIndex(folder / "search.sqlite")
        self._following: asyncio.Future[None] | None = None
        self._due = 0.0
        self._place: int | None = None
        self._seconds = _FIRST_SECONDS

    async def current(self, store: SQLStore, rewordings: Rewordings) -> None:
        """Bring the index up to date, once a minute: wait for it no longer than one waits for a page.

        After a long reading, which many texts need, the next one waits up to ten minutes.

        Raises the error of a store that cannot be read.
        """
        if self._following is None or self._following.done():
            if time.monotonic() < self._due:
                return
            self._following = asyncio.ensure_future(self._follow(store, rewordings))
            # A failure after the wait is that of a later call.
            self._following.add_done_callback(lambda one: one.cancelled() or one.exception())
        done, _ = await asyncio.wait([self._following], timeout=self._seconds)
        for one in done:
            one.result()
        self._seconds = _SECONDS

    async def _follow(self, store: SQLStore, rewordings: Rewordings) -> None:
        began = time.process_time()
        words = await rewordings()
        known = await asyncio.to_thread(self.index.corrected)
        states = {key: one.state for key, one in words.items()}
        others = [key for key in {*known, *states} if known.get(key) != states.get(key)]
        await self.reword(store, others, words)
        is_whole = await asyncio.to_thread(self.index.is_whole)
        for kind in KINDS:
            await self._add_new(store, kind, words, datetime.now(UTC) if is_whole else None)
        await asyncio.to_thread(self.index.set_whole)
        await self._read_again(store, words)
        pause = max(_PAUSE, _TIMES * (time.process_time() - began))
        self._due = time.monotonic() + min(pause, _LONGEST_PAUSE)

    async def reword(
        self, store: SQLStore, keys: Sequence[str], rewordings: Mapping[str, Rewording]
    ) -> None:
        """Index texts again, of which editors have changed the words; an editor waits for nothing else."""
        for kind in EDITED:
            await self._put(store, kind, keys, rewordings, datetime.now(UTC))

    async def _add_new(
        self,
        store: SQLStore,
        kind: str,
        rewordings: Mapping[str, Rewording],
        arrived: datetime | None,
    ) -> None:
        after = ""
        async for keys in store.keys_of(TEXTS[kind].kind.table):
            usable = [key for key in keys if isinstance(key, str) and _KEY.fullmatch(key)]
            if not usable:
                continue
            new = await asyncio.to_thread(self.index.missing, kind, usable)
            await self._put(store, kind, new, rewordings, arrived)
            await asyncio.to_thread(self.index.delete_others, kind, after, usable[-1], usable)
            after = usable[-1]
        await asyncio.to_thread(self.index.delete_others, kind, after, "g", [])

    async def _read_again(self, store: SQLStore, rewordings: Mapping[str, Rewording]) -> None:
        newest = await asyncio.to_thread(self.index.part, None, _READ_AGAIN)
        others = await asyncio.to_thread(self.index.part, self._place, _READ_AGAIN)
        self._place = others[-1].place if len(others) == _READ_AGAIN else None
        again = sorted({(one.kind, one.key) for one in (*newest, *others)})
        for kind, group in groupby(again, key=lambda one: one[0]):
            keys = [key for _, key in group]
            await self._put(store, kind, keys, rewordings, datetime.now(UTC))

    async def _put(
        self,
        store: SQLStore,
        kind: str,
        keys: Sequence[str],
        rewordings: Mapping[str, Rewording],
        arrived: datetime | None,
    ) -> None:
        for part in _parts(keys):
            texts = [
                replace(
                    one,
                    text=f"{one.text}\n{new.words}",
                    tags=one.tags if new.tags is None else new.tags,
                    correction=new.state,
                )
                if kind in EDITED and (new := rewordings.get(one.key))
                else one
                for one in await store.dated_texts(kind, part)
            ]
            await asyncio.to_thread(self.index.put, texts, arrived)


def _parts(keys: Sequence[str]) -> Iterable[Sequence[str]]:
    return (keys[start : start + _PART] for start in range(0, len(keys), _PART))


async def read_hits(
    store: SQLStore,
    hits: Sequence[Hit],
    query: Query | None,
    rewordings: Mapping[str, Rewording],
) -> list[tuple[Hit, FoundText]]:
    """Return what was found with its texts, without those that have the terms of the query by chance."""
    # Imported here because it loads dictionaries that a crawl does not need.
    from focuscrawl.search.article_search import ranked, unranked

    candidates: list[TextCandidate] = []
    for kind in KINDS:
        if keys := [hit.key for hit in hits if hit.kind == kind]:
            found_texts = await store.texts_of(kind, keys)
            candidates += map(_named, found_texts) if kind == "record" else found_texts
    if query:
        reworded = [
            replace(one, tags=(*one.tags, rewordings[one.key].words))
            if one.key in rewordings
            else one
            for one in candidates
        ]
        found = await asyncio.to_thread(ranked, query, reworded, len(reworded))
    else:
        found = [unranked(one) for one in candidates]
    texts = {(one.kind, one.key): one for one in found}
    return [(hit, text) for hit in hits if (text := texts.get((hit.kind, hit.key)))]


def _named(record: TextCandidate) -> TextCandidate:
    """Return a record with its first value as title, as its page has it; the title there is found, too."""
    name = record.body.partition("\n")[0].strip()
    return replace(record, title=name or record.title, tags=(record.title,))
