"""Reading of a file of any kind, for :func:`focuscrawl.system.worker_pool.read_in_worker`.

A file is what its first bytes say, whatever its name and type are. Nothing that it links to is fetched,
and no macro or formula is run.
"""

from __future__ import annotations

from focuscrawl.files.file_text import (
    DAMAGED,
    ENCRYPTED,
    Deadline,
    FileText,
    UnreadFileError,
    check_zip,
)

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
