from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from focuscrawl import worker
from focuscrawl.errors import ReportError
from focuscrawl.worker import in_worker, stop_worker, use_all_cores, warm_up


@pytest.fixture(autouse=True)
def _no_worker_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(worker, "_most_processes", 1)
    yield
    stop_worker()


def fail() -> None:
    raise ReportError("the folder is full; make room")


def is_running(pid: int) -> bool:
    with suppress(OSError):
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


async def test_work_is_done_in_one_other_process() -> None:
    warm_up(os.getpid)
    first, second = await in_worker(os.getpid), await in_worker(os.getpid)
    assert first == second != os.getpid()


def blocked() -> set[int]:
    return {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())}


async def test_ctrl_c_is_the_crawlers_from_the_first_moment_of_a_worker() -> None:
    # Before it could say so itself it has modules to load, for a second or two.
    assert signal.SIGINT in await in_worker(blocked)
    assert signal.SIGINT not in blocked()


@pytest.mark.parametrize("cores", [1, 3])
async def test_work_is_shared_by_as_many_processes_as_there_are_cores(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    use_all_cores()
    work = asyncio.gather(*(in_worker(os.getpid) for _ in range(12)))
    await asyncio.sleep(0)
    assert worker._pool
    pids = [*worker._pool._processes]
    assert len(pids) == cores
    assert {*await work} <= {*pids}
    stop_worker()
    for pid in pids:
        await asyncio.to_thread(wait_for_end, pid)


async def test_errors_come_back_as_they_are() -> None:
    with pytest.raises(ReportError, match="make room"):
        await in_worker(fail)


async def test_a_killed_worker_costs_nothing_but_time() -> None:
    os.kill(await in_worker(os.getpid), signal.SIGKILL)
    assert await in_worker(divmod, 7, 2) == (3, 1)
    assert await in_worker(divmod, 9, 2) == (4, 1)


async def test_stopping_ends_the_process_and_may_be_repeated() -> None:
    pid = await in_worker(os.getpid)
    stop_worker()
    stop_worker()
    await asyncio.to_thread(wait_for_end, pid)
    assert await in_worker(os.getpid) not in (pid, os.getpid())


async def test_stopping_leaves_no_thread_behind() -> None:
    before = {*threading.enumerate()}
    await in_worker(os.getpid)
    stop_worker()
    assert {*threading.enumerate()} <= before


def test_the_worker_dies_with_a_killed_parent() -> None:
    script = (
        "import asyncio, os, time\n"
        "from focuscrawl.worker import in_worker\n"
        "print(asyncio.run(in_worker(os.getpid)), flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    wait_for_end(pid)


async def test_workers_stand_back_behind_the_crawl() -> None:
    assert await in_worker(os.nice, 0) == min(os.nice(0) + 10, 19)
