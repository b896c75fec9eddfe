"""Report of one run of a spider, as lines of text and as one line of JSON."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple, Protocol

from focuscrawl.summary.harvest_report import HarvestReport
from focuscrawl.summary.rule_version import RuleVersion
from focuscrawl.system.secret_masking import masked

_MOST_SEEDS = 10
_RESULT_LABELS = ("results", "")
_LOGGED = "; the log shows where"
_WORKERS = "workers"

Line = tuple[str, str]
"""A line of the summary: its label, one word or two, and its text."""


class NamedCounts(NamedTuple):
    """A line of the summary whose numbers have names; ``text`` is written where it is not the default."""

    label: str
    counts: Mapping[str, int]
    text: str = ""


class Clock:
    """The time when something began, and for how long it has lasted."""

    def __init__(self) -> None:
        self.began = datetime.now().astimezone()
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the beginning, whatever happened to the system's clock."""
        return time.monotonic() - self._start


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """The outcome of a run: its counts, places, faults and exit code.

    ``reason`` is Scrapy's finish reason. ``results`` says where the records are, ``waiting`` lists
    stores that must be loaded by the next run. ``stores`` has the counts of each store. ``raised`` has
    the errors in the code by place and class. ``exit_code`` is None until it is known.

    Of a crawl with several workers this is the report of one ``worker``. ``together`` has the counts of
    the ``workers`` that have ended so far, this one among them, by label and name.
    """

    crawl: str
    spider: str
    began: datetime
    seconds: float
    reason: str
    rules: RuleVersion | None = None
    counts: Sequence[Line | NamedCounts] = ()
    failed: Mapping[str, int] = field(default_factory=dict)
    failed_seeds: Mapping[str, str] = field(default_factory=dict)
    raised: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    not_done: Sequence[str] = ()
    alarms: Sequence[str] = ()
    places: Sequence[Line] = ()
    stores: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    harvest: HarvestReport | None = None
    error: str = ""
    exit_code: int | None = None
    not_sent: Sequence[str] = ()
    worker: str = ""
    workers: int = 0
    together: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def as_text(report: RunReport) -> list[str]:
    """Return the lines of the summary for people, not masked."""
    lines = (f"  {label:<9} {text}" for label, text in _lines(report))
    return [f"{report.crawl}: {report.reason}", *lines]


def _lines(report: RunReport) -> Iterator[Line]:
    if report.worker:
        yield "worker", f"{report.worker}; these are its own counts"
    took = timedelta(seconds=int(report.seconds))
    yield "began", f"{report.began.isoformat(' ', 'seconds')}, took {took}"
    if report.rules:
        yield report.rules.kind, f"{report.rules.name}, version {report.rules.version}"
    yield from map(_as_line, report.counts)
    for n, text in enumerate(report.harvest.lines() if report.harvest else ()):
        yield "" if n else "harvest", text
    if report.failed and "failed" not in {line[0] for line in report.counts}:
        yield "failed", _in_words(report.failed)
    yield from _failed_seeds(report.failed_seeds)
    for place, errors in report.raised.items():
        yield "raised", f"{_in_words(errors)} in {place}{_LOGGED}"
    if report.dropped:
        yield "dropped", _in_words(report.dropped)
    yield from (("note", text) for text in report.notes)
    yield from (("not done", text) for text in report.not_done)
    yield from (("alarm", text) for text in report.alarms)
    yield from report.places
    yield from _together(report)
    if report.error:
        yield "error", report.error


def _together(report: RunReport) -> Iterator[Line]:
    if report.workers:
        yield "together", f"{report.workers} workers of this crawl have ended so far"
    for label, counts in report.together.items():
        line = _as_line(NamedCounts(label, counts))
        yield "", f"{line[0]:<9} {line[1]}"


def _as_line(line: Line | NamedCounts) -> Line:
    if isinstance(line, NamedCounts):
        return line.label, line.text or ", ".join(f"{n} {name}" for name, n in line.counts.items())
    return line


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {why}" for why, n in sorted(counts.items()))


def _failed_seeds(seeds: Mapping[str, str]) -> Iterator[Line]:
    named = [f"{url} ({reason})" for url, reason in islice(seeds.items(), _MOST_SEEDS)]
    rest = len(seeds) - len(named)
    if named:
        yield "seeds", f"failed: {', '.join([*named, *([f'and {rest} more'] if rest else [])])}"


def as_json(report: RunReport) -> str:
    """Return the report as one line of JSON, masked, in ASCII: no encoding can damage it."""
    return json.dumps(as_object(report))


def as_object(report: RunReport) -> dict[str, Any]:
    """Return the report as JSON values, masked."""
    found: dict[str, Any] = _masked(_values(report))
    return found


def _values(report: RunReport) -> dict[str, Any]:
    details: dict[str, list[str]] = {}
    texts = [line for line in report.counts if not isinstance(line, NamedCounts)]
    texts += [line for line in report.places if line[0] not in _RESULT_LABELS]
    for label, text in texts:
        details.setdefault(label, []).append(text)
    ended = report.began + timedelta(seconds=report.seconds)
    return {
        "crawl": report.crawl,
        "spider": report.spider,
        "rules": report.rules._asdict() if report.rules else None,
        "began": report.began.isoformat(timespec="seconds"),
        "ended": ended.isoformat(timespec="seconds"),
        "seconds": round(report.seconds, 1),
        "reason": report.reason,
        "exit_code": report.exit_code,
        "counts": {
            line.label: line.counts for line in report.counts if isinstance(line, NamedCounts)
        },
        **({"harvest": report.harvest.as_object()} if report.harvest else {}),
        "details": details,
        "failed": report.failed,
        "failed_seeds": report.failed_seeds,
        "raised": report.raised,
        "dropped": report.dropped,
        "notes": report.notes,
        "not_done": report.not_done,
        "alarms": report.alarms,
        "error": report.error or None,
        "results": [text for label, text in report.places if label in _RESULT_LABELS],
        "stores": report.stores,
        "not_sent": report.not_sent,
        **(_values_of_worker(report) if report.worker else {}),
    }


def _values_of_worker(report: RunReport) -> dict[str, Any]:
    together = {"workers": report.workers, "counts": report.together}
    return {"worker": report.worker, "together": together if report.workers else None}


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {masked(name): _masked(part) for name, part in value.items()}
    if isinstance(value, Sequence):
        return [_masked(part) for part in value]
    return value


# One report of a crawl whose workers were processes of this machine, from the reports that they printed.

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
        counts=[NamedCounts(label, numbers) for label, numbers in counts.items()],
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


# Counts of all workers of a crawl together, by the counts that each of them leaves when it ends.


class SharesCounts(Protocol):
    """What keeps sums for all workers, also once the frontier is closed."""

    def shared_counts(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Add counts to those of the crawl, and return the sums."""


class WorkerTotals(NamedTuple):
    """The number of workers that have ended, and their counts by label and name."""

    workers: int
    counts: dict[str, dict[str, int]]


def add_counts(shared: SharesCounts, lines: Sequence[Line | NamedCounts]) -> WorkerTotals:
    """Add the counts of a worker that ends to those of the crawl, and return the sums."""
    own = {
        f"{line.label}/{name}": count
        for line in lines
        if isinstance(line, NamedCounts)
        for name, count in line.counts.items()
    }
    sums = shared.shared_counts(own | {_WORKERS: 1})
    counts: dict[str, dict[str, int]] = {}
    for key, count in sums.items():
        label, slash, name = key.partition("/")
        if slash:
            counts.setdefault(label, {})[name] = count
    # Those of this worker first, in their order, since a server keeps none.
    order = [key.partition("/")[0] for key in own]
    labels = [*dict.fromkeys(order), *sorted(counts.keys() - {*order})]
    return WorkerTotals(sums[_WORKERS], {label: counts[label] for label in labels})
