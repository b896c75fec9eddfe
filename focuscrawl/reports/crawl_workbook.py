"""The workbook that a crawl leaves beside its database, rendered when the crawl ends."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Protocol

from focuscrawl.errors import ReportError
from focuscrawl.reports.fault_report import SheetFault, log_faults
from focuscrawl.reports.outdated_marks import OutdatedMark
from focuscrawl.reports.workbook import checked_target
from focuscrawl.system.output_folders import made_folder


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
