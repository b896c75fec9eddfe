"""Glances into a frontier, which change nothing and never wait for long."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.frontier_entries import Candidate
from focuscrawl.frontier.sqlite import frontier_glance
from focuscrawl.frontier.sqlite.frontier_glance import glance_at
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "frontier # ?.sqlite"
    frontier = SqliteFrontier(path)
    frontier.push([Candidate.of("http://a.example/", "a.example", 5.0)])
    (lease,) = frontier.lease(1, 0.0)
    links = [Candidate.of(f"http://b.example/{n}", "b.example", n / 10) for n in range(30)]
    frontier.ack(lease, links)
    frontier.close()
    return path


def test_what_waits_is_seen_after_the_crawl(path: Path) -> None:
    before = path.read_bytes()
    with glance_at(path) as glance:
        assert glance.totals() == (30, 1, 0, 0, 1)
        assert glance.hosts(5) == [("b.example", 30, 0, 0, 0)]
        best = glance.best(2)
        assert [(one.url, one.score) for one in best] == [
            ("http://b.example/29", 2.9), ("http://b.example/28", 2.8)
        ]  # fmt: skip
        # Without a trail, the page is that of the best link.
        assert best[0].source == "http://a.example/"
        assert glance.best(9, "a.example") == []
        assert len(glance.scores()) == 30
    assert path.read_bytes() == before


def test_the_crawl_that_uses_the_file_is_not_held_up(path: Path) -> None:
    frontier = SqliteFrontier(path)
    with glance_at(path) as glance:
        glance.totals()
        (lease,) = frontier.lease(1, 0.0)
        frontier.ack(lease, [Candidate.of("http://c.example/", "c.example", 9.0)])
        assert glance.best(1)[0].url == "http://c.example/"
        with pytest.raises(FrontierError):
            glance._fetch("DELETE FROM urls")
    frontier.close()


def test_a_lock_is_waited_for_briefly(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        with pytest.raises(FrontierError, match="locked"), glance_at(path) as glance:
            glance.totals()
        assert time.monotonic() - begun < 60


def test_a_query_that_takes_long_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier_glance, "MOST_SECONDS", -1.0)
    monkeypatch.setattr(frontier_glance, "_STEPS", 1)
    with pytest.raises(FrontierError, match="too large"), glance_at(path) as glance:
        glance.scores()


def test_other_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FrontierError, match="does not exist"), glance_at(tmp_path / "x"):
        pass
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE a (b)")
    with pytest.raises(FrontierError, match="is not a frontier file"), glance_at(other):
        pass
    other.write_bytes(b"no database" * 100)
    with pytest.raises(FrontierError, match="damaged"), glance_at(other):
        pass
