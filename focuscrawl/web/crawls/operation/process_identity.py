"""Identity of a process: its number is used again after its end, so when it was started counts as well."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
# Fields of /proc/PID/stat after the name of the program, which may have blanks and brackets.
_STATE, _STARTED = 0, 19
_DEAD = ("Z", "X")


def identity_of(pid: int) -> str:
    """Return what tells a living process from all others, ``""`` if there is none with this number."""
    if not _PROC.joinpath("self").exists():
        return _by_ps(pid)
    try:
        fields = (
            (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        )
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
    return "" if fields[_STATE] in _DEAD else f"{boot} {fields[_STARTED]}"


def _by_ps(pid: int) -> str:
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    state, _, started = shown.stdout.strip().partition(" ")
    return "" if state.startswith(_DEAD) else started.strip()


def send_signal(pid: int, identity: str, number: signal.Signals) -> bool:
    """Send a signal to a process if it is still the one of that identity; return whether it was."""
    with suppress(OSError):
        if not hasattr(os, "pidfd_open"):
            if is_same := bool(identity) and identity_of(pid) == identity:
                os.kill(pid, number)
            return is_same
        # The number cannot be used again for another process while this is open.
        handle = os.pidfd_open(pid)
        try:
            if identity and identity_of(pid) == identity:
                signal.pidfd_send_signal(handle, number)
                return True
        finally:
            os.close(handle)
    return False
