"""Processes that get no signals of our terminal, and that may end if we are killed."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import IO

_PR_SET_PDEATHSIG = 1


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
    # Loaded here, since the new process may not import anything.
    library = ctypes.CDLL(None) if ends_with_us and sys.platform == "linux" else None

    def end_with_parent() -> None:
        if library:
            library.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    return subprocess.Popen(
        command, stdin=standard_input, stdout=out, stderr=errors, process_group=0,
        env=environment, pass_fds=pass_fds, preexec_fn=end_with_parent,
    )  # fmt: skip
