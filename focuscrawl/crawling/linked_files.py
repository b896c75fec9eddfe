"""Files that articles are or link to: read in worker processes, and kept in a folder by their hash."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import defaultdict
from pathlib import Path

from scrapy.crawler import Crawler
from scrapy.http import Response

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.fetched_page import file_kind
from focuscrawl.errors import ArgumentError, PageLimitError, ProfileError, WorkerError
from focuscrawl.files.file_reading import FileText, read_file
from focuscrawl.system.durable_files import locked_folder, made_folder
from focuscrawl.system.package_extras import has_extra, require_extra
from focuscrawl.system.worker_pool import read_in_worker
from focuscrawl.text.file_kinds import PACKAGED

_STOPPED = "over DOWNLOAD_MAXSIZE, which may be raised"
NOT_INSTALLED = "not installed"
# What a reader may take of the limit of a page, so that it returns what it has read by then.
_SHARE_OF_TIME = 0.75
_SUFFIXES = {"PDF": ("pdf", "pdf"), "Word": ("docx", "doc"), "Excel": ("xlsx", "xls")}


def kinds_to_read(attachments: str) -> frozenset[str]:
    """Return the kinds of files whose bodies a crawl downloads."""
    is_able = has_extra("files") or attachments == "keep"
    return PACKAGED | {"CSV"} if is_able else frozenset({"CSV"})


async def read_response(response: Response, kind: str, seconds: float) -> FileText:
    """Return the text of a file; raises PageLimitError and WorkerError."""
    is_stopped = "download_stopped" in response.flags
    if kind in PACKAGED and not has_extra("files"):
        return FileText(kind, lacks=[NOT_INSTALLED])
    if is_stopped or kind not in PACKAGED | {"CSV"}:
        found = FileText(kind)
        if kind in PACKAGED and is_stopped:
            found.cut(_STOPPED)
        return found
    return await read_in_worker(read_file, response.body, kind, seconds * _SHARE_OF_TIME)


async def text_of_file(response: Response, kind: str, seconds: float) -> FileText:
    """Return the text of a file; raises a FocuscrawlError if it has none."""
    found = await read_response(response, kind, seconds)
    if found.lacks == [NOT_INSTALLED]:
        require_extra("files")
    if not found.text:
        reason = ", ".join(found.lacks) or "no kind that is read"
        raise ProfileError(f"{response.url} is a file ({kind}) without text: {reason}")
    return found


class LinkedFiles:
    """Reads files for a crawl, keeps them if it is to, and reports at its end what was not read."""

    def __init__(self, crawler: Crawler, attachments: str) -> None:
        self._crawler = crawler
        self._run = RunningCrawl.of(crawler)
        self._attachments = attachments
        self._lacks: dict[tuple[str, bool, bool], list[str]] = defaultdict(list)

    async def read(self, response: Response) -> tuple[FileText, str] | None:
        """Return the text of a file and, if it is kept, its SHA-256; None if the crawl has to end."""
        kind, digest = file_kind(response), ""
        try:
            if self._attachments == "keep" and "download_stopped" not in response.flags:
                digest = await self._keep(response.body, kind)
            seconds = self._run.number("FOCUSCRAWL_PAGE_SECONDS", least=0)
            found = await read_response(response, kind, seconds)
        except PageLimitError as error:
            self._run.give_up_page(error, response.url)
            found = FileText(kind, is_cut=True)
        except (ArgumentError, WorkerError) as error:
            self._run.fail(error)
            return None
        stats = self._crawler.stats
        stats.inc_value(f"focuscrawl/files/{kind}")
        if not found.text and kind in PACKAGED | {"CSV"}:
            stats.inc_value("focuscrawl/files/without text")
        for reason in found.lacks:
            self._lacks[reason, bool(found.text), found.is_cut].append(response.url)
        return found, digest

    async def _keep(self, body: bytes, kind: str) -> str:
        folder = Path(
            self._crawler.settings["FOCUSCRAWL_FILES"] or self._run.data_folder() / "files"
        )
        remedy = "set FOCUSCRAWL_FILES to another"
        try:
            return await asyncio.to_thread(
                _write, made_folder(folder, ArgumentError, remedy), body, kind
            )
        except OSError as error:
            raise ArgumentError(
                f"cannot write into {folder} ({error.strerror}); {remedy}"
            ) from None

    def report(self) -> None:
        """Report the files without text, or with a part of it, by their reasons."""
        for (reason, has_text, is_cut), urls in self._lacks.items():
            count = len(urls)
            if reason == NOT_INSTALLED:
                try:
                    require_extra("files")
                except ArgumentError as error:
                    sentence = f"{count} files are links without text: {error}"
                is_cut = self._attachments != "ignore"
            else:
                what = "only a part of their text" if has_text else "no text"
                sentence = f"{count} files have {what}: {reason} ({urls[0]})"
            (self._run.mark_incomplete if is_cut else self._run.note)(sentence)


def _write(folder: Path, body: bytes, kind: str) -> str:
    """Write a file under its hash, complete or not at all; return the hash."""
    digest = hashlib.sha256(body).hexdigest()
    new, old = _SUFFIXES.get(kind, ("csv", "csv") if kind == "CSV" else ("bin", "bin"))
    path = folder / f"{digest}.{new if body.startswith(b'PK') else old}"
    # Several articles may link to it, also of crawls on other machines.
    with locked_folder(folder):
        if not path.exists():
            part = path.with_suffix(".part")
            with part.open("wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
    return digest
