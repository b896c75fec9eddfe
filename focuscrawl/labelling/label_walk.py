"""Breadth-first order of the pages of a labelling crawl, the same in every run."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.labelling.label_file import page_id, storable
from focuscrawl.labelling.label_store import ADD_PAGE, LabelStore, PageState
from focuscrawl.pages.registered_domains import domains_of

# A domain can have any number of hosts at no cost, so they are limited, except those of seeds.
MOST_HOSTS = 100
_NOT_REQUESTED = (PageState.WAITING, PageState.BARRED, PageState.CAPPED)


class WaitingPage(NamedTuple):
    """A page to be fetched, ``depth`` links away from a seed."""

    url: str
    depth: int


class LabelWalk:
    """Takes pages out of a store, level by level, in the same order in every run.

    No page is taken while one of an earlier level is pending, so that a budget covers the same pages
    whichever server is fast and however often the run was killed; :meth:`stop_waiting` makes an
    exception for servers that do not respond. At most ``max_pages`` are requested (redirects and
    failures count), at most ``max_per_site`` per host, none more than ``max_depth`` links from a seed,
    and at most 100 hosts per domain in addition to those of the seeds.
    """

    def __init__(
        self, store: LabelStore, *, max_pages: int, max_per_site: int, max_depth: int | None = None
    ) -> None:
        self._store = store
        self._max_pages = max_pages
        self._max_per_site = max_per_site
        self._max_depth = max_depth
        self._requested: Counter[str] = Counter()
        self._hosts_of_seeds: set[str] = set()
        self._hosts_below: Counter[str] = Counter()

    @property
    def requested(self) -> int:
        """Number of pages requested by all runs."""
        return self._requested.total()

    def resume(self, seeds: Iterable[str], label_of: Callable[[str], bool | None]) -> None:
        """Start or continue: pages that a dead run had taken wait again, and changed lists take effect.

        Failed pages wait again as well, except those with HTTP 4xx.
        """
        seeds = list(seeds)
        self._hosts_of_seeds = {_host(url) for url in seeds}
        with self._store.writing() as connection:
            connection.execute(
                "UPDATE pages SET state = 'waiting', reason = '' WHERE state IN ('taken', 'late') "
                "OR state = 'failed' AND reason NOT LIKE 'HTTP 4%'"
            )
            _label_again(connection, label_of)
            rows = [
                (page_id(url), storable(url), 0, 0, PageState.WAITING, label_of(url))
                for url in seeds
            ]
            connection.executemany(ADD_PAGE, rows)
            urls = connection.execute(
                "SELECT url FROM pages WHERE state NOT IN (?, ?, ?)", _NOT_REQUESTED
            )
            for (url,) in urls:
                self._count(_host(url))
            self._uncap(connection)

    def take(self, count: int) -> list[WaitingPage]:
        """Return up to ``count`` pages to be fetched; none if the walk has ended or waits for a page."""
        chosen: list[WaitingPage] = []
        with self._store.writing() as connection:
            while (room := min(count - len(chosen), self._max_pages - self.requested)) > 0:
                rows = self._next(connection, room)
                if not rows:
                    break
                for number, url, depth in rows:
                    state = self._decide(url)
                    connection.execute("UPDATE pages SET state = ? WHERE id = ?", (state, number))
                    if state is PageState.TAKEN:
                        chosen.append(WaitingPage(url, depth))
        return chosen

    def stop_waiting(self) -> None:
        """Allow the next level to begin although pages of this one are pending: they are late."""
        with self._store.writing() as connection:
            connection.execute("UPDATE pages SET state = 'late' WHERE state = 'taken'")

    def _uncap(self, connection: sqlite3.Connection) -> None:
        """Return pages to the queue that only a lower limit of an earlier run kept out."""
        capped = connection.execute("SELECT id, url FROM pages WHERE state = 'capped'")
        free = [(number,) for number, url in capped if not self._is_full(_host(url))]
        connection.executemany("UPDATE pages SET state = 'waiting' WHERE id = ?", free)

    def _next(self, connection: sqlite3.Connection, count: int) -> list[tuple[int, str, int]]:
        find = "SELECT depth, hop FROM pages WHERE state = ? ORDER BY depth, hop LIMIT 1"
        waiting = connection.execute(find, (PageState.WAITING,)).fetchone()
        out = connection.execute(find, (PageState.TAKEN,)).fetchone()
        if waiting is None or (out is not None and out != waiting):
            return []
        if self._max_depth is not None and waiting[0] > self._max_depth:
            return []
        return connection.execute(
            "SELECT id, url, depth FROM pages WHERE state = 'waiting' AND depth = ? AND hop = ? "
            "ORDER BY id LIMIT ?",
            (*waiting, count),
        ).fetchall()

    def _decide(self, url: str) -> PageState:
        host = _host(url)
        if self._is_full(host):
            return PageState.CAPPED
        self._count(host)
        return PageState.TAKEN

    def _count(self, host: str) -> None:
        if host not in self._requested and host not in self._hosts_of_seeds:
            self._hosts_below.update(_domains(host))
        self._requested[host] += 1

    def _is_full(self, host: str) -> bool:
        if host in self._requested or host in self._hosts_of_seeds:
            return self._requested[host] >= self._max_per_site
        return any(self._hosts_below[domain] >= MOST_HOSTS for domain in _domains(host))


def _label_again(connection: sqlite3.Connection, label_of: Callable[[str], bool | None]) -> None:
    known = connection.execute("SELECT id, url, label FROM pages")
    changed = [(label, number) for number, url, old in known if (label := label_of(url)) != old]
    connection.executemany("UPDATE pages SET label = ? WHERE id = ?", changed)


def _host(url: str) -> str:
    return urlsplit(url).netloc


def _domains(host: str) -> tuple[str, ...]:
    return domains_of(urlsplit(f"//{host}").hostname or "")
