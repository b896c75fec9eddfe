"""ZIP files of workbooks, also where the clock of the machine is wrong.

The entries of a ZIP file have times from 1980 to 2107 (APPNOTE.TXT 4.4.6); if the clock is outside of
these, Python's zipfile raises ValueError or struct.error.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from openpyxl import Workbook
from openpyxl.writer.excel import ExcelWriter

_FIRST, _LAST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)
# The usual 6 takes twice as long, for files that are a seventh smaller.
_COMPRESSION = 3
_OWNER_READS_AND_WRITES = 0o600 << 16


def save(workbook: Workbook, path: Path) -> None:
    """Write a workbook, as ``workbook.save`` does. Raises OSError or LxmlError."""
    workbook.properties.modified = datetime.now(UTC).replace(tzinfo=None)
    # This limits the times of files that are added by name.
    archive = _DatedZip(
        path, "w", ZIP_DEFLATED, compresslevel=_COMPRESSION, strict_timestamps=False
    )
    try:
        ExcelWriter(workbook, archive).save()
    finally:
        archive.close()


class _DatedZip(ZipFile):
    """A ZIP file whose entries of text have times within the limits of the format."""

    def writestr(self, zinfo_or_arcname: str | ZipInfo, data: Any, *options: Any) -> None:
        """Add an entry."""
        entry = zinfo_or_arcname
        if isinstance(entry, str):
            entry = ZipInfo(entry, min(max(time.localtime()[:6], _FIRST), _LAST))
            entry.compress_type = self.compression
            entry.external_attr = _OWNER_READS_AND_WRITES
        super().writestr(entry, data, *options)
