"""Every write of the program while the system fails it: ``python -m tests.faults.operations STEP NAME…``.

Run with ``failing_calls.c`` preloaded. An operation runs in a fresh folder once for each of its
system calls, and that call fails. After it, what was there before is whole, the complaint is one
sentence, and an undisturbed run comes to what it comes to without any fault.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import zipfile
from abc import ABC, abstractmethod
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import openpyxl

from focuscrawl.commands import newtopic
from focuscrawl.errors import (
    ArchiveError,
    ArgumentError,
    FocuscrawlError,
    FrontierError,
    ModelError,
    ReportError,
    StoreError,
)
from focuscrawl.frontier import SqliteFrontier
from focuscrawl.items import Record
from focuscrawl.replay.recorded_web import Recording
from focuscrawl.replay.warc_index import open_index
from focuscrawl.replay.warc_recorder import Recorder
from focuscrawl.stores.archive.spill_file import Spill
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.sql.sql_creation import copy_path
from focuscrawl.stores.store_urls import make_destinations, make_stores, render_workbook
from tests.faults.calls import FAULTS, failing
from tests.frontier.frontier_runs import link
from tests.replay.warcs import exchange
from tests.scoring.model_files.test_classifier_files import trained
from tests.stores.old_databases import BOTH, indexes, make_old, rows, version
from tests.stores.record_examples import article, everything


class Operation(ABC):
    """Something that writes files. ``complaint`` is what it may raise."""

    complaint: ClassVar[type[FocuscrawlError]]

    @abstractmethod
    def prepare(self, folder: Path) -> None:
        """Leave what an earlier run leaves."""

    def look(self, folder: Path) -> None:  # noqa: B027
        """Learn, undisturbed, how far the last run has come."""

    @abstractmethod
    def work(self, folder: Path) -> None:
        """Do what may fail. Run again, it comes to the same end."""

    @abstractmethod
    def state(self, folder: Path) -> Any:
        """Return what is there; raises for what is no longer whole."""

    def check(self, before: Any, found: Any, after: Any) -> None:
        """Raise AssertionError for what neither was there nor is to be there."""
        assert found in (before, after), found


def _check_between(before: list[Any], found: list[Any], after: list[Any]) -> None:
    """Accept any state that has all that was there before, and nothing that is not to come."""
    assert found[: len(before)] == before, found
    assert found == after[: len(found)], found


class SqliteStore(Operation):
    """A store in SQLite, two batches."""

    complaint = StoreError

    def prepare(self, folder: Path) -> None:
        self._write(folder, [[article(0)]])

    def work(self, folder: Path) -> None:
        self._write(folder, [[article(1), article(2)], [article(3, text="长" * 30_000)]])

    def state(self, folder: Path) -> Any:
        async def read() -> Any:
            (store,) = make_stores(f"sqlite:///{folder}/a.sqlite")
            await store.open()
            found = await everything(store.articles())
            await store.close()
            return sorted(found, key=lambda one: one.url)

        return asyncio.run(read())

    check = staticmethod(_check_between)

    def _write(self, folder: Path, batches: list[list[Record]]) -> None:
        async def write() -> None:
            (store,) = make_stores(f"sqlite:///{folder}/a.sqlite")
            try:
                await store.open()
                for batch in batches:
                    await store.write(batch)
            finally:
                await store.close()

        asyncio.run(write())


class NewSqliteStore(SqliteStore):
    """The same where there is no file yet."""

    def prepare(self, folder: Path) -> None:
        pass


class OldSqliteStore(Operation):
    """A store of the first schema, upgraded. Its state is read past the store, which would upgrade it."""

    complaint = StoreError

    def prepare(self, folder: Path) -> None:
        make_old(self._url(folder))

    def work(self, folder: Path) -> None:
        async def upgrade() -> None:
            (store,) = make_stores(self._url(folder))
            try:
                await store.open()
            finally:
                await store.close()

        asyncio.run(upgrade())

    def state(self, folder: Path) -> Any:
        url = self._url(folder)
        copy = copy_path(folder / "a.sqlite")
        is_upgraded = version(url) is not None
        assert indexes(url) & BOTH == (BOTH if is_upgraded else set())
        # What is there under the name of the copy is whole.
        assert not copy.exists() or rows(f"sqlite:///{copy}") == rows(url)
        return is_upgraded, rows(url)

    def _url(self, folder: Path) -> str:
        return f"sqlite:///{folder}/a.sqlite"


class SpillFile(Operation):
    """Records that wait for a store, and go."""

    complaint = StoreError

    def prepare(self, folder: Path) -> None:
        Spill(folder, "a store").append([article(0)])

    def look(self, folder: Path) -> None:
        self._held = Spill(folder, "a store").count()

    def work(self, folder: Path) -> None:
        spill = Spill(folder, "a store")
        for number in range(self._held, 4):
            spill.append([article(number)])
        assert spill.count() == len(list(spill.load())) == 4

    def state(self, folder: Path) -> Any:
        return list(Spill(folder, "a store").load())

    check = staticmethod(_check_between)


class Frontier(Operation):
    """A crawl of six pages: seeds, leases, links, a retry, a page given back."""

    complaint = FrontierError

    def prepare(self, folder: Path) -> None:
        frontier = SqliteFrontier(folder / "f.sqlite")
        frontier.push([link(0), link(1)])
        frontier.close()

    def work(self, folder: Path) -> None:
        frontier = SqliteFrontier(folder / "f.sqlite")
        try:
            now = 0.0
            has_tried = False
            while frontier.waiting:
                now += 10
                for lease in frontier.lease(1, now):
                    number = int(lease.url.rsplit("/", 1)[1])
                    if number == 1 and not has_tried:
                        frontier.retry(lease, now + 5)
                        has_tried = True
                    else:
                        frontier.ack(lease, [link(number + 2)] if number < 4 else [])
        finally:
            frontier.close()

    def state(self, folder: Path) -> Any:
        frontier = SqliteFrontier(folder / "f.sqlite")
        waiting = {one.url for one in frontier.each_waiting()}
        ended = {one.url for one in frontier.each_ended()}
        assert frontier.counts().total().waiting == len(waiting)
        frontier.close()
        return waiting, ended

    def check(self, before: Any, found: Any, after: Any) -> None:
        waiting, ended = found
        assert not waiting & ended
        assert before[0] <= waiting | ended <= after[1], found


class Workbook(Operation):
    """A workbook that replaces another one."""

    complaint = ReportError

    def prepare(self, folder: Path) -> None:
        self._store(folder, article(0))
        render_workbook(self._url(folder), folder / "book" / "a.xlsx")
        self._store(folder, article(1))

    def work(self, folder: Path) -> None:
        render_workbook(self._url(folder), folder / "book" / "a.xlsx")

    def state(self, folder: Path) -> Any:
        path = folder / "book" / "a.xlsx"
        with zipfile.ZipFile(path) as file:
            assert file.testzip() is None
        book = openpyxl.load_workbook(path, read_only=True)
        rows = {sheet.title: sum(1 for _ in sheet.rows) for sheet in book}
        book.close()
        return rows

    def _url(self, folder: Path) -> str:
        # Not below the folder whose calls fail: what is read is not what is tested.
        return f"sqlite:///{folder.parent}/store/a.sqlite"

    def _store(self, folder: Path, *records: Record) -> None:
        async def write() -> None:
            (store,) = make_stores(self._url(folder))
            await store.open()
            await store.write(records)
            await store.close()

        (folder / "book").mkdir(exist_ok=True)
        asyncio.run(write())


class Warc(Operation):
    """Answers recorded to a file that has some."""

    complaint = ArchiveError

    def prepare(self, folder: Path) -> None:
        self._record(folder, 0)

    def look(self, folder: Path) -> None:
        self._held = len(self.state(folder))

    def work(self, folder: Path) -> None:
        for number in range(self._held, 3):
            self._record(folder, number)

    def state(self, folder: Path) -> Any:
        with tempfile.TemporaryDirectory() as cache:
            copy = Path(cache) / "web.warc.gz"
            copy.write_bytes((folder / "web.warc.gz").read_bytes())
            web = Recording([copy], Path(cache), lambda url: url)
            urls = [f"http://a.test/{number}" for number in range(3)]
            found = [url for url in urls if web.answer(url).status == 200]
            web.close()
        return found

    check = staticmethod(_check_between)

    def _record(self, folder: Path, number: int) -> None:
        recorder = Recorder(folder / "web.warc.gz", "test")
        try:
            recorder.write(exchange(url=f"http://a.test/{number}", body=b"<p>%d" % number * 999))
        finally:
            recorder.close()


class RecordingIndex(Operation):
    """The index of a recording, built anew."""

    complaint = ArchiveError

    def prepare(self, folder: Path) -> None:
        Warc().prepare(folder)

    def work(self, folder: Path) -> None:
        open_index(folder / "web.warc.gz", folder / "cache", lambda url: url).close()

    def state(self, folder: Path) -> Any:
        index = open_index(folder / "web.warc.gz", folder / "cache", lambda url: url)
        count = index.count
        index.close()
        return count


class Model(Operation):
    """A trained model that replaces another one."""

    complaint = ModelError

    def prepare(self, folder: Path) -> None:
        self._save(folder, "old")

    def work(self, folder: Path) -> None:
        self._save(folder, "new")

    def state(self, folder: Path) -> Any:
        from focuscrawl.scoring.model_files.classifier_files import load_links

        load_links(folder / "links.json")
        return "new" in (folder / "links.json").read_text()

    def _save(self, folder: Path, trained_on: str) -> None:
        from focuscrawl.scoring.model_files.classifier_files import save_links

        save_links(trained(), folder, "t", trained_on)


class NewFile(Operation):
    """A commented file that replaces an earlier one, which a crawl may be about to read."""

    complaint = ArgumentError

    def prepare(self, folder: Path) -> None:
        (folder / "a.yaml").write_text("earlier", "utf-8")

    def work(self, folder: Path) -> None:
        options = Namespace(force=True, like=None, unlike=None)
        newtopic.Command()._write(["a"], options, folder)

    def state(self, folder: Path) -> Any:
        assert [path.name for path in folder.iterdir()] == ["a.yaml"]
        return (folder / "a.yaml").read_text("utf-8")


class WholeArchive(Operation):
    """Store, spill folder and workbook as a crawl uses them; the workbook is rendered elsewhere."""

    complaint = FocuscrawlError

    def prepare(self, folder: Path) -> None:
        self._write(folder, article(0))

    def work(self, folder: Path) -> None:
        self._write(folder, article(1))

    def state(self, folder: Path) -> Any:
        return SqliteStore().state(folder)

    check = staticmethod(_check_between)

    def _write(self, folder: Path, record: Record) -> None:
        async def write() -> None:
            places = make_destinations(f"sqlite:///{folder}/a.sqlite,excel:///{folder}/a.xlsx")
            archive = Archive(
                places.databases,
                folder / "spill",
                workbooks=places.workbooks,
                batch_age=0,
                retry_seconds=0.1,
                open_seconds=0.1,
            )
            await archive.open()
            try:
                await archive.write(record)
            finally:
                await archive.close()

        asyncio.run(write())


OPERATIONS: dict[str, Callable[[], Operation]] = {
    kind.__name__: kind
    for kind in (
        SqliteStore, NewSqliteStore, OldSqliteStore, SpillFile, Frontier, Workbook, Warc,
        RecordingIndex, Model, NewFile, WholeArchive,
    )
}  # fmt: skip


def _folders() -> Iterator[Path]:
    # In memory where that is possible: thousands of calls of fsync would wait for a disk.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as top:
        number = 0
        while True:
            number += 1
            folder = Path(top) / str(number) / "files"
            folder.mkdir(parents=True)
            yield folder


def _copy(folder: Path, target: Path) -> Path:
    """Copy a folder with what stands beside it."""
    shutil.copytree(folder.parent, target.parent, dirs_exist_ok=True)
    return target


def run(operation: Operation, step: int) -> int:
    """Let one of ``step`` calls fail in every way, each with 1; return how many runs that were."""
    folders, runs = _folders(), 0
    prepared = next(folders)
    operation.prepare(prepared)
    # In a copy: reading may write, such as an index.
    has_before = not isinstance(operation, NewSqliteStore)
    before = operation.state(_copy(prepared, next(folders))) if has_before else None
    calm = _copy(prepared, next(folders))
    operation.look(calm)
    operation.work(calm)
    after = operation.state(calm)
    for number, fault in enumerate(FAULTS):
        at, count = 0, 1
        while at <= count:
            folder = _copy(prepared, next(folders))
            operation.look(folder)
            with failing(folder, fault, at) as calls:
                complaint = _complaint(operation, folder)
            count = calls.count if not at else count
            try:
                assert "\n" not in complaint
                assert at or not complaint, complaint
                found = operation.state(folder)
                if at and has_before:
                    operation.check(before, found, after)
                operation.look(folder)
                operation.work(folder)
                found = operation.state(folder)
                assert found == after, found
            except Exception as error:
                error.add_note(f"{type(operation).__name__}: {fault} at call {at} of {count}")
                raise
            shutil.rmtree(folder.parent)
            # With each fault other calls.
            at = at + step if at else 1 + number % max(1, min(step, count))
            runs += 1
    return runs


def _complaint(operation: Operation, folder: Path) -> str:
    try:
        operation.work(folder)
    except operation.complaint as error:
        return str(error)
    return ""


if __name__ == "__main__":
    for chosen in sys.argv[2:]:
        print(chosen, run(OPERATIONS[chosen](), int(sys.argv[1])))
