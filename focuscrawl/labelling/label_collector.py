"""Collection of labelled links: storage of fetched pages and choice of the next ones, without network."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.labelling.label_store import (
    ADD_PAGE,
    LabelCounts,
    LabelSource,
    LabelStore,
    PageState,
    page_id,
    storable,
)
from focuscrawl.pages.canonical_urls import resolve
from focuscrawl.pages.link import TOO_MANY_LINKS, LabelledLink, ParsedPage
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.pages.registered_domains import domains_of
from focuscrawl.scoring.model_files.scorer_loading import PageJudge, load_page_judge
from focuscrawl.summary.run_report import Line, NamedCounts
from focuscrawl.topics import Topic

# Breadth-first order of the pages of a labelling crawl, the same in every run.

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


_EVEN = 0.5


class LabelTally(NamedTuple):
    """Contents of a store, and counts of the run.

    ``new_links`` are those since the run began, ``requested`` the pages requested by all runs.
    ``failures`` counts pages without links by reason, ``judge`` names the page classifier, and
    ``unread_links`` are the links of this run's pages beyond the limit per page.
    """

    counts: LabelCounts
    new_links: int
    requested: int
    failures: Counter[str]
    judge: str
    unread_links: int = 0

    def lines(self) -> list[Line | NamedCounts]:
        """Return the lines of the summary."""
        counts, pages = self.counts, self.counts.pages
        labels = (
            f"{counts.positive} positive, {counts.negative} negative, "
            f"{counts.unlabelled} unlabelled"
        )
        left_out = [f"{pages['capped']} of full sites", f"{pages['barred']} of the blacklist"]
        if self.unread_links:
            left_out.append(f"{self.unread_links} {TOO_MANY_LINKS} of a page")
        requested = f"{self.requested} pages requested by all runs"
        links = {"new": self.new_links, "all": counts.links, "positive": counts.positive,
                 "negative": counts.negative, "unlabelled": counts.unlabelled}  # fmt: skip
        walk = {"requested": self.requested, "read": pages["done"], "waiting": pages["waiting"]}
        lines: list[Line | NamedCounts] = [
            NamedCounts("links", links, f"{self.new_links} new; {counts.links} in all: {labels}"),
            NamedCounts(
                "walk", walk, f"{requested}, {pages['done']} read, {pages['waiting']} waiting"
            ),
            ("left out", ", ".join(left_out)),
        ]
        more = [("no links", self.reasons()), ("judged by", self.judge)]
        return [*lines, *(line for line in more if line[1])]

    def reasons(self) -> str:
        """Return the reasons why pages have no links, the most frequent first."""
        return ", ".join(f"{count} {reason}" for reason, count in self.failures.most_common())

    def missing_label(self) -> str:
        """Return the label that no link has, ``""`` if there are links of both."""
        if not self.counts.positive:
            return "positive"
        return "" if self.counts.negative else "negative"


class LabelCollector:
    """A store, the walk through it, and the topic by which links are labelled.

    With a ``judge`` every page is classified, for the labels of an apprentice. Only one thread at a time
    may use it; every method may raise :class:`~focuscrawl.errors.LabelError`.
    """

    def __init__(
        self, topic: Topic, store: LabelStore, walk: LabelWalk, judge: PageJudge | None = None
    ) -> None:
        self._topic = topic
        self._store = store
        self._walk = walk
        self._judge = judge
        self._links_before = 0
        self._unread_links = 0

    def begin(self, seeds: Iterable[str]) -> None:
        """Start from canonical URLs, or continue where an earlier run stopped."""
        self._walk.resume(seeds, self._topic.label_of)
        self._links_before = self._store.link_count()

    def take(self, count: int) -> list[WaitingPage]:
        """Return up to ``count`` pages to be fetched now."""
        return self._walk.take(count)

    def stop_waiting(self) -> None:
        """Allow the next level to begin although pages of this one are pending."""
        self._walk.stop_waiting()

    def add_html(self, url: str, html: str, charset: str) -> bool | None:
        """Store the links of a page, parsed once; return whether it is relevant, None if unknown.

        ``charset`` is the encoding of the page, for the query strings of its links.
        """
        page = parse_page(html, url, charset=charset)
        self._unread_links += page.unread
        label_of = self._topic.label_of
        own = label_of(url)
        relevant = self._judged(page)
        self._store.add_page(
            url,
            [LabelledLink(link, url, label_of(link.url)) for link in page.links],
            title=page.title,
            text=None if own is None else page.text,
            relevant=relevant,
            barred={link.url for link in page.links if self._topic.is_blacklisted(link.url)},
        )
        return own if relevant is None else relevant

    def add_redirect(self, url: str, href: str) -> None:
        """Store the target of a redirect, if it is the URL of a page."""
        target = resolve(url, href)
        if target is None:
            self._store.add_failure(url, PageState.SKIPPED, "leads to no page")
            return
        barred = self._topic.is_blacklisted(target)
        self._store.add_redirect(url, target, self._topic.label_of(target), barred=barred)

    def add_failure(self, url: str, state: PageState, reason: str) -> None:
        """Store the reason why a page has no links."""
        self._store.add_failure(url, state, reason)

    def tally(self) -> LabelTally:
        """Return the current counts."""
        counts = self._store.counts()
        new_links = counts.links - self._links_before
        judge = self._judge.name if self._judge else ""
        return LabelTally(
            counts,
            new_links,
            self._walk.requested,
            self._store.failures(),
            judge,
            self._unread_links,
        )

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _judged(self, page: ParsedPage) -> bool | None:
        if self._judge is None:
            return None
        (judged,) = self._judge.score([(page.title, page.text)])
        return judged.probability >= _EVEN


def open_collector(
    topic: Topic,
    path: Path,
    *,
    labels: LabelSource,
    models: Path,
    max_pages: int,
    max_pages_per_site: int,
    depth: int | None,
) -> LabelCollector:
    """Return a collector for the file at ``path``, which is created if it is missing.

    For an apprentice, pages are classified by the topic's model in ``models``, else by its page rule.
    """
    judge = load_page_judge(topic, models) if labels == "apprentice" else None
    store = LabelStore(path, topic.name, labels)
    walk = LabelWalk(store, max_pages=max_pages, max_per_site=max_pages_per_site, max_depth=depth)
    return LabelCollector(topic, store, walk, judge)
