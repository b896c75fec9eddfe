"""Jobs: a crawl from its first run to the run after which no URL waits."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE, locked
from focuscrawl.frontier.sqlite.frontier_rows import Rows
from focuscrawl.frontier.sqlite.sqlite_frontier import SqliteFrontier
from focuscrawl.frontier.update_score import UpdateRule
from focuscrawl.system.sqlite_file import transaction


def open_job(
    path: Path, *, rule: UpdateRule, slots: int, discards_frontier: bool = False
) -> SqliteFrontier:
    """Open the frontier of the job to continue, or a new one if the last job has ended.

    A job has ended when no URL waits; leased URLs of a run that died wait again. With
    ``discards_frontier`` waiting URLs are ignored.
    """
    frontier = SqliteFrontier(path, rule=rule, slots=slots)
    is_new = not frontier.waiting and not frontier.counts([]).outcomes
    if is_new or (frontier.waiting and not discards_frontier):
        return frontier
    # A page that killed the last run would kill the next one as well.
    losses = frontier.losses() if discards_frontier else {}
    frontier.close()
    remove_job(path)
    return SqliteFrontier(path, rule=rule, slots=slots, losses=losses)


def forgive_job(path: Path) -> int:
    """Let the next run try the pages of a job that kill crawlers; return their number."""
    lock = locked(path)
    try:
        connection = FRONTIER_FILE.connect(path, create=False)
        with closing(connection), FRONTIER_FILE.errors(path), transaction(connection):
            return Rows(connection).forgive()
    finally:
        lock.release()


def remove_job(path: Path) -> None:
    """Remove the files of a closed frontier."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
