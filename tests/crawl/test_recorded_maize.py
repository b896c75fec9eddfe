"""The acceptance of the maize crawl on the recorded site."""

from __future__ import annotations

import csv
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crawl.conftest import SHARED, Crawler, Replay

ARGUMENTS = ("-a", "site=yz88", "-a", "title=日山东玉米")
KILLS = 4


def test_all_articles_whole_and_a_second_run_asks_for_almost_nothing(
    crawl: Crawler, maize_replay: Callable[..., Replay]
) -> None:
    replay = maize_replay()
    first = crawl(*ARGUMENTS)
    assert first.code == 0, first.err
    # One for the page behind the last, one for the first page again.
    assert len(replay.requests()) == 228
    assert crawl.rows("select count(*), sum(is_complete) from articles") == [(39, 39)]
    with (SHARED / "labels/articles.csv").open(encoding="utf-8-sig") as file:
        truth = sorted(
            (row["url"], row["title"], row["date"], int(row["pages"]))
            for row in csv.DictReader(file)
        )
    assert crawl.rows("select url, title, published, pages from articles order by url") == truth
    # Not the size of the file, which has a row for each run.
    whole = "select * from articles", "select * from quotes", "select * from article_revisions"
    before = [crawl.rows(query) for query in whole]
    second = crawl(*ARGUMENTS)
    assert second.code == 0, second.err
    assert len(replay.requests()) <= 3
    assert second.count("new") == second.count("changed") == 0
    assert crawl.rows("select max(fetched_at) from articles") <= crawl.rows(
        "select max(first_seen) from articles"
    )
    assert [crawl.rows(query) for query in whole] == before


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_a_killed_run_is_completed_by_the_next(
    crawl: Crawler, maize_replay: Callable[..., Replay], tmp_path: Path, part: int
) -> None:
    maize_replay("--latency-ms", "5")
    started = time.monotonic()
    undisturbed = Crawler(tmp_path / "whole", crawl.environment)
    undisturbed.folder.mkdir()
    assert undisturbed(*ARGUMENTS).code == 0
    seconds = time.monotonic() - started
    for number in range(part, KILLS, 2):
        disturbed = Crawler(tmp_path / f"killed{number}", crawl.environment)
        disturbed.folder.mkdir()
        process = disturbed.start(*ARGUMENTS)
        time.sleep(seconds * (0.2 + 0.8 * number / KILLS))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert disturbed(*ARGUMENTS).code == 0
        assert disturbed.content() == undisturbed.content()
