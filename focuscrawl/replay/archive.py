"""Pages of a recorded web, read from a WARC file in the order they were recorded."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]
from warcio.bufferedreaders import ChunkedDataException  # type: ignore[import-untyped]
from warcio.exceptions import ArchiveLoadFailed  # type: ignore[import-untyped]
from warcio.statusandheaders import StatusAndHeadersParserException  # type: ignore[import-untyped]

from focuscrawl.errors import ArchiveError

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


class Recorded(NamedTuple):
    """One recorded response: ``url`` as recorded (a blank as ``%20``).

    Header values are as sent, ``""`` for a header that was not. ``body`` is without transfer and content encoding, in the page's own charset.
    """

    url: str
    status: int
    content_type: str
    location: str
    body: bytes


def recorded_pages(path: Path | str) -> Iterator[Recorded]:
    """Yield all responses of a WARC file, redirects and errors among them.

    Raises :class:`ArchiveError` when the file cannot be opened, or where it proves to be damaged.
    """
    # warcio warns of each blank in a URL; such URLs are what real sites have.
    logging.getLogger("warcio").setLevel(logging.ERROR)
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
                f"{path} is no WARC file or damaged after {count} responses: copy it again"
            ) from None
    if not count:
        raise ArchiveError(f"{path} holds no recorded response: copy it again or give another file")


def _responses(file: IO[bytes]) -> Iterator[Recorded]:
    for record in ArchiveIterator(file):
        if record.rec_type == "response" and record.http_headers:
            yield _recorded(record)


def _recorded(record: Any) -> Recorded:
    headers = record.http_headers
    body = record.content_stream().read()
    record.raw_stream.read()
    # warcio takes the end of a file that was cut short for the end of the record.
    if getattr(record.raw_stream, "limit", 0):
        raise EOFError
    return Recorded(
        url=record.rec_headers.get_header("WARC-Target-URI") or "",
        status=int(headers.get_statuscode() or 0),
        content_type=headers.get_header("Content-Type") or "",
        location=headers.get_header("Location") or "",
        body=body,
    )
