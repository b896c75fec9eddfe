"""The spill file gives back what was put into it, whatever happens to the program."""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.items import Record
from focuscrawl.stores.archive import spill_file
from focuscrawl.stores.archive.spill_file import Spill, from_line, to_line
from focuscrawl.stores.schema_version import ADDED, RENAMED
from tests.stores.record_examples import any_records, article, gone, incomplete


@given(any_records)
def test_a_line_gives_back_an_equal_record(record: Record) -> None:
    line = to_line(record)
    assert line.count(b"\n") == 1
    assert from_line(line) == record


def test_each_kind_of_record_can_wait_in_the_file() -> None:
    assert set(spill_file._KINDS.values()) == set(get_args(Record))


@given(st.lists(any_records, max_size=4), st.lists(any_records, max_size=2))
def test_batches_come_back_in_order(first: list[Record], second: list[Record]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        spill = Spill(Path(folder), "a store")
        spill.append(first)
        spill.append(second)
        assert list(Spill(Path(folder), "a store").load()) == [*first, *second]
        assert spill.count() == len(first) + len(second)


def test_cleared_is_empty_and_stores_do_not_mix(tmp_path: Path) -> None:
    one, other = Spill(tmp_path / "deep", "one"), Spill(tmp_path / "deep", "other")
    one.append([article(1)])
    other.append([gone(2)])
    assert list(one.load()) == [article(1)]
    assert one.clear()
    assert (list(one.load()), one.count()) == ([], 0)
    assert list(other.load()) == [gone(2)]
    one.clear()


@pytest.mark.parametrize("cut", [1, 100_000])
def test_a_torn_last_line_is_left_out_and_cut_off(
    tmp_path: Path, cut: int, caplog: pytest.LogCaptureFixture
) -> None:
    spill = Spill(tmp_path, "a store")
    spill.append([article(1), article(2, text="长" * 100_000)])
    content = spill.path.read_bytes()
    spill.path.write_bytes(content[:-cut])
    with caplog.at_level(logging.WARNING):
        assert list(spill.load()) == [article(1)]
    assert "torn" in caplog.text
    assert spill.count() == 1
    spill.append([article(3)])
    assert list(spill.load()) == [article(1), article(3)]


def _damaged(lines: list[bytes]) -> Iterator[bytes]:
    yield lines[1][: len(lines[1]) // 2] + b"\n"
    yield lines[1][-20:]
    yield lines[1].replace(b"0.815", b"0.915", 1)
    yield b"\xff\x00" * 9 + b"\n"
    yield b"{broken}\n"
    yield b"[]\n"
    yield b'{"kind": "article"}\n'
    yield b"\n"


@pytest.mark.parametrize("case", range(8))
def test_a_damaged_line_is_set_aside_and_the_others_are_loaded(tmp_path: Path, case: int) -> None:
    spill = Spill(tmp_path, "a store")
    spill.append([article(1), article(2), article(3)])
    lines = spill.path.read_bytes().splitlines(keepends=True)
    broken = list(_damaged(lines))[case]
    spill.path.write_bytes(lines[0] + broken + lines[2])
    assert list(spill.load()) == [article(1), article(3)]
    # Nothing is set aside twice, though it may take several runs until the store has all.
    assert list(spill.load()) == [article(1), article(3)]
    assert not spill.damaged_path.exists()
    spill.clear()
    assert spill.damaged == 1
    assert spill.damaged_path.read_bytes() == broken
    assert not spill.path.exists()


def test_lines_of_older_versions_have_no_checksum_and_other_names_of_fields(tmp_path: Path) -> None:
    spill = Spill(tmp_path, "a store")
    spill.append([article(1), gone(2)])
    first, *others = (line.partition(b"\t")[0] for line in spill.path.read_bytes().splitlines())
    for old, new in RENAMED.items():
        first = first.replace(b'"%b":' % new.encode(), b'"%b":' % old.encode())
    fields = json.loads(first)
    for quote in fields["quotes"]:
        for name in ADDED:
            del quote[name]
    lines = [json.dumps(fields).encode(), *others]
    spill.path.write_bytes(b"".join(line + b"\n" for line in lines))
    assert list(spill.load()) == [article(1), gone(2)]


def test_a_folder_that_cannot_be_written_gets_a_sentence() -> None:
    with pytest.raises(StoreError, match=r"/dev/null/x.* cannot be written"):
        Spill(Path("/dev/null/x"), "a store").append([article(1)])


async def test_one_program_at_a_time_loads_and_the_others_append(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spill_file, "_LOCK_SECONDS", 0.1)
    spill, other = Spill(tmp_path, "a store"), Spill(tmp_path, "a store")
    async with spill.loading():
        with pytest.raises(StoreUnavailableError, match="in use by another run"):
            async with other.loading():
                pass
        other.append([incomplete(2)])
    async with other.loading():
        assert list(other.load()) == [incomplete(2)]
