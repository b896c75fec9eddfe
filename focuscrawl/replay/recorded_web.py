"""A recorded web: responses from WARC files, looked up by URL."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.errors import ArchiveError
from focuscrawl.replay.warc_index import RecordPlace, Spelling, open_index, request_key
from focuscrawl.replay.warc_records import (
    DAMAGE,
    Header,
    Message,
    TooLargeError,
    members,
    parse_message,
    parse_record,
)


class RecordedAnswer(NamedTuple):
    """A recorded response: headers as sent, body without transfer encoding, but with content encoding."""

    status: int
    protocol: str
    headers: list[Header]
    body: bytes


NOT_RECORDED = RecordedAnswer(
    404, "HTTP/1.1", [(b"Content-Type", b"text/plain")], b"not recorded\n"
)
"""The response for URLs that were not recorded; a 404 for robots.txt allows everything."""


class Recording:
    """Responses from WARC files.

    ``spelling`` returns the canonical form of a URL: if a URL was not recorded as such, another one
    with the same canonical form is used; http and https are different. ``cache`` is the folder for
    indexes of files in read-only folders. Raises :class:`ArchiveError` for an unusable file.
    """

    def __init__(self, warcs: Sequence[Path], cache: Path, spelling: Spelling) -> None:
        self._spelling = spelling
        self._given: Counter[tuple[str, Path, int]] = Counter()
        self._files: list[_File] = []
        try:
            for warc in warcs:
                self._files.append(_File(warc, cache, spelling))
        except BaseException:
            self.close()
            raise

    @property
    def count(self) -> int:
        """The number of recorded responses."""
        return sum(file.index.count for file in self._files)

    @property
    def torn(self) -> list[Path]:
        """Files whose incomplete last record is skipped."""
        return [file.warc for file in self._files if file.index.torn]

    def hosts(self) -> set[str]:
        """Return the hosts of all responses, with their ports."""
        return {urlsplit(url).netloc for file in self._files for url in file.index.urls()}

    def answer(
        self, url: str, method: str = "GET", body: bytes = b"", *, conditional: bool = False
    ) -> RecordedAnswer:
        """Return the response for ``url``, the object :data:`NOT_RECORDED` if there is none.

        Several responses to the same request are returned in the order of recording, the last one
        repeatedly. A 304 is returned only to a ``conditional`` request, if the page itself was
        recorded. Raises :class:`ArchiveError` if a file has changed, and
        :class:`~focuscrawl.replay.warc_records.TooLargeError` for a response too large for a page.
        """
        try:
            return self._answer(url, method, body, conditional)
        except (sqlite3.DatabaseError, OSError, *DAMAGE):
            for file in self._files:
                file.rebuild()
        try:
            return self._answer(url, method, body, conditional)
        except (OSError, *DAMAGE):
            names = ", ".join(str(file.warc) for file in self._files)
            raise ArchiveError(f"{names} changed during the replay; start again") from None

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _answer(self, url: str, method: str, body: bytes, conditional: bool) -> RecordedAnswer:
        places = self._places(url, request_key(method, body))
        if not places and method == "HEAD":
            places = self._places(url, None)
        if not conditional:
            whole = [found for found in places if found[1].status != HTTPStatus.NOT_MODIFIED]
            places = whole or places
        if not places:
            return NOT_RECORDED
        first_file, first_place = places[0]
        series = method, first_file.warc, first_place.offset
        file, place = places[min(self._given[series], len(places) - 1)]
        message = file.read(place)
        if len(places) > 1:
            self._given[series] += 1
        protocol = message.first_line.partition(b" ")[0].decode("latin-1")
        content = b"" if method == "HEAD" else message.body
        return RecordedAnswer(place.status, protocol, message.headers, content)

    def _places(self, url: str, request: str | None) -> list[tuple[_File, RecordPlace]]:
        if found := self._find(url, request, canonical=False):
            return found
        try:
            return self._find(self._spelling(url), request, canonical=True)
        except ValueError:
            return []

    def _find(
        self, url: str, request: str | None, *, canonical: bool
    ) -> list[tuple[_File, RecordPlace]]:
        return [
            (file, place)
            for file in self._files
            for place in file.index.find(url, request, canonical=canonical)
        ]


class _File:
    """A WARC file and its index."""

    def __init__(self, warc: Path, cache: Path, spelling: Spelling) -> None:
        self.warc = warc
        self.index = open_index(warc, cache, spelling)
        self._arguments = warc, cache, spelling
        self._file = warc.open("rb")

    def read(self, place: RecordPlace) -> Message:
        """Return a response, for a duplicate with the body of its original; raises ``DAMAGE``."""
        message = self._message(place.offset, place.url)
        if place.original is None:
            return message
        original = self._message(place.original)
        return (message if message.first_line else original)._replace(body=original.body)

    def rebuild(self) -> None:
        """Rebuild the index."""
        self.index.close()
        self.index = open_index(*self._arguments, rebuild=True)

    def close(self) -> None:
        self.index.close()
        self._file.close()

    def _message(self, offset: int, url: str = "") -> Message:
        self._file.seek(offset)
        member = next(members(self._file), None)
        record = parse_record(
            member.content if member else b"", is_whole=not member or member.is_whole
        )
        if url and url != record.url:
            raise ValueError("another record than the index says")
        if member and not member.is_whole:
            raise TooLargeError
        return parse_message(record.block)
