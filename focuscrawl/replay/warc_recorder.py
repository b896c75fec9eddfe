"""Recorder of requests and responses in a WARC file (ISO 28500:2017, WARC 1.1)."""

from __future__ import annotations

import errno
import os
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urlsplit

from filelock import FileLock, Timeout
from warcio.statusandheaders import StatusAndHeaders
from warcio.timeutils import datetime_to_iso_date
from warcio.warcwriter import WARCWriter

from focuscrawl.errors import AlreadyRunningError, ArchiveError
from focuscrawl.replay.warc_index import payload_digest
from focuscrawl.replay.warc_records import Header, gzipped, members

# Detection of an incomplete last record in a WARC file after a kill.

_MAGIC = b"\x1f\x8b\x08"
_STEP = 1 << 16
_BEGINNING = b"WARC/"


def whole_length(file: IO[bytes]) -> int:
    """Return the length of the complete records of a gzipped WARC file in bytes.

    That excludes an incomplete last record. Searches backwards for the last record, so that the time
    does not grow with the file. Raises ValueError if there is no record, not even an incomplete one.
    """
    size = file.seek(0, 2)
    if not size:
        return 0
    for offset in _candidates(file, size):
        file.seek(offset)
        try:
            member = next(members(file))
        except (EOFError, zlib.error):
            if _begins_a_record(file, offset):
                return offset
            continue
        if member.content.startswith(_BEGINNING):
            return offset + member.length
    raise ValueError("no WARC record")


def _candidates(file: IO[bytes], size: int) -> Iterator[int]:
    """Yield the offsets at which a gzip member may begin, from the end to the beginning."""
    for start in range((size - 1) // _STEP * _STEP, -1, -_STEP):
        file.seek(start)
        window = file.read(_STEP + len(_MAGIC) - 1)
        at = window.rfind(_MAGIC)
        while at >= 0:
            yield start + at
            at = window.rfind(_MAGIC, 0, at + len(_MAGIC) - 1)


def _begins_a_record(file: IO[bytes], offset: int) -> bool:
    file.seek(offset)
    try:
        found = zlib.decompressobj(31).decompress(file.read(_STEP), len(_BEGINNING))
    except zlib.error:
        return False
    # The first record may be cut off inside its first bytes.
    return found == _BEGINNING or (offset == 0 and _BEGINNING.startswith(found))


SMALLEST_DUPLICATE = 512
"""Minimum size of a body in bytes for which a reference to an equal one is shorter than the body, compressed."""
_REMEMBERED = 50_000
_SECRET = {b"authorization", b"proxy-authorization"}


class Exchange(NamedTuple):
    """A request as sent, and its response: headers as received, body without transfer encoding."""

    url: str
    method: str
    request_headers: list[Header]
    request_body: bytes
    status: int
    protocol: str
    headers: list[Header]
    body: bytes
    truncated: str = ""
    """Reason of a truncated body in WARC terms: ``length``, ``disconnect``, ``unspecified``; else ``""``."""


class _Original(NamedTuple):
    url: str
    date: str
    record_id: str


class _AsReceived(StatusAndHeaders):  # type: ignore[misc]
    """A head that warcio writes as received instead of escaping non-ASCII bytes."""

    def __init__(self, first_line: str, headers: Iterable[Header]) -> None:
        lines = [first_line.encode("latin-1", "replace")]
        lines += [name + b": " + b" ".join(value.splitlines()) for name, value in headers]
        self._head = b"\r\n".join(lines) + b"\r\n\r\n"
        protocol, _, statusline = first_line.partition(" ")
        super().__init__(statusline, [], protocol=protocol)

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        """Set the bytes that warcio writes."""
        self.headers_buff = self._head


class Recorder:
    """Appends to a WARC file, one gzip member per record.

    After :meth:`write` has returned, a record is in the file even if the program is killed; an
    incomplete record is removed by the next recorder. A body equal to one of the last 50,000 distinct
    ones of this run is recorded as a reference (``revisit``).

    Raises :class:`ArchiveError` for a file that cannot be written or is not a WARC file, and
    :class:`AlreadyRunningError` while another recorder has it open.
    """

    def __init__(self, path: Path, software: str) -> None:
        if not path.name.endswith(".warc.gz"):
            raise ArchiveError(f"{path} must end in .warc.gz; rename FOCUSCRAWL_WARC")
        self.path = path
        self.duplicates = 0
        self._originals: OrderedDict[str, _Original] = OrderedDict()
        self._buffer = BytesIO()
        self._writer = WARCWriter(self._buffer, gzip=False, warc_version="1.1")
        self._lock = self._locked()
        try:
            self._file = path.open("ab+", buffering=0)
            self._cut_torn_record()
            self._begin(software)
        except OSError as error:
            self._lock.release()
            raise self._complaint(error) from None
        except ValueError:
            self._lock.release()
            raise ArchiveError(f"{path} is not a WARC file; record to another file") from None

    def write(self, exchange: Exchange) -> None:
        """Append a request and its response. Raises :class:`ArchiveError` if they cannot be written."""
        answer = self._answer(exchange)
        fields = {
            "WARC-Date": answer.rec_headers.get_header("WARC-Date"),
            "WARC-Concurrent-To": answer.rec_headers.get_header("WARC-Record-ID"),
        }
        request = self._writer.create_warc_record(
            exchange.url, "request", payload=BytesIO(exchange.request_body),
            length=len(exchange.request_body), warc_headers_dict=fields,
            http_headers=_request_head(exchange),
        )  # fmt: skip
        try:
            self._append(answer, request)
        except OSError as error:
            raise self._complaint(error) from None

    def close(self) -> None:
        """Close the file and release its lock."""
        self._file.close()
        self._lock.release()

    def _answer(self, exchange: Exchange) -> Any:
        date = datetime_to_iso_date(datetime.now(UTC).replace(tzinfo=None), use_micros=True)
        fields = {"WARC-Date": date}
        if exchange.truncated:
            fields["WARC-Truncated"] = exchange.truncated
        digest = payload_digest(exchange.body)
        # A revisit of a 304 would mean an unmodified page instead of the same bytes.
        is_a_change = exchange.status != HTTPStatus.NOT_MODIFIED
        original = self._originals.get(digest) if is_a_change else None
        if original:
            self.duplicates += 1
            return self._writer.create_revisit_record(
                exchange.url, digest, original.url, original.date,
                http_headers=_response_head(exchange),
                warc_headers_dict=fields | {"WARC-Refers-To": original.record_id},
            )  # fmt: skip
        record = self._writer.create_warc_record(
            exchange.url, "response", payload=BytesIO(exchange.body), length=len(exchange.body),
            warc_headers_dict=fields, http_headers=_response_head(exchange),
        )  # fmt: skip
        if len(exchange.body) >= SMALLEST_DUPLICATE:
            record_id = record.rec_headers.get_header("WARC-Record-ID")
            self._originals[digest] = _Original(exchange.url, date, record_id)
            if len(self._originals) > _REMEMBERED:
                self._originals.popitem(last=False)
        return record

    def _append(self, *records: Any) -> None:
        """Write records with one call, so that they are hardly ever incomplete."""
        members = []
        for record in records:
            self._writer.write_record(record)
            members.append(gzipped(self._buffer.getvalue()))
            self._buffer.seek(0)
            self._buffer.truncate()
        if not os.fstat(self._file.fileno()).st_nlink:
            raise FileNotFoundError(errno.ENOENT, "somebody has deleted it")
        content = memoryview(b"".join(members))
        while content:
            content = content[self._file.write(content) :]

    def _begin(self, software: str) -> None:
        info = {"software": software, "format": "WARC File Format 1.1"}
        self._append(self._writer.create_warcinfo_record(self.path.name, info))

    def _cut_torn_record(self) -> None:
        whole = whole_length(self._file)
        if whole < os.fstat(self._file.fileno()).st_size:
            self._file.truncate(whole)

    def _locked(self) -> FileLock:
        lock = FileLock(f"{self.path}.lock", timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            raise AlreadyRunningError(
                f"another crawl is recording to {self.path}; record to another file"
            ) from None
        except OSError as error:
            raise self._complaint(error) from None
        return lock

    def _complaint(self, error: OSError) -> ArchiveError:
        return ArchiveError(
            f"cannot record to {self.path} ({error.strerror}); give another FOCUSCRAWL_WARC"
        )


def _response_head(exchange: Exchange) -> _AsReceived:
    # HTTP/2 and later are not text on the wire; archives write them as 1.1.
    protocol = exchange.protocol if exchange.protocol.startswith("HTTP/1.") else "HTTP/1.1"
    try:
        phrase = HTTPStatus(exchange.status).phrase
    except ValueError:
        phrase = ""
    return _AsReceived(f"{protocol} {exchange.status} {phrase}", exchange.headers)


def _request_head(exchange: Exchange) -> _AsReceived:
    parts = urlsplit(exchange.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [header for header in exchange.request_headers if header[0].lower() not in _SECRET]
    if b"host" not in {name.lower() for name, _ in headers}:
        headers.insert(0, (b"Host", parts.netloc.rpartition("@")[2].encode("latin-1", "replace")))
    return _AsReceived(f"{exchange.method} {target} HTTP/1.1", headers)
