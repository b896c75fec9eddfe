"""Results of the lab's crawls: relevant pages in the order of fetching."""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.result_tables import written
from focuscrawl.lab.crawl_conditions import Condition
from focuscrawl.pages.canonical_urls import canonical_or_same

RUNS_FILE = "runs.csv"
_COLUMNS = (
    "topic", "seeds", "policy", "targets", "pages", *Condition._fields, "seconds", "relevant", "hits",
)  # fmt: skip


class CrawlOutcome(NamedTuple):
    """Result of one crawl with a policy, a topic and a set of seeds.

    ``targets`` is the number of relevant pages in the recording, ``pages`` that of distinct pages
    fetched, ``hits`` the positions (from 1, ascending) of the relevant ones among them. Relevance is
    that of the truth, not of the crawl's own judge. ``seconds`` is the time from the first page to
    the last, 0 if unknown.
    """

    topic: str
    seeds: str
    policy: str
    targets: int
    pages: int
    hits: tuple[int, ...]
    condition: Condition = Condition()
    seconds: float = 0.0

    @property
    def variant(self) -> str:
        """Policy and condition, which are compared."""
        return f"{self.policy} ({self.condition})" if str(self.condition) else self.policy

    @property
    def place(self) -> tuple[str, str]:
        """Topic and seeds, on which policies are compared."""
        return self.topic, self.seeds

    def relevant_at(self, pages: int) -> int:
        """Return the number of relevant pages among the first ``pages``."""
        return bisect_right(self.hits, pages)

    def harvest(self, pages: int) -> float:
        """Return the harvest rate of a budget of ``pages``, counted in full even if not used up."""
        return self.relevant_at(pages) / pages

    def recall(self, pages: int) -> float:
        """Return the share of the targets found within a budget of ``pages``."""
        return self.relevant_at(pages) / self.targets if self.targets else 0.0

    def pages_for(self, share: float) -> int | None:
        """Return the number of pages until a share of the targets is found; None if it never is."""
        # Integers in thousandths: 0.3 of 10 pages are 3, not the 3.0000000000000004 of floats.
        needed = max(1, -(-round(share * 1000) * self.targets // 1000))
        return self.hits[needed - 1] if needed <= len(self.hits) else None


def outcome_of(
    topic: str, seeds: str, policy: str, urls: Iterable[str], truth: Mapping[str, bool]
) -> CrawlOutcome:
    """Return the result of a crawl that fetched ``urls`` in this order; duplicates count once.

    ``truth`` is keyed by canonical URLs; unknown URLs are not relevant.
    """
    fetched = list(dict.fromkeys(map(canonical_or_same, urls)))
    hits = tuple(number for number, url in enumerate(fetched, 1) if truth.get(url))
    return CrawlOutcome(topic, seeds, policy, sum(truth.values()), len(fetched), hits)


def fetched_pages(feed: Path) -> tuple[list[str], float]:
    """Return the URLs of a crawl's feed, a CSV file, and the seconds from the first to the last.

    Returns no URLs if the file was not written.
    """
    if not feed.is_file():
        return [], 0.0
    with feed.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    times = sorted(datetime.fromisoformat(row["fetched_at"]) for row in rows)
    seconds = (times[-1] - times[0]).total_seconds() if times else 0.0
    return [row["url"] for row in rows], seconds


def write_outcomes(outcomes: Iterable[CrawlOutcome], folder: Path) -> Path:
    """Write ``runs.csv``, one row per crawl; raises :class:`~focuscrawl.errors.ArgumentError`."""
    path = folder / RUNS_FILE
    with written(path), path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for found in outcomes:
            writer.writerow(_row(found))
    return path


def read_outcomes(folders: Sequence[Path]) -> list[CrawlOutcome]:
    """Return the crawls of several labs; of a repeated crawl, the one in the last folder."""
    found: dict[tuple[str, str, str], CrawlOutcome] = {}
    for folder in folders:
        for outcome in _read(folder / RUNS_FILE):
            found[outcome.topic, outcome.seeds, outcome.variant] = outcome
    return list(found.values())


def _read(path: Path) -> list[CrawlOutcome]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [_outcome(row) for row in csv.DictReader(file)]
    except OSError as error:
        raise ArgumentError(
            f"cannot read {path}: {error.strerror}; name a folder that scrapy lab has written"
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError, csv.Error):
        raise ArgumentError(f"{path} was not written by scrapy lab; name another folder") from None


def _outcome(row: Mapping[str, str]) -> CrawlOutcome:
    return CrawlOutcome(
        row["topic"],
        row["seeds"],
        row["policy"],
        int(row["targets"]),
        int(row["pages"]),
        tuple(map(int, row["hits"].split())),
        # Files of earlier versions lack these columns.
        Condition(
            int(row.get("requests", 1)),
            float(row.get("latency", 0)),
            float(row.get("delay", 0)),
            float(row["eagerness"]) if row.get("eagerness") else None,
        ),
        float(row.get("seconds", 0)),
    )


def _row(found: CrawlOutcome) -> list[object]:
    hits = " ".join(map(str, found.hits))
    return [*found[:5], *found.condition, found.seconds, len(found.hits), hits]
