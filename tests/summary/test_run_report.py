"""The report of a run as text and as JSON."""

from __future__ import annotations

import json
from datetime import datetime

from focuscrawl.summary.run_report import Clock, as_json, as_text
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


def test_a_spider_that_says_itself_what_failed_has_one_line_of_it() -> None:
    lines = as_text(failed_report(counts=[("failed", "3 timeout; the next run retries them")]))
    assert [line for line in lines if line.startswith("  failed")] == [
        "  failed    3 timeout; the next run retries them"
    ]


def test_a_run_of_more_than_a_day_says_so() -> None:
    assert as_text(failed_report(seconds=100_000.0))[1].endswith(", took 1 day, 3:46:40")


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
