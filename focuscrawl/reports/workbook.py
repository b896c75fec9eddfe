"""The file of the workbook: written under a temporary name, then renamed."""

from __future__ import annotations

import errno
import logging
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date
from glob import escape
from pathlib import Path
from typing import NamedTuple

from focuscrawl.errors import ReportError
from focuscrawl.items import NumberedArticle, OwnItem, Page, TemplateRecord
from focuscrawl.stored_records import ArticleSummary, StoredQuote

# Faults of sheets of a workbook, and the message and log lines about them.

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


NO_SPACE = ("ENOSPC", "EDQUOT", "EFBIG")
# No rendering takes this long: an older file belongs to a program that was killed.
_LEFTOVER_SECONDS = 3600


def write_workbook(
    path: Path,
    quotes: Iterable[StoredQuote],
    articles: Iterable[ArticleSummary],
    pages: Iterable[Page] = (),
    numbered: Iterable[NumberedArticle] = (),
    records: Iterable[TemplateRecord] = (),
    items: Iterable[OwnItem] = (),
    item_columns: Sequence[str] = (),
    today: date | None = None,
) -> list[SheetFault]:
    """Write the workbook, replacing the one at ``path`` only when the new one is complete.

    Sheets: 今日摘要, 走势, 价格矩阵 (main commodity; others 价格矩阵-…), 报价明细, 数据质量; then 文章
    (articles whose prices are not read), 网页, 编号文章, a sheet per template and 自有条目, if there are
    any, and only these if there are neither quotes nor other articles. ``quotes`` should be ordered by date,
    ``pages`` best first. ``today`` is the day of which the alarms are, by default that of the clock.
    Each iterable is used once. Returns the sheets that could not be made because of a fault
    of the program; they contain a notice instead.

    Raises :class:`~focuscrawl.errors.ReportError` if the file cannot be written, and whatever the
    iterables raise; the old workbook is then intact.
    """
    target = checked_target(path)
    # openpyxl takes a tenth of a second, and pandas more: only a report should load them.
    from lxml.etree import LxmlError

    from focuscrawl.reports.workbook_contents import save_workbook

    _remove_leftovers(target)
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.tmp")
    try:
        faults = save_workbook(
            temporary, quotes, articles, pages, numbered, records, items, item_columns, today
        )
        _put_in_place(temporary, target)
        return faults
    except (OSError, LxmlError) as error:
        raise ReportError(_remedy(target, error)) from error
    finally:
        # A later rendering removes what is left.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def checked_target(path: Path) -> Path:
    """Return the absolute path of a workbook; raises ReportError if it could not be written."""
    try:
        target = path.expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise ReportError(f"{path} is a link to itself: choose another name.") from error
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
            f"The folder {target.parent} is read-only: make it writable, or choose another one."
        )
    if target.exists() and not os.access(target, os.W_OK):
        raise ReportError(f"{path} is read-only: make it writable, or choose another name.")
    return target


def _remove_leftovers(target: Path) -> None:
    """Remove the temporary files of programs that were killed while writing this workbook."""
    before = time.time() - _LEFTOVER_SECONDS
    for leftover in target.parent.glob(f".{escape(target.stem)}.{'[0-9a-f]' * 8}.tmp"):
        # Another program may have removed it, or it may belong to another user.
        with suppress(OSError):
            if leftover.stat().st_mtime < before:
                leftover.unlink()


def _put_in_place(temporary: Path, target: Path) -> None:
    if target.exists():
        shutil.copymode(target, temporary)
    os.replace(temporary, target)


def _remedy(target: Path, error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    # lxml has only the name of the error number, in its message.
    if errno.errorcode.get(number or 0) in NO_SPACE or any(name in str(error) for name in NO_SPACE):
        return f"No space is left for {target}: free some, there or in the temporary folder."
    if isinstance(error, PermissionError) or _is_open_in_excel(target):
        return f"{target} cannot be replaced: close it in Excel if it is open there, and try again."
    return f"{target} cannot be written ({error}): check the disk, or choose another place."


def _is_open_in_excel(target: Path) -> bool:
    """Return whether Excel's lock file of an open workbook exists."""
    return target.with_name(f"~${target.name}").exists()
