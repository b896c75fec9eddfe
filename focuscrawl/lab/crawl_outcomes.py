"""Results of the lab's crawls: relevant pages in the order of fetching."""

from __future__ import annotations

import csv
import math
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
    "judged",
)  # fmt: skip
_UNKNOWN = "-"
# Of a crawl of ten million pages; the csv module reads cells of 131,072 characters by default.
_LARGEST_CELL = 100_000_000


class CrawlOutcome(NamedTuple):
    """Result of one crawl with a policy, a topic and a set of seeds.

    ``targets`` is the number of relevant pages in the recording, ``pages`` that of distinct pages
    fetched, ``hits`` the positions (from 1, ascending) of the relevant ones among them. Relevance is
    that of the truth; ``judged`` are the positions of those relevant by the crawl's own judge, None
    if unknown. ``seconds`` is the time from the first page to the last, 0 if unknown.
    """

    topic: str
    seeds: str
    policy: str
    targets: int
    pages: int
    hits: tuple[int, ...]
    condition: Condition = Condition()
    seconds: float = 0.0
    judged: tuple[int, ...] | None = None

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

    def own_harvest(self, pages: int) -> float:
        """Return the harvest rate by the crawl's own judge, counted like :meth:`harvest`; NaN if unknown."""
        return math.nan if self.judged is None else bisect_right(self.judged, pages) / pages

    def window(self, start: int, end: int, by_judge: bool) -> float | None:
        """Return the harvest rate of the pages after ``start`` up to ``end``, by the truth or the own judge.

        None if the crawl fetched none of them, or if the verdicts of its judge are unknown.
        """
        found = self.judged if by_judge else self.hits
        fetched = min(end, self.pages) - start
        if found is None or fetched <= 0:
            return None
        return (bisect_right(found, end) - bisect_right(found, start)) / fetched

    def recall(self, pages: int) -> float:
        """Return the share of the targets found within a budget of ``pages``."""
        return self.relevant_at(pages) / self.targets if self.targets else 0.0

    def pages_for(self, share: float) -> int | None:
        """Return the number of pages until a share of the targets is found; None if it never is."""
        # Integers in thousandths: 0.3 of 10 pages are 3, not the 3.0000000000000004 of floats.
        needed = max(1, -(-round(share * 1000) * self.targets // 1000))
        return self.hits[needed - 1] if needed <= len(self.hits) else None


def outcome_of(
    topic: str,
    seeds: str,
    policy: str,
    urls: Mapping[str, bool] | Iterable[str],
    truth: Mapping[str, bool],
) -> CrawlOutcome:
    """Return the result of a crawl that fetched ``urls`` in this order; duplicates count once.

    ``urls`` may map each to the verdict of the crawl's own judge. ``truth`` is keyed by canonical URLs;
    unknown URLs are not relevant.
    """
    verdicts = urls if isinstance(urls, Mapping) else dict.fromkeys(urls, False)
    fetched: dict[str, bool] = {}
    for url, verdict in verdicts.items():
        fetched.setdefault(canonical_or_same(url), verdict)
    hits = tuple(number for number, url in enumerate(fetched, 1) if truth.get(url))
    found = CrawlOutcome(topic, seeds, policy, sum(truth.values()), len(fetched), hits)
    if verdicts is not urls:
        return found
    judged = (number for number, verdict in enumerate(fetched.values(), 1) if verdict)
    return found._replace(judged=tuple(judged))


def fetched_pages(feed: Path) -> tuple[dict[str, bool], float]:
    """Return the URLs of a crawl's feed, a CSV file, with the verdicts of its own judge.

    Also returns the seconds from the first to the last; no URLs if the file was not written.
    """
    if not feed.is_file():
        return {}, 0.0
    with feed.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    times = sorted(datetime.fromisoformat(row["fetched_at"]) for row in rows)
    seconds = (times[-1] - times[0]).total_seconds() if times else 0.0
    return {row["url"]: row["is_relevant"] == "1" for row in rows}, seconds


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
    csv.field_size_limit(_LARGEST_CELL)
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
        _numbers(row["hits"]),
        # Files of earlier versions lack these columns.
        Condition(
            int(row.get("requests", 1)),
            float(row.get("latency", 0)),
            float(row.get("delay", 0)),
            float(row["eagerness"]) if row.get("eagerness") else None,
        ),
        float(row.get("seconds", 0)),
        None if (judged := row.get("judged", _UNKNOWN)) == _UNKNOWN else _numbers(judged),
    )


def _row(found: CrawlOutcome) -> list[object]:
    hits = " ".join(map(str, found.hits))
    judged = _UNKNOWN if found.judged is None else " ".join(map(str, found.judged))
    return [*found[:5], *found.condition, found.seconds, len(found.hits), hits, judged]


def _numbers(cell: str) -> tuple[int, ...]:
    return tuple(map(int, cell.split()))
