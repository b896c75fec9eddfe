"""Reports for tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from focuscrawl.summary.rule_version import RuleVersion
from focuscrawl.summary.run_report import NamedCounts, RunReport

_FAILED = RunReport(
    crawl="maize-yz88",
    spider="maize",
    began=datetime(2026, 3, 5, 7, 0, 3, tzinfo=timezone(timedelta(hours=8))),
    seconds=72.4,
    reason="finished",
    rules=RuleVersion("profile", "yz88", "3f9a2c1b"),
    counts=[
        NamedCounts("pages", {"requests": 5, "responses": 4}),
        NamedCounts("articles", {"new": 2, "changed": 0}),
        ("last", "12 of http://a.test/?token=geheim"),
    ],
    failed={"timeout": 1, "HTTP 503": 2},
    failed_seeds={"http://b.test/?key=geheim": "timeout"},
    raised={"callbacks": {"ValueError": 2}},
    dropped={"title": 7},
    notes=["没有标题"],
    not_done=["2 of 4 articles are incomplete; run again to complete them"],
    places=[("results", "/srv/a.sqlite"), ("", "/srv/玉米.xlsx"), ("waiting", "3 records")],
    stores={"sqlite:////srv/a.sqlite": {"new": 2, "waiting": 0}},
    exit_code=3,
)


def failed_report(**changes: Any) -> RunReport:
    """Return the report of a run that was not complete, with every part but an error."""
    return replace(_FAILED, **changes)
