"""GridFS files of texts that are too large for a document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from gridfs.asynchronous import AsyncGridFSBucket
from gridfs.errors import NoFile
from pymongo.asynchronous.database import AsyncDatabase

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.stores.records.batch_changes import Row

FILES = "large_texts"
"""The field of a document with the file names of its largest texts, by field."""


def file_name(key: str, field: str, text: str) -> str:
    """Name the file of a field's text; the same text has the same name, also after a crash."""
    md5 = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return f"{key}/{field}/{md5}"


class LargeTexts:
    """The files of a database's large texts, written before the documents that refer to them."""

    def __init__(self, database: AsyncDatabase[Row]) -> None:
        self._database = database
        self._bucket = AsyncGridFSBucket(database)

    async def put(self, files: Mapping[str, str]) -> None:
        """Write the files that do not exist."""
        for name, text in files.items():
            if await self._database["fs.files"].find_one({"_id": name}, {"_id": 1}) is None:
                # Chunks of a program that was killed while writing them.
                await self._database["fs.chunks"].delete_many({"files_id": name})
                await self._bucket.upload_from_stream_with_id(name, name, text.encode())

    async def remove(self, names: Iterable[str]) -> None:
        """Delete files to which no document refers any more."""
        for name in names:
            await self._database["fs.files"].delete_one({"_id": name})
            await self._database["fs.chunks"].delete_many({"files_id": name})

    async def whole(self, document: Row) -> Row:
        """Read the texts of a document from their files, and remove the field with the file names."""
        if not isinstance(document.get(FILES), dict):
            # A field of another program with the same name.
            return document
        for field, name in document.pop(FILES).items():
            if field in document:
                document[field] = await self._read(name)
        return document

    async def _read(self, name: Any) -> str:
        try:
            stream = await self._bucket.open_download_stream(name)
            return (await stream.read()).decode()
        except NoFile as error:
            raise StoreUnavailableError(
                f"the text {name} has just been replaced by another program; read again"
            ) from error
