"""Files that are made for a download."""

from __future__ import annotations

import io
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response, StreamingResponse

from focuscrawl.errors import StoreError
from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.exports.row_files import CsvRows, workbook_file
from focuscrawl.web.worker_threads import WorkerThreads

# Of their own: a large workbook takes minutes, for which no page and no login must wait.
_threads = WorkerThreads(2, "workbooks")
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_PART = 256 * 1024


def attachment(name: str) -> dict[str, str]:
    """Return the header that names a file to be saved."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def csv_response(rows: Iterator[Row] | AsyncIterator[Row], columns: Columns, name: str) -> Response:
    """Return rows as a CSV file, made while it is sent."""
    parts = _parts(rows, columns) if isinstance(rows, Iterator) else _async_parts(rows, columns)
    return StreamingResponse(parts, media_type="text/csv; charset=utf-8", headers=attachment(name))


class _CsvParts:
    """A CSV file part by part, with the mark of UTF-8 that spreadsheets look for."""

    def __init__(self, columns: Columns) -> None:
        self._out = io.StringIO(newline="")
        self._out.write("\ufeff")
        self._rows = CsvRows(self._out, columns)

    def add(self, row: Row) -> bool:
        """Add a row; return whether a part is full."""
        self._rows.append(row)
        return self._out.tell() > _PART

    def taken(self) -> bytes:
        """Return the part so far, and begin the next one."""
        text = self._out.getvalue()
        self._out.seek(0)
        self._out.truncate()
        return text.encode("utf-8", "replace")


def _parts(rows: Iterator[Row], columns: Columns) -> Iterator[bytes]:
    parts = _CsvParts(columns)
    for row in rows:
        if parts.add(row):
            yield parts.taken()
    yield parts.taken()


async def _async_parts(rows: AsyncIterator[Row], columns: Columns) -> AsyncIterator[bytes]:
    parts = _CsvParts(columns)
    async for row in rows:
        if parts.add(row):
            yield parts.taken()
    yield parts.taken()


async def workbook_response(
    rows: Iterable[Row], columns: Columns, name: str, title: str
) -> Response:
    """Return rows as a workbook, written to a temporary file first."""
    folder = tempfile.TemporaryDirectory(prefix="focuscrawl-export-")
    path = Path(folder.name) / name
    try:
        await _threads.run(_write_workbook, path, rows, columns, title)
    except OSError as error:
        folder.cleanup()
        raise StoreError(f"the workbook cannot be written: {error}") from error
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path, media_type=_XLSX, filename=name, background=BackgroundTask(folder.cleanup)
    )


def _write_workbook(path: Path, rows: Iterable[Row], columns: Columns, title: str) -> None:
    with workbook_file(path, columns, title) as written:
        for row in rows:
            written.append(row)
