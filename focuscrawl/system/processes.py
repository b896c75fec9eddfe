"""This process: its name among those of all machines, its garbage collector, and the programs that it starts."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import IO

# Thresholds of the garbage collector for crawls.
_RARELY = (50_000, 20, 100)
_PR_SET_PDEATHSIG = 1


def process_name() -> str:
    """Return machine and process, as in ``vm:21057``."""
    return f"{socket.gethostname()}:{os.getpid()}"


def collect_rarely() -> None:
    """Raise the thresholds, for work that creates many objects and few reference cycles.

    Higher thresholds, and a disabled collector, are kept.
    """
    if 0 < gc.get_threshold()[0] < _RARELY[0]:
        gc.set_threshold(*_RARELY)


def start_child(
    command: Sequence[str],
    out: IO[bytes] | None = None,
    errors: IO[bytes] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
    standard_input: int = subprocess.DEVNULL,
    ends_with_us: bool = True,
) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own, so that Ctrl-C reaches it only through us.

    On Linux one that ``ends_with_us`` is asked to end (SIGTERM) when the thread that started it has ended.
    """
    library = None
    if ends_with_us and sys.platform == "linux":
        # Imported where it is needed, and loaded before the new process, which may not import anything.
        import ctypes

        library = ctypes.CDLL(None)

    def end_with_parent() -> None:
        if library:
            library.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    return subprocess.Popen(
        command, stdin=standard_input, stdout=out, stderr=errors, process_group=0,
        env=environment, pass_fds=pass_fds, preexec_fn=end_with_parent,
    )  # fmt: skip
