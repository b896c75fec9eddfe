"""Files that are made for a download."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from focuscrawl.errors import StoreError
from focuscrawl.exports.flat_records import Columns, Row
from focuscrawl.exports.row_files import workbook_file
from focuscrawl.web.worker_threads import WorkerThreads

# Of their own: a large workbook takes minutes, for which no page and no login must wait.
_threads = WorkerThreads(2, "workbooks")
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def attachment(name: str) -> dict[str, str]:
    """Return the header that names a file to be saved."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


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
