"""Hyperlinks of cells to web pages, one for all cells of a column that show the same page in a row."""

from __future__ import annotations

import re
from collections import deque

from openpyxl.worksheet.hyperlink import Hyperlink

from focuscrawl.reports.sheets.worksheets import Sheet

MAX_LINKS = 5_000
"""Number of links of a column; Excel allows 65,530 on a sheet, and each takes memory until the end."""
# Excel repairs, that is, damages a workbook with a target that is no URL or longer than 2,079.
_TARGET = re.compile(r"https?://[a-z0-9\[][a-z0-9.\-:\[\]]*(?:[/?#][!#-;=?-\[\]_a-z~]*)?", re.I)
_MAX_TARGET = 2_079


def is_target(url: str) -> bool:
    """Return whether Excel takes the URL as the target of a link."""
    return len(url) <= _MAX_TARGET and _TARGET.fullmatch(url) is not None


def add_link(sheet: Sheet, cells: str, url: str) -> None:
    """Let cells such as ``B2`` or ``B2:B9`` lead to a URL, if it can be the target of a link."""
    if is_target(url):
        sheet.hyperlinks.append(Hyperlink(ref=cells, target=url))


class LinkColumn:
    """The links of one column of a sheet, of which the last ``MAX_LINKS`` are kept."""

    def __init__(self, letter: str) -> None:
        self._letter = letter
        self._runs: deque[tuple[int, int, str]] = deque(maxlen=MAX_LINKS)

    def add(self, row: int, url: object) -> None:
        """Add the URL that a row shows; rows come in ascending order."""
        if self._runs and self._runs[-1][1:] == (row - 1, url):
            first, _, url = self._runs.pop()
            self._runs.append((first, row, url))
        elif isinstance(url, str) and is_target(url):
            self._runs.append((row, row, url))

    def attach(self, sheet: Sheet) -> None:
        """Add the links to the sheet and forget them."""
        for first, last, url in self._runs:
            add_link(sheet, f"{self._letter}{first}:{self._letter}{last}", url)
        self._runs.clear()
