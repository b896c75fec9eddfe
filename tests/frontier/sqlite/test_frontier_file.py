"""The frontier's file: who may have it, and what is said of one that cannot be used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import FrontierError
from focuscrawl.frontier import Pushed, SqliteFrontier, State, UpdateRule, read_frontier
from tests.frontier.frontier_runs import link, take_all, url, urls


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.sqlite"


def refusal(path: Path, **options: UpdateRule) -> str:
    """Return the sentence with which a file is refused; it has to be free and as before after it."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(FrontierError) as caught:
        SqliteFrontier(path, **options)
    assert "\n" not in str(caught.value)
    assert before is None or path.read_bytes() == before
    return str(caught.value)


def made(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.push([link(number) for number in range(500)])
    frontier.close()


def test_folders_are_made_and_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "f.sqlite"
    made(path)
    assert sorted(os.listdir(path.parent)) in (["f.sqlite"], ["f.sqlite", "f.sqlite.lock"])


def test_one_run_at_a_time(path: Path) -> None:
    frontier = SqliteFrontier(path)
    assert "in use by a running crawl" in refusal(path)
    other = (
        "import sys; from pathlib import Path; from focuscrawl.frontier import SqliteFrontier as F"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{other}; F(Path(sys.argv[1]))", str(path)],
        capture_output=True,
        text=True,
    )
    assert "in use by a running crawl" in done.stderr
    frontier.close()
    SqliteFrontier(path).close()


def test_another_database_is_no_frontier(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE urls (url TEXT)")
    assert "is not a frontier file" in refusal(path)
    with pytest.raises(FrontierError, match="is not a frontier file"), read_frontier(path):
        pass


def test_a_damaged_file_is_told(path: Path) -> None:
    made(path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(FrontierError, match="damaged"):
        take_all(SqliteFrontier(path))


def test_the_rule_stays(path: Path) -> None:
    made(path)
    message = refusal(path, rule=UpdateRule.MEAN)
    assert "created with the rule max, not mean" in message


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot write" in refusal(tmp_path / "file" / "f.sqlite")


def test_it_can_be_read_while_a_crawl_has_it(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.push([link(1), link(2)])
    (lease,) = frontier.lease(1, 0)
    with read_frontier(path) as reader:
        assert reader.known([lease.key]) == {lease.key: State.LEASED}
        assert [entry.url for entry in reader.each_waiting()] == [url(2)]
        frontier.ack(lease)
        assert reader.known([lease.key]) == {lease.key: State.DONE}
        with pytest.raises(sqlite3.OperationalError):
            reader._do("DELETE FROM urls")
    frontier.close()


def test_asking_makes_no_file(path: Path) -> None:
    with pytest.raises(FrontierError, match="does not exist"), read_frontier(path):
        pass
    assert not path.exists()


CHANGES: list[Callable[[SqliteFrontier], object]] = [
    lambda frontier: frontier.push([link(99, 99), link(98, 98)]),
    lambda frontier: frontier.push([link(1, 99)]),
    lambda frontier: frontier.lease(2, 0),
    lambda frontier: frontier.lease(2, 50),
    lambda frontier: frontier.drop([link(1).key], "steps"),
    lambda frontier: frontier.drop_host("a.example", "blacklist"),
    lambda frontier: frontier.rescore({link(1).key: 77.0}),
    lambda frontier: frontier.pause("a.example", 1e9),
    lambda frontier: frontier.next_due(1e9),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_could_not_be_written_has_not_happened(
    path: Path, change: Callable[[SqliteFrontier], object]
) -> None:
    frontier = SqliteFrontier(path, slots=2, window=2)
    frontier.push([link(number, number) for number in range(9)])
    frontier.push([link(50)._replace(not_before=40.0)])
    (flying,) = frontier.lease(1, 0)
    frontier._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(FrontierError, match="read-only"):
        change(frontier)
    for end in (frontier.ack, frontier.release, lambda lease: frontier.retry(lease, 1)):
        with pytest.raises(FrontierError, match="read-only"):
            end(flying)
    frontier._connection.execute("PRAGMA query_only = OFF")
    assert (frontier.waiting, frontier.leased) == (9, 1)
    assert frontier.ack(flying, [link(99, 0.5)]) == Pushed(new=1)
    expected = [7, 6, 5, 4, 3, 2, 1, 99, 0, 50]
    assert urls(take_all(frontier, 50)) == [url(number) for number in expected]
    frontier.close()


def test_a_full_disk_is_told_and_loses_nothing(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.push([link(number) for number in range(100)])
    (pages,) = frontier._connection.execute("PRAGMA page_count").fetchone()
    frontier._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(FrontierError, match="full"):
        frontier.push([link(number) for number in range(100, 9000)])
    frontier._connection.execute(f"PRAGMA max_page_count = {pages * 1000}")
    assert frontier.push([link(number) for number in range(50, 9000)]) == Pushed(8900, 0, 50)
    assert frontier.waiting == 9000
    frontier.close()
