from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from focuscrawl.errors import PageLimitError, ReportError, WorkerError
from focuscrawl.system import worker_pool as worker
from focuscrawl.system.worker_pool import (
    in_worker,
    limit_pages,
    read_in_worker,
    stop_worker,
    use_all_cores,
    warm_up,
)


@pytest.fixture(autouse=True)
def _no_worker_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(worker, "_most_processes", 1)
    monkeypatch.setattr(worker, "_page_limits", worker._page_limits)
    yield
    stop_worker()


# Each starts processes.
pytestmark = pytest.mark.slow
MEMORY = 400


def slow_pid() -> int:
    # As long as another process needs to start.
    time.sleep(0.5)
    return os.getpid()


def threads_with_numpy() -> int:
    import numpy as np

    assert np.ones((2, 2)).sum() == 4
    return len(os.listdir("/proc/self/task"))


def compute_for_ever() -> None:
    while True:
        pass


def use_memory() -> None:
    held = []
    while True:
        held.append(bytearray(b"x") * (1 << 24))


def hold(megabytes: int) -> int:
    global held
    held = bytearray(b"x") * (megabytes << 20)
    return os.getpid()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(path: str) -> int:
    if not os.path.exists(path):
        with open(path, "w"):
            die()
    return os.getpid()


def fail() -> None:
    raise ReportError("the folder is full; make room")


def is_running(pid: int) -> bool:
    """Return whether a thread of a process runs: the first may be gone, and the process not yet."""
    states = []
    with suppress(OSError):
        os.kill(pid, 0)
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):
                states.append((task / "stat").read_text().rsplit(")", 1)[1].split()[0])
    return any(state not in "ZX" for state in states)


def wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def blocked() -> set[int]:
    return {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())}


async def test_work_is_done_in_one_other_process_that_stands_back_behind_the_crawl() -> None:
    first, second = await in_worker(os.getpid), await in_worker(os.getpid)
    assert first == second != os.getpid()
    # Not before: while it goes on, the next task is that of a second process.
    warm_up(os.getpid)
    assert await in_worker(os.nice, 0) == min(os.nice(0) + 10, 19)
    # Ctrl-C is the crawl's. Before a worker could say so itself it has modules to load, for a second or two.
    assert signal.SIGINT in await in_worker(blocked)
    assert signal.SIGINT not in blocked()
    with pytest.raises(ReportError, match="make room"):
        await in_worker(fail)
    with pytest.raises(TypeError, match="lock"):
        await in_worker(threading.Lock)


@pytest.mark.skipif(sys.platform != "linux", reason="the number of threads is read in /proc")
async def test_numpy_starts_no_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    # Its own, and the one that ends it with its parent.
    assert await in_worker(threads_with_numpy) == 2


async def test_work_is_shared_by_as_many_processes_as_there_are_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    use_all_cores()
    # Which of them will need what is loaded is unknown.
    warm_up(os.getpid)
    assert worker._pool is None
    pids = {*await asyncio.gather(*(in_worker(slow_pid) for _ in range(12)))}
    assert len(pids) == 3
    stop_worker()
    for pid in pids:
        await asyncio.to_thread(wait_for_end, pid)


async def test_a_killed_worker_costs_nothing_but_time() -> None:
    os.kill(await in_worker(os.getpid), signal.SIGKILL)
    assert await in_worker(divmod, 7, 2) == (3, 1)
    assert await in_worker(divmod, 9, 2) == (4, 1)


async def test_stopping_ends_the_process_and_its_threads_and_may_be_repeated() -> None:
    before = {*threading.enumerate()}
    pid = await in_worker(os.getpid)
    stop_worker()
    stop_worker()
    assert {*threading.enumerate()} <= before
    await asyncio.to_thread(wait_for_end, pid)
    assert await in_worker(os.getpid) not in (pid, os.getpid())


def test_the_worker_dies_with_a_killed_parent() -> None:
    script = (
        "import asyncio, os, time\n"
        "from focuscrawl.system.worker_pool import in_worker\n"
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


def test_a_worker_whose_parent_ends_while_it_starts_says_nothing() -> None:
    lines = "from multiprocessing import Pipe; from focuscrawl.system.worker_process import _serve;"
    lines += "parents, own = Pipe(); parents.close(); _serve(own)"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


async def test_a_page_that_takes_too_long_fails_and_others_are_read() -> None:
    limit_pages(0.3, MEMORY)
    pid = await in_worker(os.getpid)
    late = asyncio.gather(read_in_worker(compute_for_ever), return_exceptions=True)
    others = [read_in_worker(divmod, number, 2) for number in range(3)]
    assert await asyncio.gather(*others) == [(0, 0), (0, 1), (1, 0)]
    (error,) = await late
    assert isinstance(error, PageLimitError)
    assert str(error) == "reading takes over 0.3 s"
    # Only pages have limits.
    assert await in_worker(slow_pid) != pid
    await asyncio.to_thread(wait_for_end, pid)


async def test_a_page_that_needs_too_much_memory_fails_and_others_are_read() -> None:
    limit_pages(60, MEMORY)
    pid = await in_worker(os.getpid)
    with pytest.raises(PageLimitError, match=f"reading needs over {MEMORY} MB"):
        await read_in_worker(use_memory)
    assert await read_in_worker(divmod, 7, 2) == (3, 1)
    await asyncio.to_thread(wait_for_end, pid)


async def test_a_page_finds_the_memory_that_it_may_use() -> None:
    limit_pages(60, MEMORY)
    pid = await read_in_worker(hold, MEMORY * 2 // 3)
    assert await read_in_worker(os.getpid) != pid
    assert await read_in_worker(hold, 1) == await read_in_worker(os.getpid)


async def test_a_page_that_ends_its_process_twice_fails(tmp_path: Path) -> None:
    with pytest.raises(PageLimitError, match="reading ends its process"):
        await read_in_worker(die)
    with pytest.raises(WorkerError, match="killed twice"):
        await in_worker(die)
    assert await read_in_worker(die_once, str(tmp_path / "died")) != os.getpid()


async def test_killed_idle_workers_are_no_fault_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_most_processes", 3)
    for pid in {*await asyncio.gather(*(in_worker(slow_pid) for _ in range(6)))}:
        os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(wait_for_end, pid)
    assert await read_in_worker(divmod, 7, 2) == (3, 1)


async def test_without_open_files_there_is_one_sentence_and_later_another_worker() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, hard))
    try:
        with pytest.raises(WorkerError, match="Too many open files"):
            await read_in_worker(os.getpid)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert await read_in_worker(os.getpid) != os.getpid()


def test_the_memory_of_the_program_that_started_a_process_does_not_count() -> None:
    held = bytearray(b"x") * (MEMORY << 20)
    code = "from focuscrawl.system.worker_process import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 1 << 20 < int(done.stdout) < len(held) // 2
