"""The analysts' workbook as a file: written beside its place, then put there in one step."""

from __future__ import annotations

import errno
import logging
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import ReportError
from focuscrawl.items import ArticleSummary, NumberedArticle, Page, StoredQuote, TemplateRecord

logger = logging.getLogger(__name__)

NO_SPACE = ("ENOSPC", "EDQUOT", "EFBIG")
# No rendering takes that long: a file of this age is of a program that was killed.
_LEFTOVER_SECONDS = 3600


class SheetFault(NamedTuple):
    """A sheet that a fault of the program kept from being made."""

    sheet: str
    error: str
    traceback: str


def sentence_on(faults: Sequence[SheetFault]) -> str:
    """Return one sentence that names the sheets and the errors."""
    sheets = ", ".join(f"{fault.sheet} ({fault.error})" for fault in faults)
    return (
        f"sheets of the workbook that could not be made: {sheets};"
        " this is a fault of the program, please report it"
    )


def log_faults(faults: Iterable[SheetFault]) -> None:
    """Log the tracebacks at error level."""
    for fault in faults:
        logger.error("the sheet %s could not be made:\n%s", fault.sheet, fault.traceback)


def write_workbook(
    path: Path,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    pages: Iterable[Page] = (),
    numbered: Iterable[NumberedArticle] = (),
    records: Iterable[TemplateRecord] = (),
) -> list[SheetFault]:
    """Write the workbook, replacing the one at ``path`` only when the new one is complete.

    Sheets: 价格矩阵 (main commodity; others 价格矩阵-…), 报价明细, 走势, 数据质量; then ``pages``,
    ``articles`` (the numbered ones) and a sheet for every template if there are any, and these alone
    if there are neither quotes nor other articles. ``quotes`` should come ordered by date, ``pages`` best first. Each iterable is used once; what it raises passes
    through. A file that cannot be written is a :class:`~focuscrawl.errors.ReportError`; the old
    workbook is then intact. Returns the sheets that a fault of the program kept from being made: a
    notice stands in their place.
    """
    target = _checked_target(path)
    # pandas and openpyxl take half a second to load and 40 MB to hold: only a report pays for them.
    from lxml.etree import LxmlError

    from focuscrawl.reports.workbook_contents import save_workbook

    _remove_leftovers(target)
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.tmp")
    try:
        faults = save_workbook(temporary, quotes, articles, pages, numbered, records)
        _put_in_place(temporary, target)
        return faults
    except (OSError, LxmlError) as error:
        raise ReportError(_remedy(target, error)) from error
    finally:
        # A later rendering clears away what is left.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _checked_target(path: Path) -> Path:
    """Find out before the work what would fail after it."""
    target = path.expanduser().resolve()
    if target.suffix.lower() != ".xlsx":
        raise ReportError(f"{path} cannot be the workbook: give a file name that ends in .xlsx.")
    if target.is_dir():
        raise ReportError(f"{path} is a folder: give the name of a file for the workbook.")
    if not target.parent.is_dir():
        raise ReportError(
            f"The folder {target.parent} does not exist: create it, or choose another one."
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise ReportError(
            f"The folder {target.parent} is read-only: get the right to write there, "
            "or choose another one."
        )
    if target.exists() and not os.access(target, os.W_OK):
        raise ReportError(f"{path} is read-only: allow writing to it, or choose another name.")
    return target


def _remove_leftovers(target: Path) -> None:
    """Take away what programs that were killed while writing this workbook left beside it."""
    before = time.time() - _LEFTOVER_SECONDS
    for leftover in target.parent.glob(f".{escape(target.stem)}.{'[0-9a-f]' * 8}.tmp"):
        # Another program may have been quicker, or the file may be another user's.
        with suppress(OSError):
            if leftover.stat().st_mtime < before:
                leftover.unlink()


def _put_in_place(temporary: Path, target: Path) -> None:
    if target.exists():
        shutil.copymode(target, temporary)
    os.replace(temporary, target)


def _remedy(target: Path, error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    # lxml tells the number by its name only, in the message.
    if errno.errorcode.get(number or 0) in NO_SPACE or any(name in str(error) for name in NO_SPACE):
        return f"No space is left for {target}: free some, there or in the temporary folder."
    if isinstance(error, PermissionError) or _is_open_in_excel(target):
        return f"{target} cannot be replaced: close it in Excel if it is open there, and try again."
    return f"{target} cannot be written ({error}): check the disk, or choose another place."


def _is_open_in_excel(target: Path) -> bool:
    """Whether the lock file that Excel keeps beside an open workbook is there."""
    return target.with_name(f"~${target.name}").exists()
