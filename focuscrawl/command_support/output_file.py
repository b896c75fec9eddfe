"""Output files of commands: standard output, a pipe, or a file that appears when it is complete."""

from __future__ import annotations

import errno
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from focuscrawl.errors import ArgumentError

STANDARD_OUTPUT = "-"
_MARK = "\ufeff"
"""The byte order mark, by which Excel knows UTF-8."""


@contextmanager
def text_output(path: str, encoding: str = "utf-8-sig") -> Iterator[IO[str]]:
    """Open the output for text; ``-`` is standard output. Raises ArgumentError."""
    # Python's own code for utf-8-sig takes longer than to make the lines.
    with _opened_output(path, encoding.removesuffix("-sig")) as out:
        if encoding.endswith("-sig"):
            out.write(_MARK)
        yield out


@contextmanager
def _opened_output(path: str, encoding: str) -> Iterator[IO[str]]:
    if path == STANDARD_OUTPUT and sys.stdout is None:
        raise ArgumentError("Standard output is closed; give -o FILE.")
    # Links are followed. Other than a regular file, a pipe or device cannot be replaced.
    target = Path(path).resolve()
    if path == STANDARD_OUTPUT or (target.exists() and not target.is_file()):
        sink = sys.stdout.fileno() if path == STANDARD_OUTPUT else path
        try:
            with open(sink, "w", encoding=encoding, newline="", closefd=sink is path) as out:
                yield out
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(path, error) from error
        return
    with (
        replaced_file(path) as temporary,
        open(temporary, "w", encoding=encoding, newline="") as out,
    ):
        yield out


@contextmanager
def replaced_file(path: str) -> Iterator[Path]:
    """Give a temporary file that replaces the one at ``path`` in the end. Raises ArgumentError."""
    target = Path(path).resolve()
    # Named before it exists: a signal may end the program right after the file was created.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        temporary.touch(mode=0o600, exist_ok=False)
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(path: str, error: OSError) -> ArgumentError:
    name = "to standard output" if path == STANDARD_OUTPUT else path
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return ArgumentError(
            f"Cannot write {name}: no space is left; free some, there or in the temporary folder."
        )
    return ArgumentError(
        f"Cannot write {name}: {error.strerror}; name a file in a writable folder."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
