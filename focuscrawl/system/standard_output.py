"""Lines on standard output, whatever that is: a file on a full disk, ASCII only, closed."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable

from focuscrawl.system.secret_masking import masked


def print_lines(lines: Iterable[str]) -> None:
    """Print without secrets; where that cannot be done, say so on standard error."""
    allow_all_characters()
    try:
        print(*map(masked, lines), sep="\n", flush=True)
    except BrokenPipeError:
        # The reader of a pipe had enough.
        mute()
    except OSError as error:
        mute()
        print(f"error: nothing can be printed ({error.strerror})", file=sys.stderr)


def allow_all_characters() -> None:
    """Let characters that the encoding of standard output lacks be written as ``\\uXXXX``."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def mute() -> None:
    """Send standard output nowhere: else the interpreter writes the rest of it when it ends."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
