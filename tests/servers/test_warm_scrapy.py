"""Forked commands of Scrapy end, speak and read as processes of their own do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import warm_scrapy
from tests.servers.faked_clock import CLOCK

_SETTINGS = "import {imports}\n{code}\n"


def project(folder: Path, code: str, imports: str = "atexit, os, sys, threading") -> dict[str, str]:
    """Write settings that run code, and return an environment that names them."""
    (folder / "own_settings.py").write_text(_SETTINGS.format(imports=imports, code=code))
    return os.environ | {"SCRAPY_SETTINGS_MODULE": "own_settings", "OF_THE_TEST": "here"}


def cold(folder: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, input="in")


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(-1)",
        "sys.exit('a sentence')",
        "atexit.register(print, 'an end'); threading.Timer(0.2, print, ['a thread']).start()",
        "raise ValueError('no')",
        "print(sys.stdin.read(), os.environ['OF_THE_TEST'], os.getcwd(), sys.argv, sys.path[0])",
    ],
)
def test_a_fork_is_like_a_process_of_its_own(tmp_path: Path, code: str) -> None:
    env = project(tmp_path, code)
    forked = warm_scrapy.run(["list"], cwd=tmp_path, env=env, given="in")
    real = cold(tmp_path, env, "list")
    assert (forked.returncode, forked.stdout) == (real.returncode, real.stdout)
    # The lines above the last one name the files of the server.
    assert forked.stderr.splitlines()[-1:] == real.stderr.splitlines()[-1:]
    assert not os.environ.get("OF_THE_TEST")


def test_a_fork_gets_signals_and_is_waited_for(tmp_path: Path) -> None:
    env = project(tmp_path, "print('here', flush=True); time.sleep(600)", "time")
    process = warm_scrapy.start(["list"], cwd=tmp_path, env=env)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.1)
    process.kill()
    process.communicate(timeout=60)
    assert process.poll() == process.returncode == -signal.SIGKILL
    process.kill()


def test_forks_share_neither_their_dice_nor_what_an_interpreter_reads_when_it_starts(
    tmp_path: Path,
) -> None:
    env = project(tmp_path, "print(random.random(), hash('one'))", "random")
    said = [
        warm_scrapy.run(["list"], cwd=tmp_path, env=env | seed).stdout.split()
        for seed in ({}, {}, {"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "1"})
    ]
    dice, hashes = zip(*said, strict=True)
    assert len(set(dice)) == 4
    assert hashes[0] == hashes[1] != hashes[2] == hashes[3]


def test_a_fork_may_have_a_clock_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("2026-03-05 08:00:00")
    env = project(tmp_path, "print(datetime.datetime.now(datetime.UTC))", "datetime")
    done = warm_scrapy.run(["list"], cwd=tmp_path, env=env | {CLOCK: str(tmp_path / "clock")})
    assert done.stdout.startswith("2026-03-05 08:00:0")
