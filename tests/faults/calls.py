"""System calls that fail on demand: the Python side of ``failing_calls.c``."""

from __future__ import annotations

import ctypes
import errno
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import missing

OPEN, WRITE, SYNC, NAME = 1, 2, 4, 8


@dataclass(frozen=True)
class Fault:
    """An error of the system: in calls of some kinds, once or from then on."""

    number: int
    kinds: int
    lasts: bool = False

    def __str__(self) -> str:
        return f"{errno.errorcode[self.number]}{' for good' if self.lasts else ''}"


FAULTS = (
    Fault(errno.ENOSPC, WRITE, lasts=True),
    Fault(errno.EIO, WRITE | SYNC | NAME),
    Fault(errno.EMFILE, OPEN),
    Fault(errno.EMFILE, OPEN, lasts=True),
)


def failing_calls(folder: Path) -> Path:
    """Return the library to preload, compiled in a folder; skips the test where that cannot be."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or not compiler:
        missing("system calls fail on demand on Linux only, and with a C compiler")
    path = folder / "failing_calls.so"
    source = Path(__file__).with_name("failing_calls.c")
    options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *options, "-o", path, source, "-ldl"], check=True)
    return path


class Calls:
    """How many calls there were while a fault was armed."""

    count = 0


@contextmanager
def failing(folder: Path, fault: Fault, at: int) -> Iterator[Calls]:
    """Let call number ``at`` (from 1; 0 for none) on what is below a folder fail."""
    library = ctypes.CDLL(None)
    calls = Calls()
    text = f"{folder}/".encode()
    # With 0 as the first one, "from then on" would mean all.
    lasts = fault.lasts and at > 0
    library.fault_arm(text, fault.kinds, ctypes.c_long(at), fault.number, lasts)
    try:
        yield calls
    finally:
        library.fault_disarm.restype = ctypes.c_long
        calls.count = library.fault_disarm()
