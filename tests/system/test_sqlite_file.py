"""SQLite files of the program, for the example of a frontier: what is refused, and its sentence."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE
from focuscrawl.system import sqlite_file
from focuscrawl.system.sqlite_file import is_busy, transaction


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.sqlite"


def make(path: Path) -> None:
    FRONTIER_FILE.connect(path, create=True).close()


def refusal(path: Path, *, create: bool = True) -> str:
    """Return the sentence after the path; the file must stay as it is."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(FrontierError) as caught:
        FRONTIER_FILE.connect(path, create=create).close()
    assert before is None or path.read_bytes() == before
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith(f"{path} ")
    return sentence.removeprefix(f"{path} ")


def text(path: Path) -> None:
    path.write_text("http://a.example/\n" * 100)


def cut_short(path: Path) -> None:
    make(path)
    path.write_bytes(path.read_bytes()[:60])


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE articles (url TEXT)")


def newer(path: Path) -> None:
    make(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")


def folder(path: Path) -> None:
    path.mkdir()


DAMAGED = (
    "is damaged or not a frontier file; restore it from a copy, or move it away and crawl again"
)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (text, DAMAGED),
        (cut_short, DAMAGED),
        (foreign, "is not a frontier file; name another file or move it away"),
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
def test_what_cannot_be_used_is_refused_with_a_sentence(
    path: Path, spoil: Callable[[Path], None], sentence: str
) -> None:
    spoil(path)
    assert refusal(path) == sentence


def test_a_missing_file_is_not_created_for_reading(path: Path) -> None:
    assert refusal(path, create=False) == f"does not exist; {FRONTIER_FILE.origin}"
    assert not path.exists()


def test_a_damaged_page_is_reported(path: Path) -> None:
    with closing(FRONTIER_FILE.connect(path, create=True)) as connection:
        connection.execute("INSERT INTO facts VALUES ('a', zeroblob(100000))")
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    connection = sqlite3.connect(path)
    with (
        closing(connection),
        pytest.raises(FrontierError, match="is damaged or not"),
        FRONTIER_FILE.errors(path),
    ):
        connection.execute("SELECT * FROM facts").fetchall()


def test_a_locked_file_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    with closing(FRONTIER_FILE.connect(path, create=True)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with (
            closing(FRONTIER_FILE.connect(path, create=True)) as other,
            pytest.raises(
                FrontierError, match="is locked by another program; wait until it has ended"
            ),
            FRONTIER_FILE.errors(path),
            transaction(other),
        ):
            pass


def test_a_full_disk_is_reported_and_nothing_is_lost(path: Path) -> None:
    with closing(FRONTIER_FILE.connect(path, create=True)) as connection:
        connection.execute("INSERT INTO facts VALUES ('a', 1)")
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with (
            pytest.raises(FrontierError, match="cannot be used: the disk is full; free some space"),
            FRONTIER_FILE.errors(path),
            transaction(connection),
        ):
            connection.execute("INSERT INTO facts VALUES ('b', zeroblob(100000))")
        assert connection.execute("SELECT name FROM facts").fetchall() == [("a",)]


_TOO_SMALL = """
import resource, signal, sys
from pathlib import Path
from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
FRONTIER_FILE.connect(Path(sys.argv[1]), create=True)
"""
_WHEN_TOLD = """
import sys
from pathlib import Path
from focuscrawl.frontier.sqlite.frontier_file import FRONTIER_FILE
print('ready', flush=True)
sys.stdin.readline()
FRONTIER_FILE.connect(Path(sys.argv[1]), create=True).close()
"""


def test_a_disk_that_takes_no_new_file_is_reported(path: Path) -> None:
    command = [sys.executable, "-c", _TOO_SMALL, path]
    done = subprocess.run(command, capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert "cannot be used: its disk fails or refuses to write; check the disk" in last
    assert "FrontierError" in last


def test_several_programs_may_create_a_file_at_once(path: Path) -> None:
    pipe = subprocess.PIPE
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", _WHEN_TOLD, path],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        for _ in range(3)
    ]
    for program in programs:
        assert program.stdout
        program.stdout.readline()
    for program in programs:
        assert program.stdin
        program.stdin.write("\n")
        program.stdin.flush()
    assert [program.communicate()[1] for program in programs] == [""] * 3
    FRONTIER_FILE.connect(path, create=False).close()


def insert(connection: sqlite3.Connection, statements: list[str]) -> None:
    with transaction(connection):
        for statement in statements:
            connection.execute(statement)


def test_a_transaction_is_all_or_nothing() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE numbers (number)")
    insert(connection, ["INSERT INTO numbers VALUES (1)"])
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        insert(connection, ["INSERT INTO numbers VALUES (2)", "INSERT INTO others VALUES (3)"])
    assert connection.execute("SELECT number FROM numbers").fetchall() == [(1,)]


def test_an_error_that_python_raises_itself_is_not_busy(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError) as caught:
        connection.execute("SELECT 1")
    assert not is_busy(caught.value)
