"""All quotes of a SQL database in columns, and a file of them that saves reading them again."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from secrets import token_hex
from time import time
from typing import Any, Self, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from focuscrawl.stores.schema_version import SCHEMA_VERSION
from focuscrawl.stores.sql.sql_prices import Columns, SQLPrices

UNDATED = int(np.iinfo(np.int32).min)
"""The day of a quote without a date."""
NEVER = 0
"""The time of what has not happened."""
IS_PRIMARY, IS_KNOWN = 1, 2
"""Marks of a primary quote, and of one of a known entity."""
Array = NDArray[Any]
_K = TypeVar("_K", bound=Hashable)
_MD5, _KEY = 32, 64
_ARTICLES: dict[str, Any] = {
    "keys": f"S{_KEY}", "site": np.int16, "published": np.int32, "is_complete": np.bool_,
    "gone_at": np.int64, "first_seen": np.int64, "fetched_at": np.int64,
}  # fmt: skip
_QUOTES: dict[str, Any] = {
    "article": np.int32, "seq": np.int32, "text": np.int32, "day": np.int32,
    "low": np.float64, "high": np.float64, "marks": np.int8,
}  # fmt: skip
# Another one whenever a column means something else.
_VERSION = f"1 {SCHEMA_VERSION}"
_AT_ONCE = 200
"""Articles whose quotes are read at a time."""
KEPT_FROM = 20_000
"""Quotes that have to be read for the file to be written; to read so many takes a tenth of a second."""
_LEFT_SECONDS = 3600


class Numbers(dict[_K, int]):
    """Numbers of things in the order in which they are met."""

    def __missing__(self, thing: _K) -> int:
        number = self[thing] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class KeptQuotes:
    """Quotes as they were read, in a file.

    ``keys`` are the MD5s of each article and its record, ascending; ``texts`` have the texts of quotes, each
    once; ``columns`` have the numbers of the article and of the texts of each quote, and its figures.
    """

    keys: NDArray[np.bytes_]
    texts: list[str]
    columns: dict[str, Array]

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """Return what a file has; None if it is missing, damaged or of another version."""
        try:
            with np.load(path, allow_pickle=False) as file:
                if str(file["version"]) != _VERSION:
                    return None
                texts = json.loads(file["texts"].tobytes())
                return cls(file["keys"], texts, {name: file[name] for name in _QUOTES})
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def is_same(self, other: KeptQuotes | None) -> bool:
        """Return whether other ones are the same, in the same order."""
        return (
            other is not None
            and self.texts == other.texts
            and np.array_equal(self.keys, other.keys)
            and all(np.array_equal(self.columns[name], other.columns[name]) for name in _QUOTES)
        )

    def save(self, path: Path) -> None:
        """Replace the file, whatever another program does meanwhile. Raises OSError."""
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f"{path.name}.*"):
            # Of a program that was killed; another one may remove it as well.
            with suppress(FileNotFoundError):
                if left.stat().st_mtime < time() - _LEFT_SECONDS:
                    left.unlink()
        part = path.with_name(f"{path.name}.{token_hex(4)}")
        texts = np.frombuffer(json.dumps(self.texts).encode(), dtype=np.uint8)
        try:
            with part.open("wb") as file:
                columns: dict[str, Any] = self.columns
                np.savez(file, version=_VERSION, keys=self.keys, texts=texts, **columns)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


class PriceColumns:
    """Articles and quotes as they are read: all articles, then quotes.

    ``urls`` are those of the articles as UTF-8, one after the other, and end at ``ends``; ``sites`` and ``texts``
    number names of sites, and the texts of quotes. The other columns are given by their names.
    """

    def __init__(self) -> None:
        self.urls = bytearray()
        self.ends = array("q")
        self.sites = Numbers[str]()
        self.texts = Numbers[str]()
        # Many small arrays, to be joined in the end, would leave holes in the memory.
        self._bytes = {name: bytearray() for name in (*_ARTICLES, *_QUOTES)}

    def __getitem__(self, name: str) -> Array:
        return np.frombuffer(self._bytes[name], dtype=(_ARTICLES | _QUOTES)[name])

    def pop_quotes(self) -> dict[str, Array]:
        """Return the columns of the quotes, which are then no longer here."""
        found = {name: self[name] for name in _QUOTES}
        self._bytes |= {name: bytearray() for name in _QUOTES}
        return found

    def md5(self, place: int) -> str:
        """Return the URL MD5 of an article."""
        key: bytes = self["keys"][place]
        return key[:_MD5].decode("ascii")

    def _add(self, columns: Mapping[str, Array]) -> None:
        for name, column in columns.items():
            self._bytes[name] += column.astype((_ARTICLES | _QUOTES)[name]).tobytes()

    def add_articles(self, columns: Columns) -> None:
        """Add articles, which come in the order of their MD5s."""
        for url in columns["url"]:
            self.urls += url.encode("utf-8", "surrogatepass")
            self.ends.append(len(self.urls))
        pairs = zip(columns["url_md5"], columns["record_md5"], strict=True)
        times = ("gone_at", "first_seen", "fetched_at")
        self._add(
            {
                "keys": np.array(["".join(pair) for pair in pairs], dtype=_ARTICLES["keys"]),
                "site": np.array([self.sites[site] for site in columns["site"]]),
                "published": _days(columns["published"]),
                "is_complete": np.array(columns["is_complete"], dtype=bool),
                **{name: _milliseconds(columns[name]) for name in times},
            }
        )

    def add_quotes(self, articles: Mapping[str, int], columns: Columns) -> None:
        """Add quotes of articles, whose numbers are given by their MD5s."""
        self._add(
            {
                "article": np.array([articles[md5] for md5 in columns["article_md5"]]),
                "seq": np.array(columns["seq"]),
                "text": np.array([self.texts[text] for text in columns["texts"]]),
                "day": _days(columns["date"]),
                "low": np.array(columns["low"], dtype=np.float64),
                "high": np.array(columns["high"], dtype=np.float64),
                "marks": np.array(columns["marks"]),
            }
        )

    def _is_plain(self, judged: Collection[str]) -> NDArray[np.bool_]:
        """Return of each article whether the MD5 of its record says how its quotes are."""
        keys = self["keys"]
        is_judged = np.isin(keys.astype(f"S{_MD5}"), np.array(list(judged), dtype=f"S{_MD5}"))
        found: NDArray[np.bool_] = ~is_judged & (np.char.str_len(keys) == _KEY)
        return found

    def take(self, kept: KeptQuotes, judged: Collection[str]) -> NDArray[np.bool_]:
        """Add kept quotes of articles that have neither changed nor verdicts; return which ones these are."""
        keys = self["keys"]
        places = np.minimum(kept.keys.searchsorted(keys), len(kept.keys) - 1)
        is_taken: NDArray[np.bool_] = self._is_plain(judged) & (kept.keys[places] == keys)
        numbers = np.full(len(kept.keys), -1, dtype=np.int32)
        numbers[places[is_taken]] = np.flatnonzero(is_taken)
        columns = kept.columns | {"article": numbers[kept.columns["article"]]}
        chosen = columns["article"] >= 0
        self.texts.update(zip(kept.texts, count(), strict=False))
        self._add({name: column[chosen] for name, column in columns.items()})
        return is_taken

    def kept(self, judged: Collection[str]) -> KeptQuotes:
        """Return the quotes of all articles without verdicts."""
        is_kept = self._is_plain(judged)
        chosen = is_kept[self["article"]]
        columns = {name: self[name][chosen] for name in _QUOTES}
        columns["article"] = (np.cumsum(is_kept, dtype=np.int32) - 1)[columns["article"]]
        return KeptQuotes(self["keys"][is_kept], list(self.texts), columns)


async def read_columns(
    store: SQLPrices, note: Callable[[float], None], file: Path | None, *, is_whole: bool
) -> PriceColumns:
    """Read all quotes of an open store; ``note`` gets the share read so far, from 0 to 1.

    Unless ``is_whole``, those of articles that are as they were when ``file`` was written come from there.
    """
    found = PriceColumns()
    # Before the quotes: a later verdict is one of the next time.
    judged = await store.judged_articles()
    async with aclosing(store.price_articles()) as batches:  # type: ignore[type-var]
        async for batch in batches:
            found.add_articles(batch)
    kept = None if is_whole or file is None else KeptQuotes.load(file)
    is_new = np.ones(len(found["keys"]), dtype=bool)
    if kept is not None and len(kept.keys):
        is_new = ~found.take(kept, judged)
    places, quotes = np.flatnonzero(is_new), 0
    for start in range(0, len(places), _AT_ONCE):
        note(start / len(places))
        md5s = {found.md5(place): int(place) for place in places[start : start + _AT_ONCE]}
        if columns := await store.price_quotes(list(md5s)):
            found.add_quotes(md5s, columns)
            quotes += len(columns["seq"])
    if file is not None and quotes >= KEPT_FROM:
        own = found.kept(judged)
        # Without the file, they are read again. All are, from time to time, and mostly as they were.
        with suppress(OSError):
            if not own.is_same(KeptQuotes.load(file)):
                own.save(file)
    return found


def _days(values: Sequence[Any]) -> NDArray[np.int32]:
    """Return days, which may be ISO texts, as numbers since 1970."""
    days = np.array(values, dtype="datetime64[D]")
    return np.where(np.isnat(days), UNDATED, days.view(np.int64)).astype(np.int32)


def _milliseconds(values: Sequence[Any]) -> NDArray[np.int64]:
    """Return times in UTC, which may be ISO texts, as milliseconds since 1970."""
    times = np.array(values, dtype="datetime64[us]")
    return np.where(np.isnat(times), NEVER, (times.view(np.int64) + 500) // 1000)
