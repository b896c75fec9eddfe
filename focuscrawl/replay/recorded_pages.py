"""Pages of a recorded web, read from a WARC file in the order they were recorded."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator

from focuscrawl.errors import ArchiveError
from focuscrawl.replay.warc_records import DAMAGE, LARGEST, TooLargeError

logger = logging.getLogger(__name__)
_CHUNK = 1 << 16


class Recorded(NamedTuple):
    """One recorded response: ``url`` as recorded (blanks as ``%20``).

    Header values are as sent, ``""`` for a missing header. ``body`` is without transfer and content
    encoding, in the page's own charset.
    """

    url: str
    status: int
    content_type: str
    location: str
    body: bytes


def recorded_pages(path: Path | str) -> Iterator[Recorded]:
    """Yield all responses of a WARC file, including redirects and errors.

    A duplicate that was recorded as a reference (``revisit``) has the body that it refers to.
    Raises :class:`ArchiveError` if the file cannot be opened, or at the first damaged record.
    """
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed by the with below
    except OSError as error:
        raise ArchiveError(f"cannot read the recording {path}: {error.strerror}") from None
    count = 0
    with file:
        try:
            for count, page in enumerate(_responses(file), 1):  # noqa: B007 - counts for the message
                yield page
        except DAMAGE:
            raise ArchiveError(
                f"{path} is not a WARC file, or is damaged after {count} responses; copy it again"
            ) from None
    if not count:
        raise ArchiveError(f"{path} has no recorded response; copy it again or give another file")


def _responses(file: IO[bytes]) -> Iterator[Recorded]:
    bodies: dict[str, int] = {}
    records = ArchiveIterator(file)
    for record in records:
        if not record.http_headers or record.rec_type not in ("response", "revisit"):
            continue
        digest = record.rec_headers.get_header("WARC-Payload-Digest")
        try:
            page = _recorded(record)
        except TooLargeError:
            url = record.rec_headers.get_header("WARC-Target-URI")
            logger.warning("skipped, since it is longer than %d bytes: %s", LARGEST, url)
            continue
        if record.rec_type == "response":
            if digest:
                bodies.setdefault(digest, records.get_record_offset())
            yield page
        elif digest in bodies:
            yield page._replace(body=_body_at(file, bodies[digest]))
        elif page.status == HTTPStatus.NOT_MODIFIED:
            yield page


def _body_at(file: IO[bytes], offset: int) -> bytes:
    """Return the body of the response at an offset; the position in the file is unchanged."""
    position = file.tell()
    file.seek(offset)
    body = _recorded(next(ArchiveIterator(file))).body
    file.seek(position)
    return body


def _recorded(record: Any) -> Recorded:
    headers = record.http_headers
    body = record.content_stream().read(LARGEST + 1)
    while record.raw_stream.read(_CHUNK):
        pass
    if len(body) > LARGEST:
        raise TooLargeError
    # warcio takes the end of a truncated file for the end of the record.
    if getattr(record.raw_stream, "limit", 0):
        raise EOFError
    return Recorded(
        url=record.rec_headers.get_header("WARC-Target-URI") or "",
        status=int(headers.get_statuscode() or 0),
        content_type=headers.get_header("Content-Type") or "",
        location=headers.get_header("Location") or "",
        body=body,
    )
