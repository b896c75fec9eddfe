"""Collection of labelled links: storage of fetched pages and choice of the next ones, without network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from focuscrawl.labelling.label_store import LabelCounts, LabelSource, LabelStore, PageState
from focuscrawl.labelling.label_walk import LabelWalk, WaitingPage
from focuscrawl.pages.canonical_urls import resolve
from focuscrawl.pages.link import TOO_MANY_LINKS, LabelledLink, ParsedPage
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.scoring.model_files.scorer_loading import PageJudge, load_page_judge
from focuscrawl.summary.run_report import Counts, Line
from focuscrawl.topics import Topic

_EVEN = 0.5


class Tally(NamedTuple):
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

    def lines(self) -> list[Line | Counts]:
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
        lines: list[Line | Counts] = [
            Counts("links", links, f"{self.new_links} new; {counts.links} in all: {labels}"),
            Counts("walk", walk, f"{requested}, {pages['done']} read, {pages['waiting']} waiting"),
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

    def tally(self) -> Tally:
        """Return the current counts."""
        counts = self._store.counts()
        new_links = counts.links - self._links_before
        judge = self._judge.name if self._judge else ""
        return Tally(
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
