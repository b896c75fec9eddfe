"""A page that kills workers, found out in the middle of a run."""

from __future__ import annotations

import signal
import time

from redis import Redis

from focuscrawl.frontier.frontier_entries import MOST_LOST
from tests.frontier.test_scheduler import A, Stepper, page, steps

__all__ = ["steps"]

WORKERS = "focuscrawl:{stepper}:workers"


def wait_for_second_turn(client: Redis, dead: set[bytes]) -> None:
    """Wait until a worker has renewed its registration, after it has opened the frontier."""
    first, deadline = 0.0, time.monotonic() + 60
    while time.monotonic() < deadline:
        for name, until in client.zrange(WORKERS, 0, -1, withscores=True):
            first = first or until * (name not in dead)
            if first and until > first + 2:
                return
        time.sleep(0.05)
    raise AssertionError(client.zrange(WORKERS, 0, -1, withscores=True))


def test_the_summary_names_a_page_that_was_found_out_in_the_middle_of_the_run(
    steps: Stepper, valkey_url: str
) -> None:
    steps.says(f"{A}/", page(f"{A}/kills", f"{A}/good"))
    steps.says(f"{A}/kills", page(kill=True))
    steps.says(f"{A}/good", page())
    arguments = ("-L", "INFO", "-s", f"FOCUSCRAWL_FRONTIER={valkey_url}")
    with Redis.from_url(valkey_url) as client:
        for _ in range(MOST_LOST + 1):
            # The leases of the dead worker end.
            client.delete(WORKERS, *client.keys("*:owner"))
            process = steps.start(*arguments)
            process.communicate(timeout=60)
            assert process.returncode == -signal.SIGKILL
        dead = set(client.zrange(WORKERS, 0, -1))
        last = steps.start(*arguments)
        wait_for_second_turn(client, dead)
        client.delete(*client.keys("*:owner"))
        said = last.communicate(timeout=60)[1]
    assert set(steps.items()) == {f"{A}/", f"{A}/good"}
    assert said.count(f"{A}/kills kills the crawler and was left out") == 1
