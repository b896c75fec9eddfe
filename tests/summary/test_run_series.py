"""Points of a run: few, the newest ones densest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.summary.run_series import RunPoint, RunSeries, measured


@given(st.integers(1, 5000))
def test_a_series_stays_short_and_keeps_both_ends(count: int) -> None:
    series = RunSeries()
    for number in range(count):
        series.add(RunPoint(10 * number, number, 0, 0, 0, 0))
    seconds = [point.seconds for point in series.points]
    assert len(seconds) <= 360
    assert (seconds[0], seconds[-1]) == (0, 10 * (count - 1))
    assert seconds == sorted(set(seconds))
    # The last half hour is as it was measured.
    newest = seconds[-170:]
    assert newest == list(range(newest[0], newest[-1] + 1, 10))


def test_a_point_has_the_counts_of_the_stats() -> None:
    stats = {
        "response_received_count": 7,
        "scheduler/enqueued": 9,
        "scheduler/dequeued": 5,
        "focuscrawl/pages/relevant": 3,
        "focuscrawl/pages/failed": 2,
        "item_scraped_count": 6,
        "focuscrawl/pages/judged": 5,
        "focuscrawl/pages/promised": 1.23456,
    }
    assert measured(stats, 12.6) == RunPoint(13, 7, 3, 4, 2, 6, 5, 1.235)
    assert measured(stats | {"frontier/waiting": 8}, 0).waiting == 8
    assert measured({}, 0) == RunPoint(0, 0, 0, 0, 0, 0, 0, 0.0)
