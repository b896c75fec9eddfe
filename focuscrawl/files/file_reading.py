"""Reading of a file of any kind, for :func:`focuscrawl.system.worker_pool.read_in_worker`.

A file is what its first bytes say, whatever its name and type are. Nothing that it links to is fetched,
and no macro or formula is run.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from focuscrawl.text.seen_text import as_seen
from focuscrawl.text.visible_lines import GridCell, expanded

# The text of a file, and what is missing of it.


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


_OLE = b"\xd0\xcf\x11\xe0"
_HTML = (b"<html", b"<!doctype", b"<table", b"<meta", b"<style", b"<div")
_OLD_WORD = "old Word format, which is not read (save it as .docx)"


def read_file(body: bytes, kind: str, seconds: float) -> FileText:
    """Return the text of a file, as far as ``seconds`` of CPU time allow.

    ``kind`` is that of :func:`~focuscrawl.text.file_kinds.kind_of_file`, by which a text is told from
    what is damaged. Never raises for a file that cannot be read.
    """
    try:
        return _read(body, kind, Deadline(seconds))
    except UnreadFileError as error:
        return FileText(kind, lacks=[str(error)])
    except (MemoryError, KeyboardInterrupt):
        raise
    # The libraries raise errors of many kinds on damaged files.
    except Exception:
        return FileText(kind, lacks=[DAMAGED])


def _read(body: bytes, kind: str, deadline: Deadline) -> FileText:
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF-"):
        from focuscrawl.files.pdf_pages import read_pdf

        return read_pdf(body, deadline)
    if start.startswith(b"PK\3\4"):
        names = check_zip(body)
        if "word/document.xml" in names:
            from focuscrawl.files.word_document import read_docx

            return read_docx(body)
        if any(name.startswith("xl/workbook") for name in names):
            from focuscrawl.files.workbook_sheets import read_xlsx

            return read_xlsx(body, deadline)
    if start.startswith(_OLE):
        return _read_ole(body, deadline)
    if start.startswith(b"{\\rtf"):
        raise UnreadFileError(_OLD_WORD)
    if kind in ("CSV", "Excel"):
        return _read_text(body, start, kind)
    raise UnreadFileError(DAMAGED if kind in ("PDF", "Word") else "no kind that is read")


def _read_ole(body: bytes, deadline: Deadline) -> FileText:
    if "EncryptedPackage".encode("utf-16-le") in body:
        raise UnreadFileError(ENCRYPTED)
    if "WordDocument".encode("utf-16-le") in body:
        raise UnreadFileError(_OLD_WORD)
    from focuscrawl.files.workbook_sheets import read_xls

    return read_xls(body, deadline)


def _read_text(body: bytes, start: bytes, kind: str) -> FileText:
    """Read a text with separators, or a table of HTML, which many sites send as Excel."""
    from focuscrawl.text.page_charset import detect

    text = body.decode(detect(body), "replace").lstrip("\ufeff")
    if start[:9].lower().startswith(_HTML) and "<table" in text.lower():
        from lxml.html import document_fromstring

        from focuscrawl.text.visible_lines import block_text

        return FileText(kind).take(block_text(document_fromstring(text)).split("\n"))
    if "\0" in text or start.startswith(b"<"):
        raise UnreadFileError(DAMAGED)
    from focuscrawl.files.workbook_sheets import read_csv

    return read_csv(text)
