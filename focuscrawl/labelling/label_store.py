"""Labelled links of one topic, in one SQLite file that also holds the pages still to be fetched.

Each page is written with its links and their new targets in one transaction: a crawl
that is killed continues where it stopped (:class:`~focuscrawl.labelling.label_collector.LabelWalk`).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple

from focuscrawl.errors import LabelError
from focuscrawl.pages.link import LabelledLink, LabelledPage, Link, Position
from focuscrawl.system.sqlite_file import SqliteFileKind, transaction

# SQLite file of labelled links: its tables and its keys.

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,  -- hash of the URL: the order within a level is the same in every run
    url TEXT NOT NULL,
    depth INTEGER NOT NULL,  -- links from a seed
    hop INTEGER NOT NULL,    -- redirects on that level
    state TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    target TEXT,             -- where a redirect leads
    label INTEGER,           -- by the domain lists
    relevant INTEGER         -- by the judge, once it is fetched
);
CREATE INDEX pages_by_state ON pages (state, depth, hop, id);
CREATE TABLE texts (page INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE links (
    key BLOB NOT NULL UNIQUE,  -- of URL, anchor and context
    page INTEGER NOT NULL,     -- the target
    source INTEGER NOT NULL,
    anchor TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    title TEXT NOT NULL,
    heading TEXT NOT NULL,
    position TEXT NOT NULL,
    rel TEXT NOT NULL
);
CREATE INDEX links_by_page ON links (page);
"""

LABEL_FILE = SqliteFileKind(
    name="a label file",
    origin="`scrapy crawl labels` writes such files",
    application_id=0x464C4231,
    version=1,
    tables=_TABLES,
    error=LabelError,
    pragmas=(
        # A crash of the machine may lose the last pages, which are fetched again; the file stays
        # consistent.
        "synchronous = NORMAL",
        "cache_size = -65536",
        # The keys scatter links over the indexes: rare checkpoints write fewer pages.
        "wal_autocheckpoint = 4000",
    ),
)


def page_id(url: str) -> int:
    """Return a 64-bit hash of a URL."""
    digest = blake2b(_bytes(url), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def link_key(link: Link) -> bytes:
    """Return the 16-byte key of a link: a hash of its URL, anchor and context."""
    parts = "\0".join((link.url, link.anchor, link.before, link.after))
    return blake2b(_bytes(parts), digest_size=16).digest()


def storable(text: str) -> str:
    """Return text that SQLite can store, without unpaired surrogates."""
    return _bytes(text).decode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


# Labels learned from a crawl: a link is as good as its target page.


def target_relevance(judged: Mapping[str, bool], redirects: Mapping[str, str]) -> dict[str, bool]:
    """Return the relevance of the page at each URL, after redirects.

    ``judged`` is the relevance of fetched pages by URL, ``redirects`` maps a URL to its target. A
    redirect has the relevance of its last target, and none if that was not fetched or the redirects
    form a loop.
    """
    found = dict(judged)
    for url in redirects:
        seen = {url}
        target = redirects[url]
        while target in redirects and target not in seen:
            seen.add(target)
            target = redirects[target]
        if target in judged:
            found[url] = judged[target]
    return found


def label_by_targets(
    links: Iterable[LabelledLink], found: Mapping[str, bool]
) -> Iterator[LabelledLink]:
    """Yield the links, labelled by the relevance of their targets; None if that was not fetched.

    >>> from focuscrawl.pages.link import Link
    >>> seen = [LabelledLink(Link("http://a.test/", "下一篇"), "http://b.test/", None)]
    >>> [entry.label for entry in label_by_targets(seen, {"http://a.test/": True})]
    [True]
    """
    for entry in links:
        yield entry._replace(label=found.get(entry.link.url))


LabelSource = Literal["domains", "apprentice"]
"""Source of the labels: the topic's domain lists, or the classifier of the target pages."""

MOST_REDIRECTS = 10

ADD_PAGE = """
INSERT INTO pages (id, url, depth, hop, state, label) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET depth = excluded.depth, hop = excluded.hop
WHERE pages.state = 'waiting' AND (excluded.depth, excluded.hop) < (pages.depth, pages.hop)
"""
"""Adds a page to the walk; a waiting page moves forward if the new path is shorter."""

# Of the pages of a level, the one with the lowest id counts as the source of a link, since the order of
# their responses is random.
_ADD_LINK = """
INSERT INTO links (key, page, source, anchor, before, after, title, heading, position, rel)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET source = excluded.source, title = excluded.title,
    heading = excluded.heading, position = excluded.position, rel = excluded.rel
WHERE excluded.source < links.source
  AND (SELECT depth FROM pages WHERE id = links.source) = ?
"""
_LINKS = """
SELECT target.label, source.url, target.url, links.anchor, links.before, links.after, links.title,
       links.heading, links.position, links.rel
FROM links JOIN pages AS target ON target.id = links.page
           JOIN pages AS source ON source.id = links.source
"""


class PageState(StrEnum):
    """State of a page.

    Late pages are taken, but the walk continues without them; barred ones are on the blacklist; capped
    ones exceed the limit of their host, or are on a host that exceeds the limit of its domain.
    """

    WAITING = "waiting"
    TAKEN = "taken"
    LATE = "late"
    DONE = "done"
    REDIRECT = "redirect"
    FAILED = "failed"
    SKIPPED = "skipped"
    FORBIDDEN = "forbidden"
    BARRED = "barred"
    CAPPED = "capped"


class LabelCounts(NamedTuple):
    """Numbers of links by label, and of pages by state."""

    positive: int
    negative: int
    unlabelled: int
    pages: Counter[str]

    @property
    def links(self) -> int:
        """All links."""
        return self.positive + self.negative + self.unlabelled


class LabelStore:
    """The labelled links of one topic, distinct by URL, anchor and context.

    With a ``topic`` the file is created if it is missing, and must be of that topic and label source;
    without one it must exist. Any thread may use it, but only one at a time. Raises :class:`LabelError`
    for a file that cannot be used.
    """

    def __init__(self, path: Path, topic: str = "", labels: LabelSource = "domains") -> None:
        self.path = path
        self._connection = LABEL_FILE.connect(path, create=bool(topic))
        try:
            with LABEL_FILE.errors(path):
                self.topic, self.labels = self._facts(topic, labels)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection in one transaction."""
        with LABEL_FILE.errors(self.path), transaction(self._connection):
            yield self._connection

    def add_page(
        self,
        url: str,
        links: Sequence[LabelledLink],
        *,
        title: str = "",
        text: str | None = None,
        relevant: bool | None = None,
        barred: Collection[str] = (),
    ) -> None:
        """Store the links of a taken page; their targets wait, except those in ``barred``.

        The labels of the links are those of the domain lists. ``relevant`` is the judgement of the page
        by the classifier, ``text`` an example for training the page classifier, None if it is not one.
        """
        number = page_id(url)
        with self.writing() as connection:
            depth, _ = _settle(connection, number, PageState.DONE)
            connection.execute("UPDATE pages SET relevant = ? WHERE id = ?", (relevant, number))
            if text is not None:
                row = (number, storable(title), storable(text))
                connection.execute("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", row)
            connection.executemany(ADD_PAGE, _page_rows(links, depth + 1, barred))
            connection.executemany(_ADD_LINK, _link_rows(links, number, depth))

    def add_redirect(self, url: str, target: str, label: bool | None, *, barred: bool) -> None:
        """Store the redirect of a taken page; the target waits on the same level.

        After ``MOST_REDIRECTS`` in a row the page is skipped.
        """
        number, target = page_id(url), storable(target)
        with self.writing() as connection:
            depth, hop = _settle(connection, number, PageState.REDIRECT)
            if hop >= MOST_REDIRECTS:
                _settle(connection, number, PageState.SKIPPED, "too many redirects")
                return
            connection.execute("UPDATE pages SET target = ? WHERE id = ?", (target, number))
            state = PageState.BARRED if barred else PageState.WAITING
            connection.execute(ADD_PAGE, (page_id(target), target, depth, hop + 1, state, label))

    def add_failure(self, url: str, state: PageState, reason: str) -> None:
        """Store the reason why a taken page has no links: failed, skipped or forbidden."""
        with self.writing() as connection:
            _settle(connection, page_id(url), state, reason)

    def links(self) -> Iterator[LabelledLink]:
        """Yield the links in an order that depends only on the links."""
        yield from self._labelled(_LINKS + "ORDER BY links.key")

    def links_to(self, url: str) -> list[LabelledLink]:
        """Return the links to a canonical URL."""
        query = _LINKS + "WHERE links.page = ? ORDER BY links.key"
        return list(self._labelled(query, page_id(url)))

    def pages(self) -> Iterator[LabelledPage]:
        """Yield the pages whose text was kept and whose own domain is on a list."""
        query = (
            "SELECT url, title, text, label FROM texts JOIN pages ON id = page "
            "WHERE label IS NOT NULL ORDER BY id"
        )
        for url, title, text, label in self._rows(query):
            yield LabelledPage(url, title, text, bool(label))

    def counts(self) -> LabelCounts:
        """Count links by label and pages by state."""
        labels = Counter(entry.label for entry in self._labelled(_LINKS))
        states = Counter(dict(self._rows("SELECT state, count(*) FROM pages GROUP BY state")))
        return LabelCounts(labels[True], labels[False], labels[None], states)

    def link_count(self) -> int:
        """Count only the links, which is fast."""
        ((count,),) = self._rows("SELECT count(*) FROM links")
        return int(count)

    def failures(self) -> Counter[str]:
        """Count the pages without links by reason."""
        query = "SELECT reason, count(*) FROM pages WHERE reason != '' GROUP BY reason"
        return Counter(dict(self._rows(query)))

    def _facts(self, topic: str, labels: LabelSource) -> tuple[str, LabelSource]:
        run = self._connection.execute
        if topic:
            run("INSERT OR IGNORE INTO facts VALUES ('topic', ?), ('labels', ?)", (topic, labels))
        known = dict(run("SELECT name, value FROM facts").fetchall())
        if topic and (known["topic"], known["labels"]) != (topic, labels):
            raise LabelError(
                f"{self.path} is of topic {known['topic']!r} with labels={known['labels']}, not "
                f"{topic!r} with labels={labels}; move it away to start a new one"
            )
        return known["topic"], known["labels"]

    def _labelled(self, query: str, *values: object) -> Iterator[LabelledLink]:
        entries = (_entry(row) for row in self._rows(query, *values))
        if self.labels == "domains":
            return entries
        return label_by_targets(entries, self._target_relevance())

    def _target_relevance(self) -> dict[str, bool]:
        judged = self._rows("SELECT url, relevant FROM pages WHERE relevant IS NOT NULL")
        redirects = self._rows("SELECT url, target FROM pages WHERE target IS NOT NULL")
        return target_relevance({url: bool(relevant) for url, relevant in judged}, dict(redirects))

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        with LABEL_FILE.errors(self.path):
            yield from self._connection.execute(query, values)


def _settle(
    connection: sqlite3.Connection, number: int, state: PageState, reason: str = ""
) -> tuple[int, int]:
    """Set the state of a page, and return its depth and hop."""
    change = "UPDATE pages SET state = ?, reason = ? WHERE id = ? RETURNING depth, hop"
    ((depth, hop),) = connection.execute(change, (state, reason, number)).fetchall()
    return depth, hop


def _page_rows(
    links: Iterable[LabelledLink], depth: int, barred: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    for link, _, label in links:
        state = PageState.BARRED if link.url in barred else PageState.WAITING
        yield page_id(link.url), storable(link.url), depth, 0, state, label


def _link_rows(links: Iterable[LabelledLink], source: int, depth: int) -> Iterator[tuple[Any, ...]]:
    for link, _, _ in links:
        texts = map(storable, link[1:])
        yield link_key(link), page_id(link.url), source, *texts, depth


def _entry(row: tuple[Any, ...]) -> LabelledLink:
    label, source, url, anchor, before, after, title, heading, position, rel = row
    link = Link(url, anchor, before, after, title, heading, Position(position), rel)
    return LabelledLink(link, source, None if label is None else bool(label))
