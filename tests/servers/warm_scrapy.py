"""Commands of Scrapy in processes of their own that need not import anything: forks of a warm one.

They are like ``python -m scrapy`` but for the seed of hashes, which is one for all forks of a server.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from select import select
from typing import IO, TypeAlias

ROOT = Path(__file__).resolve().parents[2]
# What an interpreter reads only when it starts.
_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "OPENBLAS_", "OMP_")
_BEFORE_TESTS = dict(os.environ)


class WarmProcess:
    """A forked command, with the methods of ``subprocess.Popen``."""

    def __init__(self, pid: int, status: IO[str], output: IO[bytes], errors: IO[bytes]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._status = status
        self._outputs = (output, errors)

    def poll(self) -> int | None:
        """Return the exit code, None while the command runs."""
        if self.returncode is None and select([self._status], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; return the exit code, that of a signal negative."""
        if self.returncode is None:
            if not select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("scrapy", timeout or 0)
            self.returncode = os.waitstatus_to_exitcode(int(self._status.readline()))
            self._status.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end; return what was written to both outputs."""
        out, err = self.bytes_of_both(timeout)
        return _text_of(out), _text_of(err)

    def bytes_of_both(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Wait for the end; return the bytes of both outputs."""
        self.wait(timeout)
        out, err = (_content_of(output) for output in self._outputs)
        return out, err

    def send_signal(self, number: int) -> None:
        """Send a signal, if the command still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the command to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the command at once."""
        self.send_signal(signal.SIGKILL)


Process: TypeAlias = WarmProcess | subprocess.Popen[str]


def start(
    arguments: Sequence[str | Path], *, cwd: Path = ROOT, env: Mapping[str, str] = os.environ,
    given: str = "", output: int | None = None, errors: int | None = None,
) -> Process:  # fmt: skip
    """Start ``scrapy`` with arguments in a folder; ``given`` is its input.

    Where ``output`` and ``errors`` are file descriptors, what is written there is not kept.
    """
    if not _may_be_forked(env):
        return _start_cold(arguments, cwd, env, given, (output, errors))
    return _start_warm([str(one) for one in arguments], cwd, env, given, (output, errors))


def run(
    arguments: Sequence[str | Path], *, cwd: Path = ROOT, env: Mapping[str, str] = os.environ,
    given: str = "",
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run ``scrapy`` to its end."""
    process = start(arguments, cwd=cwd, env=env, given=given)
    out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(["scrapy", *arguments], process.wait(), out, err)


def run_bytes(
    arguments: Sequence[str | Path], *, cwd: Path = ROOT, env: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[bytes]:
    """Run ``scrapy`` to its end, and keep its outputs as they are."""
    if not _may_be_forked(env):
        command = [sys.executable, "-m", "scrapy", *arguments]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True)
    process = _start_warm([str(one) for one in arguments], cwd, env, "")
    out, err = process.bytes_of_both(timeout=300)
    return subprocess.CompletedProcess(["scrapy", *arguments], process.wait(), out, err)


def _may_be_forked(env: Mapping[str, str]) -> bool:
    return sys.platform == "linux" and _at_start(env) == _at_start(_BEFORE_TESTS)


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_AT_START)}


def _file_of(given: str) -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(given.encode())
    file.seek(0)
    return file


def _content_of(output: IO[bytes]) -> bytes:
    with output:
        output.seek(0)
        return output.read()


def _text_of(content: bytes) -> str:
    return content.decode().replace("\r\n", "\n").replace("\r", "\n")


_Places: TypeAlias = tuple[int | None, int | None]


def _start_cold(
    arguments: Sequence[str | Path], cwd: Path, env: Mapping[str, str], given: str, places: _Places
) -> subprocess.Popen[str]:
    output, errors = (subprocess.PIPE if place is None else place for place in places)
    with _file_of(given) as file:
        return subprocess.Popen(
            [sys.executable, "-m", "scrapy", *arguments], cwd=cwd, env=env, text=True, stdin=file,
            stdout=output, stderr=errors,
        )  # fmt: skip


def _start_warm(
    arguments: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    given: str,
    places: _Places = (None, None),
) -> WarmProcess:
    order = {"arguments": arguments, "cwd": str(cwd), "environment": dict(env)}
    output, errors = _file_of(""), _file_of("")
    read_end, write_end = os.pipe()
    status = os.fdopen(read_end)
    with _file_of(given) as file:
        kept = (output.fileno(), errors.fileno())
        written = [own if place is None else place for place, own in zip(places, kept, strict=True)]
        files = [file.fileno(), *written, write_end]
        socket.send_fds(_server()[0], [json.dumps(order).encode()], files)
    os.close(write_end)
    return WarmProcess(int(status.readline()), status, output, errors)


@cache
def _server() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Return this process's server and the socket to it, which ends the server when it is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", "tests.servers.warm_server", str(theirs.fileno())]
        return ours, subprocess.Popen(
            command, cwd=ROOT, env=_BEFORE_TESTS, stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )  # fmt: skip


def terminal_output(leader: int) -> str:
    """Return all that a program has written to a terminal, which is closed then; it comes in parts."""
    shown = b""
    # At its end, Linux reports an error.
    with contextlib.suppress(OSError):
        while part := os.read(leader, 65536):
            shown += part
    os.close(leader)
    return shown.decode()
