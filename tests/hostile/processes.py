"""A crawl in a process of its own, watched: how long, how much memory, how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LOOK_EVERY = 0.2
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONGEST_OUTPUT = 20_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a crawl may take before it is killed: ``seconds``, and ``memory`` in bytes of its tree."""

    seconds: float = 120
    memory: int = 1500 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a crawl ended. ``peak`` is in bytes; ``killed`` says over which bound, ``""`` if none."""

    code: int
    out: str
    err: str
    begun: float
    seconds: float
    peak: int
    killed: str

    @property
    def summary(self) -> str:
        """The first line of the summary, or the last that was said."""
        lines = [line for line in (self.out + self.err).splitlines() if line.strip()]
        first = [line for line in self.out.splitlines() if line[:1] not in ("", " ")]
        return (first or lines[-1:] or [""])[0]


def watched(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], bounds: Bounds
) -> Ended:
    """Run a command to its end or over its bounds; all that it started ends with it."""
    out, err = folder / "stdout", folder / "stderr"
    begun, peak, killed = time.monotonic(), 0, ""
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=stdout,
            stderr=stderr, start_new_session=True,
        )  # fmt: skip
        while process.poll() is None:
            peak = max(peak, _memory(process.pid))
            if peak > bounds.memory:
                killed = "memory"
            elif time.monotonic() - begun > bounds.seconds:
                killed = "time"
            if killed:
                break
            time.sleep(_LOOK_EVERY)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    seconds = time.monotonic() - begun
    return Ended(process.returncode, _read(out), _read(err), begun, seconds, peak, killed)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_LONGEST_OUTPUT).decode("utf-8", "replace")


def _memory(session: int) -> int:
    """Return the bytes of resident memory of all processes of a session."""
    total = 0
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                total += int(fields[21]) * _PAGE
    return total
