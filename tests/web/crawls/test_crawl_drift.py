"""Causes of drift, each by the history of its crawl."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from focuscrawl.items import CrawlRun
from focuscrawl.summary.run_series import RunPoint
from focuscrawl.web.crawls.crawl_drift import Cause, causes_of, far_below
from focuscrawl.web.crawls.run_facts import RunFacts
from focuscrawl.web.message_catalogue import LANGUAGES, message
from tests.web.crawls.run_examples import BEGAN, details, run_of

HISTORY = [run_of(number, days=number, details=details(200, 78 + number)) for number in range(1, 7)]


def kinds(run: CrawlRun, earlier: list[CrawlRun] = HISTORY, *, hours: float = 500) -> list[str]:
    now = BEGAN + timedelta(hours=hours)
    return [
        cause.kind for cause in causes_of(RunFacts(run, now), [RunFacts(e, now) for e in earlier])
    ]


def counts(**changed: int) -> dict[str, Any]:
    found = dict(details()["counts"])
    return {"counts": found | {f"focuscrawl/{name}": n for name, n in changed.items()}}


def test_a_run_like_the_others_has_no_cause() -> None:
    assert kinds(run_of(9, days=9)) == []


def test_a_low_harvest_needs_history_pages_and_a_clear_drop() -> None:
    low = run_of(9, days=9, details=details(200, 30))
    assert kinds(low) == ["low_harvest"]
    assert kinds(low, HISTORY[:4]) == []
    for harvest, kind in (
        ({"judge": "nets"}, "low_harvest_own"),
        ({"judge": "nets", "corrected": {"rate": 0.1, "low": 0.0, "high": 0.2}}, "low_harvest_corrected"),
    ):  # fmt: skip
        judged = run_of(9, days=9, details=details(200, 30, harvest=harvest))
        (cause,) = causes_of(RunFacts(judged, BEGAN), [RunFacts(e, BEGAN) for e in HISTORY])
        assert cause.kind == kind
        for language in LANGUAGES:
            assert "15.0%" in message(f"crawls.cause_{kind}", language, **cause.values)
    assert kinds(run_of(9, details=details(10, 0))) == []
    # Less than a fifth below the usual.
    assert kinds(run_of(9, details=details(200, 70))) == []
    other = [run_of(n, crawl="other", details=run.details) for n, run in enumerate(HISTORY)]
    assert kinds(low, other) == []


def test_beginnings_of_the_same_length_are_compared() -> None:
    def late(pages: int) -> dict[str, Any]:
        # Nothing in the first hundred pages, then all.
        points = [
            RunPoint(n, 10 * n, max(0, 10 * n - 100), 0, 0, 0) for n in range(pages // 10 + 1)
        ]
        return details(series=points)

    history = [run_of(number, days=number, details=late(400)) for number in range(6)]
    assert kinds(run_of(9, days=9, ended=False, details=late(100)), history, hours=216) == []
    assert kinds(run_of(9, days=9, details=details(400, 0)), history) == ["low_harvest"]
    # Shorter runs count as a whole.
    short = [run_of(number, days=number, details=late(200)) for number in range(6)]
    assert kinds(run_of(9, days=9, details=details(400, 10)), short) == ["low_harvest"]


def test_few_prices_per_article() -> None:
    run = run_of(9, details=details(**counts(quotes=80)))
    assert kinds(run) == ["low_quotes"]
    fewer = {"articles/new": 1, "articles/changed": 0}
    assert kinds(run_of(9, details=details(**counts(quotes=1, **fewer)))) == []


def test_a_profile_that_selects_nothing() -> None:
    nothing = {f"articles/{name}": 0 for name in ("new", "changed", "unchanged")}
    empty = details(20, 0, **counts(**nothing))
    empty["series"] = [point._replace(failures=0) for point in empty["series"]]
    assert kinds(run_of(9, details=empty), []) == ["empty_profile"]
    assert kinds(run_of(9, spider="article", details=empty), []) == []
    empty["counts"] |= {"focuscrawl/articles/incomplete": 20}
    assert kinds(run_of(9, details=empty), []) == ["empty_profile"]


def test_a_site_that_is_gone() -> None:
    hosts = {"hosts": {"a.example": [9, 1.0, 0, 3, 0], "b.example": [9, 1.0, 0, 3, 6]}}
    run = RunFacts(run_of(9, details=details(**hosts)), BEGAN)
    assert causes_of(run, []) == [Cause("gone_site", {"host": "a.example", "failures": 3})]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"exit_code": 2, "reason": "error"}, ["failed"]),
        ({"exit_code": 130, "reason": "shutdown"}, []),
        ({"exit_code": 3}, []),
        ({"ended": False}, ["killed"]),
    ],
)
def test_ends_of_runs(fields: dict[str, Any], expected: list[str]) -> None:
    assert kinds(run_of(9, **fields)) == expected


def test_a_run_is_killed_only_after_silence() -> None:
    run = run_of(9, ended=False)
    assert kinds(run, hours=0.18) == []
    assert kinds(run, hours=0.2) == ["killed"]


def test_an_outlier_in_the_history_hides_nothing() -> None:
    assert far_below(0.1, [0.4, 0.41, 0.39, 0.4, 0.0]) == 0.4
    assert far_below(0.39, [0.4] * 9) is None
    assert far_below(0.3, [0.1, 0.7, 0.4, 0.9, 0.5]) is None
