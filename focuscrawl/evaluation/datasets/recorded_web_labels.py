"""Labelled links and pages of a recorded web with known relevance."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import urljoin

from w3lib.encoding import http_content_type_encoding

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.datasets.labelled_dataset import DataSet, data_set
from focuscrawl.labelling.label_store import link_key
from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.pages.link import LabelledLink, LabelledPage, Link
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages
from focuscrawl.text.page_charset import detect

_COLUMNS = {"url", "relevant"}
_MOST_REDIRECTS = 20


@dataclass(slots=True)
class RecordedWeb:
    """All distinct links of the recorded pages, and the pages themselves.

    A link that occurs on many pages of a site with the same URL, anchor and context counts once, as
    in the label store; its source is the first page it was seen on. ``seen`` is the number of links
    before this deduplication.
    """

    links: list[LabelledLink] = field(default_factory=list)
    pages: list[LabelledPage] = field(default_factory=list)
    final_url: dict[str, str] = field(default_factory=dict)
    seen: int = 0

    def data_set(self) -> DataSet:
        """Return the labelled links and pages."""
        return data_set(self.links, self.pages, self.final_url)

    def __str__(self) -> str:
        """Return the counts: pages, links seen, distinct, labelled, relevant."""
        labelled = [link.label for link in self.links if link.label is not None]
        relevant = sum(labelled)
        return (
            f"{len(self.pages)} pages ({sum(page.label for page in self.pages)} relevant),"
            f" {self.seen} links, {len(self.links)} distinct, {len(labelled)} labelled,"
            f" {relevant} relevant ({relevant / max(1, len(labelled)):.1%})"
        )


def read_recorded_web(
    recordings: Iterable[Path],
    truth: Path | str,
    *,
    step: Callable[[], None] = lambda: None,
) -> RecordedWeb:
    """Read WARC files as one web, and the relevance of its pages (CSV with ``url`` and ``relevant`` 0 or 1).

    The label of a link is the relevance of its target, after the recording's redirects; ``None`` for
    targets outside the truth. Links of a page to itself are omitted. Of a page that was recorded
    several times, the first recording counts, as in a replay. Bodies are read one at a time and not
    kept. ``step`` is called after each page. Raises :class:`~focuscrawl.errors.ArgumentError` or
    :class:`~focuscrawl.errors.ArchiveError` for an invalid file.
    """
    relevance = read_truth(truth)
    redirects: dict[str, str] = {}
    found: dict[bytes, tuple[Link, str]] = {}
    read: set[str] = set()
    web = RecordedWeb()
    for page in chain.from_iterable(map(recorded_pages, recordings)):
        url = canonical_or_same(page.url)
        if page.location and 300 <= page.status < 400:
            redirects.setdefault(url, canonical_or_same(urljoin(page.url, page.location)))
        elif page.status == 200 and "html" in page.content_type.lower() and url not in read:
            read.add(url)
            _read_page(page, relevance, found, web)
            step()
    for link, source in found.values():
        final = _followed(link.url, redirects)
        if final != canonical_or_same(source):
            if final != link.url:
                web.final_url[link.url] = final
            web.links.append(LabelledLink(link, source, relevance.get(final)))
    return web


def _read_page(
    page: Recorded,
    relevance: dict[str, bool],
    found: dict[bytes, tuple[Link, str]],
    web: RecordedWeb,
) -> None:
    declared = http_content_type_encoding(page.content_type) or ""
    charset = detect(page.body, declared)
    parsed = parse_page(page.body.decode(charset, "replace"), page.url, charset=charset)
    web.seen += len(parsed.links)
    for link in parsed.links:
        found.setdefault(link_key(link), (link, page.url))
    label = relevance.get(canonical_or_same(page.url))
    if label is not None:
        web.pages.append(LabelledPage(page.url, parsed.title, parsed.text, label))


def _followed(url: str, redirects: dict[str, str]) -> str:
    for _ in range(_MOST_REDIRECTS):
        if url not in redirects:
            break
        url = redirects[url]
    return url


def read_truth(path: Path | str) -> dict[str, bool]:
    """Return the relevance of each canonical URL of a CSV file with ``url`` and ``relevant``."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return dict(_truth_rows(csv.DictReader(file), path))
    except OSError as error:
        raise ArgumentError(
            f"cannot read {path}: {error.strerror}; give a CSV file with url and relevant."
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise ArgumentError(f"{path} is not a CSV file in UTF-8; save it as one.") from None


def _truth_rows(rows: csv.DictReader[str], path: Path | str) -> Iterator[tuple[str, bool]]:
    if missing := _COLUMNS - set(rows.fieldnames or ()):
        raise ArgumentError(f"{path} has no column {min(missing)!r}; add columns url and relevant.")
    for row in rows:
        if row["relevant"] not in ("0", "1"):
            raise ArgumentError(
                f"{path} line {rows.line_num} has relevant={row['relevant']!r}; write 0 or 1."
            )
        yield canonical_or_same(row["url"]), row["relevant"] == "1"
