"""Records of a WARC file, one gzip member per record as recommended by ISO 28500, annex D."""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import IO, NamedTuple

from warcio.bufferedreaders import ChunkedDataException, ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeadersParserException

# Bytes; the rest of a chunk is copied once per member, so larger chunks are slower.
_CHUNK = 1 << 16
_PIECE = 1 << 20
_GZIP_WINDOW = 31
# In warcio, a damaged length or header raises ValueError, EOFError or AttributeError.
DAMAGE = (
    ArchiveLoadFailed,
    StatusAndHeadersParserException,
    ChunkedDataException,
    zlib.error,
    EOFError,
    ValueError,
    AttributeError,
)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(rb"\r?\n(?![ \t])")
_FOLD = re.compile(rb"\r?\n[ \t]+")
Header = tuple[bytes, bytes]

# warcio warns about every blank in a URL, but real sites have such URLs.
logging.getLogger("warcio").setLevel(logging.ERROR)
_loader = ArcWarcRecordLoader(arc2warc=False)


LARGEST = 64 << 20
"""Maximum number of bytes read of a record; pages are shorter, and the rest of others is skipped."""


class TooLargeError(Exception):
    """A record longer than ``LARGEST``, as recorded or decoded."""


class Member(NamedTuple):
    """Offset and length of a gzip member in a file, in bytes, and its content.

    The content of a member with more than ``LARGEST`` bytes is only the beginning.
    """

    offset: int
    length: int
    content: bytes
    is_whole: bool = True


class Record(NamedTuple):
    """One WARC record: type (``response``, ``request`` …), named fields, and the unchanged block."""

    kind: str
    fields: dict[str, str]
    block: bytes

    @property
    def url(self) -> str:
        """The target URL, with blanks as ``%20``; ``""`` if there is none."""
        return self.fields.get("warc-target-uri", "")


class Message(NamedTuple):
    """An HTTP message: first line, headers as sent, body without transfer encoding."""

    first_line: bytes
    headers: list[Header]
    body: bytes

    @property
    def status(self) -> int:
        """The status of a response, 0 if the first line has none."""
        words = self.first_line.split(None, 2)
        is_response = len(words) > 1 and words[0].startswith(b"HTTP/") and words[1].isdigit()
        return int(words[1]) if is_response else 0


def members(file: IO[bytes]) -> Iterator[Member]:
    """Yield the gzip members of a file from its current position.

    Raises EOFError after the last complete member if the file ends inside one, ``zlib.error`` if the
    file is damaged.
    """
    offset = file.tell()
    rest = b""
    while rest := rest or file.read(_CHUNK):
        gunzip = zlib.decompressobj(_GZIP_WINDOW)
        parts, length, size = [], 0, 0
        while not gunzip.eof:
            rest = rest or file.read(_CHUNK)
            piece = gunzip.decompress(rest, _PIECE)
            if not rest and not piece and not gunzip.eof:
                raise EOFError
            left = gunzip.unused_data if gunzip.eof else gunzip.unconsumed_tail
            length += len(rest) - len(left)
            rest = left
            size += len(piece)
            if size <= LARGEST:
                parts.append(piece)
        yield Member(offset, length, b"".join(parts), size <= LARGEST)
        offset += length


def parse_record(content: bytes, *, is_whole: bool = True) -> Record:
    """Parse the record of a member, or the beginning of one.

    Raises one of ``DAMAGE`` if the content is not exactly one record.
    """
    stream = BytesIO(content)
    record = _loader.parse_record_stream(stream, known_format="warc", no_record_parse=True)
    block = record.raw_stream.read()
    is_cut = bool(getattr(record.raw_stream, "limit", 0))
    if is_whole and is_cut:
        raise EOFError
    if stream.read().strip(b"\r\n"):
        raise ArchiveLoadFailed("several records in one gzip member")
    fields = {name.lower(): value for name, value in record.rec_headers.headers}
    return Record(record.rec_type or "", fields, block)


def parse_message(block: bytes) -> Message:
    """Parse an HTTP request or response; the bytes of headers and body are unchanged."""
    end = _HEAD_END.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    first_line, *lines = _LINE_END.split(head)
    headers = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if colon:
            headers.append((name.strip(), _FOLD.sub(b" ", value).strip()))
    kept = [header for header in headers if header[0].lower() != b"transfer-encoding"]
    if len(kept) < len(headers):
        # Archives of other programs hold the chunks as sent; some have undone them and say nothing.
        body = ChunkedDataReader(BytesIO(body)).read()
    return Message(first_line.strip(), kept, body)


def gzipped(record: bytes) -> bytes:
    """Return a record as a gzip member; level 6 takes half the time of warcio's 9 for 0.5 % more bytes."""
    gzip = zlib.compressobj(6, zlib.DEFLATED, _GZIP_WINDOW)
    return gzip.compress(record) + gzip.flush()
