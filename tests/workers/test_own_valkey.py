"""A Valkey of our own: data that stay, a second one that is refused, a missing wheel."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from redis import Redis

from focuscrawl.errors import ArgumentError, FrontierError
from focuscrawl.workers import own_valkey
from focuscrawl.workers.own_valkey import OwnValkey


@pytest.mark.server
def test_data_stay_for_the_next_start(tmp_path: Path) -> None:
    with OwnValkey(tmp_path) as url, Redis.from_url(url) as client:
        client.set("a", "b")
    with OwnValkey(tmp_path) as url, Redis.from_url(url) as client:
        assert client.get("a") == b"b"


@pytest.mark.server
def test_a_second_server_is_refused_while_the_first_one_runs(tmp_path: Path) -> None:
    with (
        OwnValkey(tmp_path),
        pytest.raises(FrontierError, match="other workers use"),
        OwnValkey(tmp_path),
    ):
        pass


def test_a_missing_wheel_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_valkey, "find_spec", lambda _name: None)
    with pytest.raises(ArgumentError, match=r"pip install 'focuscrawl\[workers\]'"):
        OwnValkey(tmp_path)


_SUPERVISOR = """
import subprocess, sys, time
from pathlib import Path
from focuscrawl.workers.own_valkey import OwnValkey
own = OwnValkey(Path(sys.argv[1]))
with own as url:
    worker = subprocess.Popen(["sleep", "600"], pass_fds=[own.lifeline], stdout=subprocess.DEVNULL)
    print(url, worker.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.server
def test_if_we_are_killed_the_server_goes_on_until_the_last_worker_has_ended(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", _SUPERVISOR, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout
        url, worker = supervisor.stdout.readline().split()
        supervisor.kill()
    with Redis.from_url(url) as client:
        client.set("a", "b")
        with pytest.raises(FrontierError, match="other workers use"), OwnValkey(tmp_path):
            pass
    os.kill(int(worker), signal.SIGKILL)
    with started_once_free(tmp_path) as again, Redis.from_url(again) as client:
        assert client.get("a") == b"b"


@contextmanager
def started_once_free(folder: Path) -> Iterator[str]:
    with ExitStack() as stack:
        deadline = time.monotonic() + 60
        while True:
            try:
                yield stack.enter_context(OwnValkey(folder))
                return
            except FrontierError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
