"""The report of a run as text and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from focuscrawl.summary.run_report import Clock, NamedCounts, add_counts, as_json, as_text
from tests.summary.reports import failed_report


def test_the_text_has_every_part_in_order() -> None:
    assert as_text(failed_report(error="the store is full", alarms=["nothing was found"])) == [
        "maize-yz88: finished",
        "  began     2026-03-05 07:00:03+08:00, took 0:01:12",
        "  profile   yz88, version 3f9a2c1b",
        "  pages     5 requests, 4 responses",
        "  articles  2 new, 0 changed",
        "  last      12 of http://a.test/?token=geheim",
        "  failed    2 HTTP 503, 1 timeout",
        "  seeds     failed: http://b.test/?key=geheim (timeout)",
        "  raised    2 ValueError in callbacks; the log shows where",
        "  dropped   7 title",
        "  note      没有标题",
        "  not done  2 of 4 articles are incomplete; run again to complete them",
        "  alarm     nothing was found",
        "  results   /srv/a.sqlite",
        "            /srv/玉米.xlsx",
        "  waiting   3 records",
        "  error     the store is full",
    ]


def test_a_long_run_says_its_days_and_what_a_spider_says_itself_is_not_said_twice() -> None:
    counts = [("failed", "3 timeout; the next run retries them")]
    lines = as_text(failed_report(counts=counts, seconds=100_000.0))
    assert lines[1].endswith(", took 1 day, 3:46:40")
    assert [line for line in lines if line.startswith("  failed")] == [
        "  failed    3 timeout; the next run retries them"
    ]


def test_the_json_is_one_line_of_ascii_without_secrets() -> None:
    text = as_json(failed_report())
    assert text.isascii()
    assert "\n" not in text
    assert "geheim" not in text
    assert json.loads(text) == {
        "crawl": "maize-yz88",
        "spider": "maize",
        "rules": {"kind": "profile", "name": "yz88", "version": "3f9a2c1b"},
        "began": "2026-03-05T07:00:03+08:00",
        "ended": "2026-03-05T07:01:15+08:00",
        "seconds": 72.4,
        "reason": "finished",
        "exit_code": 3,
        "counts": {
            "pages": {"requests": 5, "responses": 4},
            "articles": {"new": 2, "changed": 0},
        },
        "details": {"last": ["12 of http://a.test/?token=***"], "waiting": ["3 records"]},
        "failed": {"timeout": 1, "HTTP 503": 2},
        "failed_seeds": {"http://b.test/?key=***": "timeout"},
        "raised": {"callbacks": {"ValueError": 2}},
        "dropped": {"title": 7},
        "notes": ["没有标题"],
        "not_done": ["2 of 4 articles are incomplete; run again to complete them"],
        "alarms": [],
        "error": None,
        "results": ["/srv/a.sqlite", "/srv/玉米.xlsx"],
        "stores": {"sqlite:////srv/a.sqlite": {"new": 2, "waiting": 0}},
        "not_sent": [],
    }


def test_a_file_name_that_is_not_utf_8_does_no_harm() -> None:
    report = failed_report(places=[("results", "/srv/\udcff.sqlite")])
    assert json.loads(as_json(report))["results"] == ["/srv/\udcff.sqlite"]


def test_the_clock_knows_its_zone() -> None:
    clock = Clock()
    assert clock.began.utcoffset() == datetime.now().astimezone().utcoffset()
    assert clock.seconds >= 0


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
