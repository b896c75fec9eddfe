"""Records of a WARC file: each a gzip member of its own, as ISO 28500 (annex D) recommends."""

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

# What is left of a chunk is copied once a member: larger ones cost more.
_CHUNK = 1 << 16
_PIECE = 1 << 20
_GZIP_WINDOW = 31
# A damaged length or header comes up as ValueError, EOFError or AttributeError in warcio.
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

# warcio warns of each blank in a URL; such URLs are what real sites have.
logging.getLogger("warcio").setLevel(logging.ERROR)
_loader = ArcWarcRecordLoader(arc2warc=False)


LARGEST = 64 << 20
"""Bytes of a record that are read: no page, but the beginning of anything longer."""


class TooLargeError(Exception):
    """A record that is longer than ``LARGEST``, as it was recorded or without its encoding."""


class Member(NamedTuple):
    """Where a gzip member lies in a file, in bytes, and what was in it.

    Of one of more than ``LARGEST`` bytes the content is but the beginning.
    """

    offset: int
    length: int
    content: bytes
    is_whole: bool = True


class Record(NamedTuple):
    """One WARC record: kind (``response``, ``request`` …), named fields, and the block as it is."""

    kind: str
    fields: dict[str, str]
    block: bytes

    @property
    def url(self) -> str:
        """The target, a blank as ``%20``; ``""`` if there is none."""
        return self.fields.get("warc-target-uri", "")


class Message(NamedTuple):
    """An HTTP message: first line, headers as sent, body without transfer encoding."""

    first_line: bytes
    headers: list[Header]
    body: bytes

    @property
    def status(self) -> int:
        """The status of a response, 0 where the first line tells none."""
        words = self.first_line.split(None, 2)
        is_response = len(words) > 1 and words[0].startswith(b"HTTP/") and words[1].isdigit()
        return int(words[1]) if is_response else 0


def members(file: IO[bytes]) -> Iterator[Member]:
    """Yield the gzip members of a file from its present position on.

    Raises EOFError after the last whole one if the file ends amid a member, ``zlib.error`` where
    the file is damaged.
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
    """Take the one record of a member apart, or the beginning of one.

    Raises one of ``DAMAGE`` for what is no record, or not a single one.
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
    """Take an HTTP request or response apart; bytes of headers and body stay what they are."""
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
    """Return a record as a gzip member; level 6 takes half the time of warcio's 9 for 0.5 % more."""
    gzip = zlib.compressobj(6, zlib.DEFLATED, _GZIP_WINDOW)
    return gzip.compress(record) + gzip.flush()
