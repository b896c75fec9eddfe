"""Sums of the counts of a crawl's workers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from focuscrawl.summary.run_report import NamedCounts, as_json, as_text
from focuscrawl.summary.worker_totals import add_counts
from tests.summary.reports import failed_report


class Server:
    """Sums in memory, as a server keeps them: in any order."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()

    def shared_counts(self, counts: Mapping[str, int]) -> dict[str, int]:
        self.sums.update(counts)
        return dict(sorted(self.sums.items()))


def test_the_last_worker_has_the_sum_of_all() -> None:
    server = Server()
    pages = NamedCounts("pages", {"requests": 5, "responses": 4})
    first = add_counts(server, [pages, NamedCounts("sites", {"good": 1}), ("last", "12")])
    assert first == (1, {"pages": {"requests": 5, "responses": 4}, "sites": {"good": 1}})
    kept = NamedCounts("kept", {"a/b": 3, "none": 0})
    last = add_counts(server, [pages, kept, NamedCounts("sites", {"bad": 2})])
    assert last == (
        2,
        {
            "pages": {"requests": 10, "responses": 8},
            "kept": {"a/b": 3, "none": 0},
            "sites": {"good": 1, "bad": 2},
        },
    )
    # The own ones come first, and what only others count is not left out.
    assert list(last.counts) == ["pages", "kept", "sites"]
    assert list(add_counts(server, [kept]).counts) == ["kept", "pages", "sites"]


def test_the_report_of_a_worker_tells_its_own_counts_from_those_of_all() -> None:
    together = {"pages": {"requests": 10, "responses": 8}, "kept": {"new": 3}}
    report = failed_report(worker="m1:12", workers=2, together=together, error="no more")
    lines = as_text(report)
    assert lines[1] == "  worker    m1:12; these are its own counts"
    assert lines[-4:] == [
        "  together  2 workers of this crawl have ended so far",
        "            pages     10 requests, 8 responses",
        "            kept      3 new",
        "  error     no more",
    ]
    found = json.loads(as_json(report))
    assert found["worker"] == "m1:12"
    assert found["together"] == {"workers": 2, "counts": together}
    alone = json.loads(as_json(failed_report(worker="m1:12")))
    assert alone["together"] is None
