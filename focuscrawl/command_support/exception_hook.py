"""Exception hook for errors outside the commands: one line, or nothing, instead of a traceback."""

from __future__ import annotations

import sys
from types import TracebackType

from focuscrawl.errors import INTERRUPTED, FocuscrawlError
from focuscrawl.system.secret_masking import masked


def install() -> None:
    """Install the hook: Ctrl-C ends the program silently, a FocuscrawlError with its message."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _end


def _end(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if isinstance(error, KeyboardInterrupt):
        raise SystemExit(INTERRUPTED)
    if isinstance(error, FocuscrawlError):
        print(f"error: {masked(str(error))}", file=sys.stderr)
        raise SystemExit(2)
    sys.__excepthook__(kind, error, traceback)
