"""SQLite files of the program: every kind refuses the same files with the same sentences."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import FocuscrawlError, FrontierError, LabelError
from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE
from focuscrawl.labelling.label_store import LABEL_FILE
from focuscrawl.system import sqlite_file
from focuscrawl.system.sqlite_file import SqliteFileKind, is_busy, transaction

KINDS = [FRONTIER_FILE, LABEL_FILE]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> SqliteFileKind:
    found: SqliteFileKind = request.param
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.sqlite"


def make(kind: SqliteFileKind, path: Path) -> None:
    kind.connect(path, create=True).close()


def refusal(kind: SqliteFileKind, path: Path, *, create: bool = True) -> str:
    """Return the sentence after the path; the file must stay as it is."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(kind.error) as caught:
        kind.connect(path, create=create).close()
    assert before is None or path.read_bytes() == before
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith(f"{path} ")
    return sentence.removeprefix(f"{path} ").replace(kind.name, "KIND")


def text(_: SqliteFileKind, path: Path) -> None:
    path.write_text("http://a.example/\n" * 100)


def cut_short(kind: SqliteFileKind, path: Path) -> None:
    make(kind, path)
    path.write_bytes(path.read_bytes()[:60])


def foreign(_: SqliteFileKind, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE articles (url TEXT)")


def newer(kind: SqliteFileKind, path: Path) -> None:
    make(kind, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")


def folder(_: SqliteFileKind, path: Path) -> None:
    path.mkdir()


DAMAGED = "is damaged or not KIND; restore it from a copy, or move it away and crawl again"


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (text, DAMAGED),
        (cut_short, DAMAGED),
        (foreign, "is not KIND; name another file or move it away"),
        (
            newer,
            "has format 7, this version reads 1; update focuscrawl, or move the file away and crawl "
            "again",
        ),
        (
            folder,
            "cannot be read (Is a directory); check its permissions and the limit of open files",
        ),
    ],
)
def test_every_kind_refuses_with_the_same_sentence(
    kind: SqliteFileKind,
    path: Path,
    spoil: Callable[[SqliteFileKind, Path], None],
    sentence: str,
) -> None:
    spoil(kind, path)
    assert refusal(kind, path) == sentence


def test_a_missing_file_is_not_created_for_reading(kind: SqliteFileKind, path: Path) -> None:
    assert refusal(kind, path, create=False) == f"does not exist; {kind.origin}"
    assert not path.exists()


def test_a_damaged_page_is_reported(kind: SqliteFileKind, path: Path) -> None:
    with closing(kind.connect(path, create=True)) as connection:
        connection.execute("INSERT INTO facts VALUES ('a', zeroblob(100000))")
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    connection = sqlite3.connect(path)
    with (
        closing(connection),
        pytest.raises(kind.error, match="is damaged or not"),
        kind.errors(path),
    ):
        connection.execute("SELECT * FROM facts").fetchall()


def test_a_locked_file_is_reported(
    kind: SqliteFileKind, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    with closing(kind.connect(path, create=True)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with (
            closing(kind.connect(path, create=True)) as other,
            pytest.raises(
                kind.error, match="is locked by another program; wait until it has ended"
            ),
            kind.errors(path),
            transaction(other),
        ):
            pass


def test_a_full_disk_is_reported_and_nothing_is_lost(kind: SqliteFileKind, path: Path) -> None:
    with closing(kind.connect(path, create=True)) as connection:
        connection.execute("INSERT INTO facts VALUES ('a', 1)")
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with (
            pytest.raises(kind.error, match="cannot be used: the disk is full; free some space"),
            kind.errors(path),
            transaction(connection),
        ):
            connection.execute("INSERT INTO facts VALUES ('b', zeroblob(100000))")
        assert connection.execute("SELECT name FROM facts").fetchall() == [("a",)]


_TOO_SMALL = """
import resource, signal, sys
from pathlib import Path
from tests.system.test_sqlite_file import KINDS
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
KINDS[int(sys.argv[1])].connect(Path(sys.argv[2]), create=True)
"""


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_a_disk_that_takes_no_new_file_is_reported(number: int, path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TOO_SMALL, str(number), path], capture_output=True, text=True
    )
    last = done.stderr.splitlines()[-1]
    assert "cannot be used: its disk fails or refuses to write; check the disk" in last
    assert KINDS[number].error.__name__ in last


def test_two_programs_may_create_a_file_at_once(kind: SqliteFileKind, path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.system.test_sqlite_file import KINDS\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "KINDS[int(sys.argv[1])].connect(Path(sys.argv[2]), create=True).close()"
    )
    command = [sys.executable, "-c", script, str(KINDS.index(kind)), str(path)]
    pipe = subprocess.PIPE
    programs = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(4)
    ]
    for program in programs:
        assert program.stdout
        program.stdout.readline()
    for program in programs:
        assert program.stdin
        program.stdin.write("\n")
        program.stdin.flush()
    assert [program.communicate()[1] for program in programs] == [""] * 4
    kind.connect(path, create=False).close()


def test_errors_of_both_kinds_are_for_the_user() -> None:
    assert {kind.error for kind in KINDS} == {FrontierError, LabelError}
    assert all(issubclass(kind.error, FocuscrawlError) for kind in KINDS)


def test_an_error_that_python_raises_itself_is_not_busy(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError) as caught:
        connection.execute("SELECT 1")
    assert not is_busy(caught.value)
