"""Index of the texts of a store by day, which is brought up to date from the store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from focuscrawl.search.dated_index import KINDS, DatedIndex
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.stores.store_search import TEXTS

_PART = 200
_READ_AGAIN = 500
_KEY = re.compile("[0-9a-f]{32}")
EDITED = ("article", "numbered")
"""The kinds of texts that editors correct."""


class Rewording(NamedTuple):
    """Words that an editor gave to a text beside its own, and tags in place of its own, if any."""

    state: str
    words: str
    tags: tuple[str, ...] | None


class TextSync:
    """The index in a folder, and the texts of a store in it.

    New texts are those whose keys the index lacks. What has changed is noticed by reading the newest texts
    again each time, and a part of all others in turn.
    """

    def __init__(self, folder: Path) -> None:
        self.index = DatedIndex(folder / "search.sqlite")
        self._lock = asyncio.Lock()
        self._place: int | None = None
        self.has_followed = False
        """Whether the index was up to date once since the start."""

    async def follow(self, store: SQLStore, rewordings: Mapping[str, Rewording]) -> None:
        """Bring the index up to date."""
        async with self._lock:
            known = await asyncio.to_thread(self.index.corrected)
            states = {key: one.state for key, one in rewordings.items()}
            others = [key for key in {*known, *states} if known.get(key) != states.get(key)]
            await self.reword(store, others, rewordings)
            is_whole = await asyncio.to_thread(self.index.is_whole)
            for kind in KINDS:
                await self._follow(store, kind, rewordings, datetime.now(UTC) if is_whole else None)
            await asyncio.to_thread(self.index.set_whole)
            await self._read_again(store, rewordings)
            self.has_followed = True

    async def reword(
        self, store: SQLStore, keys: Sequence[str], rewordings: Mapping[str, Rewording]
    ) -> None:
        """Index texts anew, of which editors have changed the words; an editor waits for nothing else."""
        for kind in EDITED:
            await self._put(store, kind, keys, rewordings, datetime.now(UTC))

    async def _follow(
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
