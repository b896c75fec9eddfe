"""Text of a file, and what is missing of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from focuscrawl.text.seen_text import as_seen
from focuscrawl.text.visible_lines import GridCell, expanded

MOST_PAGES, MOST_CELLS = 500, 500_000
_LONGEST = 4_000_000
_MOST_UNPACKED, _MOST_PARTS = 200 << 20, 5000
_CJK = "\u2e80"
ENCRYPTED, DAMAGED, SCANNED = "encrypted", "damaged", "scanned pages"


class UnreadFileError(Exception):
    """A file without a text; ``str(error)`` is the reason in two or three words."""


@dataclass(slots=True)
class FileText:
    """The text of a file: one line per paragraph or table row, with tabs between cells.

    ``lacks`` has the reasons why some or all of the text is missing, ``is_cut`` whether a limit is one.
    """

    kind: str
    text: str = ""
    lacks: list[str] = field(default_factory=list)
    is_cut: bool = False

    def cut(self, reason: str) -> None:
        """Note that a limit has left out the rest."""
        self.is_cut = True
        self.lacks.append(reason)

    def take(self, lines: Iterable[str]) -> FileText:
        """Set the text to what is seen of some lines, without the empty ones."""
        kept = (line.rstrip() for line in lines)
        text = as_seen("\n".join(line for line in kept if line.strip()))
        self.text = text[:_LONGEST]
        if len(text) > _LONGEST:
            self.cut(f"over {_LONGEST:,} characters")
        if not self.text and not self.lacks:
            self.lacks.append("empty")
        return self


@dataclass(slots=True)
class Deadline:
    """CPU time of this process until which a file is read, so that what was read by then is not lost."""

    seconds: float
    _begin: float = field(default_factory=time.process_time)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.process_time() - self._begin > self.seconds


def grid_lines(rows: Sequence[Sequence[GridCell]]) -> list[str]:
    """Return the rows of a table as lines, with merged cells repeated as those of HTML tables are."""
    return ["\t".join(cells).rstrip("\t") for cells in expanded(rows)]


def joined(lines: Iterable[str]) -> str:
    """Return the lines of a wrapped text as one, without a space where Chinese text was wrapped."""
    text = ""
    for line in (" ".join(one.split()) for one in lines):
        is_latin = bool(text and line) and (text[-1] < _CJK and line[0] < _CJK)
        text += f" {line}" if is_latin else line
    return text


def check_zip(body: bytes) -> list[str]:
    """Return the names of the parts of a zipped file; raises UnreadFileError for a zip bomb."""
    try:
        with ZipFile(BytesIO(body)) as archive:
            parts = archive.infolist()
    except (BadZipFile, ValueError, NotImplementedError, OSError):
        raise UnreadFileError(DAMAGED) from None
    if any(part.flag_bits & 1 for part in parts):
        raise UnreadFileError(ENCRYPTED)
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _MOST_UNPACKED:
        raise UnreadFileError(f"over {_MOST_UNPACKED >> 20} MB unpacked")
    return [part.filename for part in parts]
