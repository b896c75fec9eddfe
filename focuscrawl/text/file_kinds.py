"""Kinds of files that are no pages, by their first bytes and their media type."""

from __future__ import annotations

import re

_MAGIC = {
    b"Rar!": "RAR",
    b"7z\xbc\xaf": "7z",
    b"\x1f\x8b": "gzip",
    b"{\\rtf": "Word",
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*"), "picture"),
    **dict.fromkeys((b"ID3", b"OggS", b"RIFF", b"FLV\1", b"\x1aE\xdf\xa3"), "media"),
}
# Names inside of zipped and of older Office files, the latter in UTF-16.
_OFFICE = {
    "Word": (b"word/", "WordDocument".encode("utf-16-le")),
    "Excel": (b"xl/", "Workbook".encode("utf-16-le")),
    "PowerPoint": (b"ppt/", "PowerPoint".encode("utf-16-le")),
}
_CONTAINERS = {b"PK\3\4": "ZIP", b"\xd0\xcf\x11\xe0": "Office"}
_TYPES = {
    "PDF": r"application/(?:x-)?pdf",
    "Word": r"application/(?:msword|rtf|vnd\.ms-word|vnd\.openxmlformats\S*wordprocessing)",
    "Excel": r"application/(?:vnd\.)?(?:ms-?excel|x-excel|openxmlformats\S*spreadsheet)",
    "PowerPoint": r"application/(?:vnd\.)?(?:ms-?powerpoint|openxmlformats\S*presentation)",
    "CSV": r"(?:text|application)/(?:x-)?(?:csv|comma-separated-values|tab-separated-values)",
    "ZIP": r"application/(?:x-)?zip",
    "RAR": r"application/(?:x-|vnd\.)?rar",
    "picture": r"image/(?!svg)",
    "media": r"(?:audio|video)/",
}
PACKAGED = frozenset({"PDF", "Word", "Excel"})
"""Kinds of files that are read by packages of the extra ``focuscrawl[files]``."""
_OF_TYPE = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _TYPES.items()}
_NAME = re.compile(
    r"(?i)\.(?:(?P<PDF>pdf)|(?P<Word>docx?)|(?P<Excel>xls[xm]?)|(?P<CSV>csv)|(?P<PowerPoint>pptx?))(?![\w.])"
)


def kind_of_address(url: str) -> str:
    """Return the kind of file that a URL names anywhere, as that of a viewer does; ``""`` for none."""
    name = _NAME.search(url)
    return (name.lastgroup or "") if name else ""


def kind_of_type(media_type: str) -> str:
    """Return the kind of file that a ``Content-Type`` names; ``""`` for pages and unknown ones."""
    return next((kind for kind, one in _OF_TYPE.items() if one.match(media_type.strip())), "")


def kind_of_file(body: bytes, media_type: str = "") -> str:
    """Return the kind of file that a body is, such as ``PDF`` or ``Word``; ``""`` if it may be a page."""
    start = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF-"):
        return "PDF"
    for magic, kind in _CONTAINERS.items():
        if start.startswith(magic):
            inside = (one for one, names in _OFFICE.items() if any(name in body for name in names))
            return next(inside, "") or kind_of_type(media_type) or kind
    known = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")
    if known or start[4:8] == b"ftyp":
        return known or "media"
    return "" if start[:1] == b"<" else kind_of_type(media_type)
