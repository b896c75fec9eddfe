"""Counts of the hosts of a run."""

from __future__ import annotations

from focuscrawl.summary.host_yields import HostYields


def test_the_largest_hosts_come_first_with_all_counts() -> None:
    yields = HostYields()
    for seconds in (0.5, 1.5):
        yields.add_response("a.example", seconds, is_page=True)
    yields.add_response("a.example", 0.1, is_page=False)
    yields.add_item("a.example")
    yields.add_failure("b.example")
    assert list(yields.largest().items()) == [
        ("a.example", (3, 2.1, 1, 0, 2)),
        ("b.example", (0, 0.0, 0, 1, 0)),
    ]


def test_no_more_than_fifty_are_written_and_a_wide_crawl_stays_small() -> None:
    yields = HostYields()
    for number in range(30_000):
        yields.add_response(f"{number}.example", 1, is_page=True)
    for _ in range(3):
        yields.add_failure("12.example")
    assert len(yields.largest()) == 50
    assert next(iter(yields.largest())) == "12.example"
    yields.add_item("29999.example")
    assert "29999.example" not in yields.largest()
