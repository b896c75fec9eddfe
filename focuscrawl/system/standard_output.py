"""Robust printing to standard output, which may be closed, ASCII only, or a file on a full disk."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable

from focuscrawl.system.secret_masking import masked


def print_lines(lines: Iterable[str]) -> bool:
    """Print lines without secrets; report a failure on standard error and return False.

    A pipe whose reader has closed it is no failure.
    """
    allow_all_characters()
    try:
        print(*map(masked, lines), sep="\n", flush=True)
    except BrokenPipeError:
        mute()
    except OSError as error:
        mute()
        print(f"error: cannot write to standard output ({error.strerror})", file=sys.stderr)
        return False
    return True


def allow_all_characters() -> None:
    """Write characters that the encoding of standard output lacks as ``\\uXXXX``."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def mute() -> None:
    """Redirect standard output to /dev/null, since the interpreter flushes the rest of it at exit."""
    if sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
