"""One report from those of several workers."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from focuscrawl.summary.run_report import NamedCounts, RunReport, as_json, join_reports, worst_code

BEGAN = datetime(2026, 3, 5, tzinfo=UTC)


def report(reason: str = "finished", pages: int = 1, **fields: object) -> dict[str, object]:
    made = RunReport(
        crawl="tunnel-nets", spider="tunnel", began=BEGAN, seconds=1.0, reason=reason,
        counts=[NamedCounts("pages", {"responses": pages})], **fields,  # type: ignore[arg-type]
    )  # fmt: skip
    found: dict[str, object] = json.loads(as_json(made))
    return found


BASE = RunReport(crawl="tunnel", spider="tunnel", began=BEGAN, seconds=9.0, reason="")


def test_counts_are_added_and_sentences_said_once() -> None:
    workers = [
        report(pages=3, failed={"timeout": 1}, notes=["same"], raised={"callbacks": {"E": 1}}),
        report(pages=4, failed={"timeout": 2}, notes=["same"], raised={"callbacks": {"E": 1}}),
    ]
    joined = join_reports(BASE, workers)
    assert (joined.crawl, joined.reason, joined.seconds) == ("tunnel-nets", "finished", 9.0)
    assert joined.counts == [NamedCounts("pages", {"responses": 7})]
    assert joined.failed == {"timeout": 3}
    assert joined.raised == {"callbacks": {"E": 2}}
    assert joined.notes == ["same"]


def test_the_reason_is_that_of_a_worker_that_did_not_finish() -> None:
    assert join_reports(BASE, [report(), report("shutdown")]).reason == "shutdown"


@pytest.mark.parametrize(
    ("codes", "worst"),
    [([0, 0], 0), ([0, 3], 3), ([3, 130], 130), ([130, 2], 2), ([2, 1], 1), ([0, -9], 3), ([], 0)],
)
def test_the_worst_code(codes: list[int], worst: int) -> None:
    assert worst_code(codes) == worst
