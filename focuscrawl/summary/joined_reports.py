"""One report of a crawl whose workers were processes of this machine, from the reports that they printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from focuscrawl.summary.run_report import Counts, RunReport

# From the best to the worst: incomplete, stopped, an error of the user or the site, a fault.
_CODES = (0, 3, 130, 2, 1)
_NO_REASON = "finished"


def join_reports(base: RunReport, reports: Sequence[Mapping[str, Any]]) -> RunReport:
    """Add the workers' reports, as JSON values, to a report that has the crawl's time and stores."""
    counts = _sums_by_name(report["counts"] for report in reports)
    reasons = [report["reason"] for report in reports if report["reason"] != _NO_REASON]
    return replace(
        base,
        crawl=next((report["crawl"] for report in reports), base.crawl),
        reason=base.reason or next(iter(reasons), _NO_REASON),
        counts=[Counts(label, numbers) for label, numbers in counts.items()],
        failed=_sums(report["failed"] for report in reports),
        dropped=_sums(report["dropped"] for report in reports),
        failed_seeds={url: why for one in reports for url, why in one["failed_seeds"].items()},
        raised=_sums_by_name(report["raised"] for report in reports),
        notes=[*base.notes, *_distinct(reports, "notes")],
        not_done=[*base.not_done, *_distinct(reports, "not_done")],
        alarms=_distinct(reports, "alarms"),
        error=base.error or next((one["error"] for one in reports if one["error"]), ""),
    )


def worst_code(codes: Iterable[int]) -> int:
    """Return the exit code of all workers together; one that was killed counts as incomplete."""
    known = [code if code in _CODES else 3 for code in codes]
    return max(known, key=_CODES.index, default=0)


def _sums(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for one in counts:
        sums.update(one)
    return dict(sums)


def _sums_by_name(counts: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for one in counts:
        for name, numbers in one.items():
            found.setdefault(name, Counter()).update(numbers)
    return {name: dict(numbers) for name, numbers in found.items()}


def _distinct(reports: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    return list(dict.fromkeys(text for report in reports for text in report[name]))
