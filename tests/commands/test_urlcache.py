"""``scrapy urlcache`` as a user runs it, outside any project."""

from __future__ import annotations

import csv
import gzip
import random
from pathlib import Path

import pytest

from tests.servers import warm_scrapy


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    done = warm_scrapy.run(["urlcache", *arguments], cwd=folder)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr if code else done.stdout


def test_the_table_is_printed_and_written(tmp_path: Path) -> None:
    dice = random.Random(1)
    lines = "\n".join(f"http://a/{int(dice.paretovariate(0.7))}" for _ in range(3000))
    (tmp_path / "trace.gz").write_bytes(gzip.compress(lines.encode()))
    said = run(tmp_path, "trace.gz", "--out", "new/folder")
    distinct = len(set(lines.split()))
    assert f"3,000 links to {distinct:,} URLs" in said
    assert "Hits at 50,000" in said
    with (tmp_path / "new/folder/urlcache.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [rows[0]["size"], rows[-1]["size"]] == ["64", "1048576"]
    rates = [float(row["misses"]) for row in rows]
    assert rates[-1] == pytest.approx(distinct / 3000)
    assert rates[0] > rates[-1]
    assert [*(tmp_path / "new/folder").iterdir()] == [tmp_path / "new/folder/urlcache.csv"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "give one trace: scrapy urlcache TRACE"),
        (["a", "b"], "give one trace"),
        (["nowhere"], "cannot read nowhere (No such file or directory)"),
        (["."], "cannot read . (Is a directory)"),
        (["empty"], "empty has no URLs"),
        (["trace", "--out", "empty"], "cannot create the folder empty (File exists)"),
    ],
)
def test_a_mistake_gets_one_sentence(tmp_path: Path, arguments: list[str], part: str) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "trace").write_text("http://a/\n")
    message = run(tmp_path, *arguments, code=2)
    assert message.startswith("error: ")
    assert message.count("\n") == 1
    assert part in message
