"""A workbook that cannot be written: one sentence, no litter, the old workbook intact."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from focuscrawl.errors import ReportError, StoreError
from focuscrawl.reports.workbook import write_workbook
from focuscrawl.stored_records import StoredQuote
from tests.reports.invented_quotes import invented_quotes, make_quote, make_stored

OLD = b"the old workbook"


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files, to see what is left there."""
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    path = folder / "价格.xlsx"
    path.write_bytes(OLD)
    return path


def sentence(target: Path) -> str:
    with pytest.raises(ReportError) as raised:
        write_workbook(target, [make_stored(make_quote())], [])
    assert "\n" not in str(raised.value)
    return str(raised.value)


def assert_untouched(target: Path, spool: Path) -> None:
    assert target.read_bytes() == OLD
    assert [entry.name for entry in target.parent.iterdir()] == [target.name]
    assert list(spool.iterdir()) == []


def fail_with(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(source: Path, place: Path) -> None:
        raise OSError(number, os.strerror(number), str(place))

    monkeypatch.setattr(os, "replace", replace)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EACCES, "close it in Excel"),
        (errno.EPERM, "close it in Excel"),
        (errno.ENOSPC, "No space is left"),
        (errno.EIO, "check the disk"),
    ],
)
def test_a_replacement_that_fails_leaves_the_old_workbook(
    target: Path, spool: Path, monkeypatch: pytest.MonkeyPatch, number: int, remedy: str
) -> None:
    fail_with(number, monkeypatch)
    assert remedy in sentence(target)
    assert_untouched(target, spool)


def test_excels_lock_file_is_a_hint_and_a_stale_one_stops_no_report(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (target.parent / f"~${target.name}").touch()
    with monkeypatch.context() as during:
        fail_with(errno.EBUSY, during)
        assert "close it in Excel" in sentence(target)
    write_workbook(target, [], [])
    assert target.read_bytes() != OLD


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nowhere/x.xlsx", "does not exist: create it"),
        ("reports/价格.xlsx/x.xlsx", "does not exist"),
        ("spool/folder.xlsx", "is a folder"),
        ("prices.xls", "ends in .xlsx"),
        ("prices", "ends in .xlsx"),
    ],
)
def test_a_place_that_cannot_be_used(
    tmp_path: Path, target: Path, spool: Path, place: str, words: str
) -> None:
    (spool / "folder.xlsx").mkdir()
    assert words in sentence(tmp_path / place)
    assert {path.name for path in tmp_path.iterdir()} == {"reports", "spool"}


@pytest.mark.parametrize("of_folder", [True, False])
def test_read_only(
    target: Path, spool: Path, monkeypatch: pytest.MonkeyPatch, of_folder: bool
) -> None:
    # Root may write everywhere, so the answer of the system is put in its mouth.
    locked = target.parent if of_folder else target
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != locked)
    assert "is read-only" in sentence(target)
    assert_untouched(target, spool)


def test_what_the_quotes_raise_passes_through(target: Path, spool: Path) -> None:
    def quotes() -> Iterator[StoredQuote]:
        yield from invented_quotes(400)
        raise StoreError("the database went away; start it again")

    with pytest.raises(StoreError, match="went away"):
        write_workbook(target, quotes(), [])
    assert_untouched(target, spool)


def test_success_leaves_nothing_but_the_workbook(target: Path, spool: Path) -> None:
    target.chmod(0o640)
    write_workbook(target, invented_quotes(5), [])
    assert target.read_bytes()[:2] == b"PK"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in target.parent.iterdir()] == [target.name]
    assert list(spool.iterdir()) == []


def test_a_new_workbook_may_be_read_as_the_user_allows_for_all_files(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    write_workbook(tmp_path / "x.xlsx", [], [])
    assert (tmp_path / "x.xlsx").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_link_stays_a_link(target: Path) -> None:
    link = target.with_name("latest.xlsx")
    link.symlink_to(target.name)
    write_workbook(link, [], [])
    assert link.is_symlink()
    assert target.read_bytes()[:2] == b"PK"


def test_importing_reports_loads_neither_pandas_nor_openpyxl() -> None:
    program = (
        "import sys, focuscrawl.reports.workbook, focuscrawl.reports.workbook_streams;"
        "print([m for m in ('pandas', 'openpyxl', 'lxml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_workbook_without_prices_loads_no_pandas(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.stores.record_examples import page;"
        "from focuscrawl.reports.workbook import write_workbook;"
        "write_workbook(Path('x.xlsx'), [], [], [page(1)]); print('pandas' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "False", done.stderr
    assert (tmp_path / "x.xlsx").exists()
