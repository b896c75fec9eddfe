"""The workbook that a crawl leaves beside its database, rendered when the crawl ends."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Protocol

from focuscrawl.errors import ReportError
from focuscrawl.reports.workbook import SheetFault, checked_target, log_faults
from focuscrawl.system.durable_files import made_folder

# Marks on disk that a workbook may be outdated, one for each run.


class OutdatedMark:
    """The mark of this run beside a workbook, and the marks that killed runs left there.

    A run holds a lock on its mark for as long as it lives; the system releases the lock however the
    run ends. A mark without a lock is therefore that of a dead run, whatever has become of its
    process number.
    """

    def __init__(self, workbook: Path) -> None:
        self._workbook = workbook
        self._path = workbook.with_name(f".{workbook.name}.{secrets.token_hex(4)}.stale")
        self._file: int | None = None

    def set(self) -> None:
        """Create and lock the mark of this run, unless it exists. Raises OSError."""
        if self._file is not None:
            return
        # Locked before it gets its name, or another run could take it for the mark of a dead one.
        # A run killed between the two leaves a file that the next rendering removes.
        unnamed = self._path.with_name(f".{self._workbook.stem}.{secrets.token_hex(4)}.tmp")
        file = os.open(unnamed, os.O_CREAT | os.O_RDONLY, 0o666)
        # Some network folders have no locks; any mark there counts as that of a dead run.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(unnamed, self._path)
        self._file = file

    def of_dead_runs(self) -> list[Path]:
        """Return the marks that killed runs left."""
        found = self._workbook.parent.glob(f".{escape(self._workbook.name)}.*stale")
        return [mark for mark in found if mark != self._path and _is_unlocked(mark)]

    def remove(self) -> None:
        """Remove the mark of this run; harmless if there is none."""
        self._path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Release the lock and leave the mark for the next run to find."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def _is_unlocked(mark: Path) -> bool:
    try:
        file = os.open(mark, os.O_RDONLY)
    except OSError:  # its run has just removed it, or it belongs to another user
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        os.close(file)
    return True


class WorkbookSource(Protocol):
    """A database from which a workbook is rendered."""

    @property
    def label(self) -> str:
        """The database's URL without password."""

    def prepare(self) -> None:
        """Load in the background what rendering needs."""

    async def render(self, path: Path) -> list[SheetFault]:
        """Write the workbook, and return the sheets that could not be made.

        Raises ReportError if it cannot be written, StoreError if the database cannot be read, and
        WorkerError if no process is left to do it.
        """


class CrawlWorkbook:
    """A workbook that :meth:`finish` renders if it is missing or older than its database.

    ``is_alone``: the user named no database, so ``source`` was made for this workbook.
    """

    def __init__(self, path: Path, source: WorkbookSource, *, is_alone: bool = False) -> None:
        self.path = path
        self.source = source
        self.is_alone = is_alone
        self.faults: list[SheetFault] = []
        """The sheets that could not be made, as of the last rendering."""
        self.is_current = False
        """Whether the workbook shows all that its database holds; after :meth:`finish`."""
        # On disk: the next run must know that a killed run left the workbook outdated.
        self._mark = OutdatedMark(path)

    @property
    def label(self) -> str:
        """The workbook as a URL."""
        return f"excel:///{self.path}"

    async def check_place(self) -> None:
        """Make the workbook's folder; raises ReportError if the workbook could not be written."""
        await asyncio.to_thread(self._check_place)

    def _check_place(self) -> None:
        for folder in (self.path.parent, Path(os.path.realpath(self.path)).parent):
            made_folder(folder, ReportError, f"name another for {self.path.name}")
        checked_target(self.path)

    def mark_outdated(self) -> None:
        """Leave a mark on disk, for the case that the program is killed before :meth:`finish`."""
        try:
            self._mark.set()
        except OSError as error:
            raise ReportError(
                f"{self.path.parent} cannot be written ({error.strerror}); free some space there"
            ) from error

    async def finish(self, *, is_changed: bool) -> None:
        """Render the workbook if the database ``is_changed``, or if it is missing or marked.

        Raises as :meth:`WorkbookSource.render` does; the mark then stays for the next run.
        """
        try:
            # Before the rendering, which may miss what a run writes that dies meanwhile.
            marks = self._mark.of_dead_runs()
            if is_changed or marks or not self.path.exists():
                self.faults = await self.source.render(self.path)
                log_faults(self.faults)
            self.is_current = True
            # With a mark left, the next run tries again, perhaps with a version without the fault.
            if not self.faults:
                for mark in marks:
                    mark.unlink(missing_ok=True)
                self._mark.remove()
        finally:
            self.release()

    def skip(self) -> None:
        """Leave the workbook as it is, and no mark of this run."""
        self._mark.remove()

    def release(self) -> None:
        """Leave the mark of this run, if it is still there, for the next run to find."""
        self._mark.release()
