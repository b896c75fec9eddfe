"""Faults of sheets of a workbook, and the message and log lines about them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import NamedTuple

logger = logging.getLogger(__name__)


class SheetFault(NamedTuple):
    """A sheet that could not be made because of a fault of the program."""

    sheet: str
    error: str
    traceback: str


def sentence_on(faults: Sequence[SheetFault]) -> str:
    """Return a message that names the sheets and the errors."""
    sheets = ", ".join(f"{fault.sheet} ({fault.error})" for fault in faults)
    return (
        f"sheets of the workbook that could not be made: {sheets};"
        " this is a fault of the program, please report it"
    )


def log_faults(faults: Iterable[SheetFault]) -> None:
    """Log the tracebacks at error level."""
    for fault in faults:
        logger.error("the sheet %s could not be made:\n%s", fault.sheet, fault.traceback)
