"""Command ``scrapy quotes``."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from focuscrawl.commands.quotes import COLUMNS, texts_of
from focuscrawl.errors import ArgumentError
from focuscrawl.prices.confidence.price_model import load_model
from tests.evaluation.prices.invented_texts import write_texts
from tests.servers import warm_scrapy

ROOT = Path(__file__).resolve().parents[2]
GOOD = {
    "source_id": "a1",
    "title": "玉米价格",
    "text": "梨树县玉米30水0.71-0.73元/斤，落1分；公主岭1580元/吨。",
}


def run(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[bytes]:
    done = warm_scrapy.run_bytes(["quotes", *map(str, arguments)], cwd=ROOT)
    assert done.returncode == code, done.stderr.decode()
    return done


def lines_file(folder: Path, *rows: object) -> Path:
    file = folder / "texts.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return file


def rows_of(content: bytes) -> list[dict[str, str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_writes_the_columns_of_the_labels(tmp_path: Path) -> None:
    out = tmp_path / "quotes.csv"
    run(
        lines_file(tmp_path, GOOD | {"url": "http://x.test/1", "date": "2017-01-11"}, ""), "-o", out
    )
    first, second = rows_of(out.read_bytes())
    assert list(first) == COLUMNS
    assert 0.5 < float(first.pop("confidence")) <= 1
    assert first == {
        "source_id": "a1",
        "article_url": "http://x.test/1",
        "date": "2017-01-11",
        "commodity": "玉米",
        "mention": "梨树县",
        "entity": "梨树县",
        "region": "",
        "price_low": "0.71",
        "price_high": "0.73",
        "unit": "yuan/jin",
        "price_yuan_per_ton_low": "1420",
        "price_yuan_per_ton_high": "1460",
        "moisture": "30水",
        "condition": "",
        "change": "-0.01",
        "primary": "1",
        "span": "梨树县玉米30水0.71-0.73元/斤",
        "flag": "",
        "province": "吉林",
        "city": "四平",
        "county": "梨树",
        "entity_type": "place",
    }
    assert (second["mention"], second["price_low"], second["unit"]) == (
        "公主岭",
        "1580",
        "yuan/ton",
    )
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_standard_output(tmp_path: Path) -> None:
    done = run(lines_file(tmp_path, GOOD), "-o", "-")
    (first, _) = rows_of(done.stdout)
    assert first["article_url"] == "a1"
    assert first["date"] == ""
    assert done.stderr == b""


def test_the_papers_reader_and_own_aliases(tmp_path: Path) -> None:
    aliases = tmp_path / "firms.yaml"
    aliases.write_text("村口粮店: [恒仁工贸有限公司]\n", "utf-8")
    text = GOOD | {"text": "恒仁工贸有限公司玉米1580-1600元/吨"}
    done = run(lines_file(tmp_path, text), "--reader", "paper", "--aliases", aliases)
    (row,) = rows_of(done.stdout)
    assert (row["entity"], row["price_low"]) == ("村口粮店", "1590")
    settings = ("-s", "FOCUSCRAWL_READER=paper", "-s", f"FOCUSCRAWL_ALIASES={aliases}")
    assert rows_of(run(lines_file(tmp_path, text), *settings).stdout) == [row]
    refused = run(lines_file(tmp_path, text), *settings, "--explain", code=2).stderr.decode()
    assert refused == "error: --explain is for the reader rules, not paper; give --reader rules\n"


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("{not json", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "is not a JSON object"),
        (json.dumps({"source_id": "a", "title": "t"}), 'has no "text"'),
        (json.dumps({"source_id": "a", "text": "t"}), 'has no "title"'),
        (json.dumps({"title": "a", "text": "t"}), 'has no "source_id"'),
        (json.dumps(GOOD | {"text": 5}), 'needs text as its "text"'),
        (json.dumps(GOOD | {"date": "gestern"}), "has the date 'gestern'"),
        (json.dumps(GOOD | {"date": "2026-01-05junk"}), "has the date"),
    ],
)
def test_an_invalid_line_is_named(row: str, complaint: str) -> None:
    lines = [json.dumps(GOOD).encode(), b"", row.encode()]
    with pytest.raises(ArgumentError, match=re.escape(f"t.jsonl line 3 {complaint}")) as caught:
        list(texts_of(iter(lines), "t.jsonl"))
    assert "\n" not in str(caught.value)


def test_an_invalid_line_is_reported_and_nothing_is_written(tmp_path: Path) -> None:
    texts, out = lines_file(tmp_path, GOOD), tmp_path / "quotes.csv"
    out.write_text("kept", "utf-8")
    with texts.open("ab") as file:
        file.write('{"source_id": "玉米"}'.encode("gb18030"))
    said = run(texts, "-o", out, code=2).stderr.decode()
    assert "line 2 is not UTF-8" in said
    assert said.count("\n") == 1
    assert out.read_text("utf-8") == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["quotes.csv", "texts.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "Give one file of texts"),
        (("a", "b"), "Give one file of texts"),
        (("no-such-file.jsonl",), "Cannot read no-such-file.jsonl"),
        (("scrapy.cfg", "--reader", "magic"), "argument --reader: invalid choice: 'magic'"),
        (("scrapy.cfg", "--aliases", "none.yaml"), "Cannot read the alias file none.yaml"),
        (("scrapy.cfg", "-o", "no/such/folder/x.csv"), "Cannot write no/such/folder/x.csv"),
        (
            ("scrapy.cfg", "-s", "FOCUSCRAWL_PRICE_CONFIDENCE=high"),
            "'high' is no confidence; give a number from 0 to 1",
        ),
        (("scrapy.cfg", "-s", "FOCUSCRAWL_PRICE_CONFIDENCE=2"), "'2' is no confidence"),
        (
            ("scrapy.cfg", "-s", "FOCUSCRAWL_PRICE_MODEL=none.json"),
            "Cannot read the price model none.json",
        ),
    ],
)
def test_an_invalid_argument_is_reported_in_one_line(
    arguments: tuple[str, ...], complaint: str
) -> None:
    said = run(*arguments, code=2).stderr.decode()
    assert complaint in said
    assert said.count("\n") == 1


def test_an_explanation_of_each_quote(tmp_path: Path) -> None:
    said = run(lines_file(tmp_path, GOOD), "--explain").stdout.decode()
    assert said.startswith("a1: 梨树县 0.71-0.73 yuan/jin, 0.")
    assert " by rule\n" in said


def test_corrections_give_a_model_that_the_next_run_uses(tmp_path: Path) -> None:
    texts, labels = write_texts(tmp_path)
    model, out = tmp_path / "model.json", tmp_path / "quotes.csv"
    said = run(texts, "--correct", labels, "-o", model).stdout.decode()
    assert "64 corrected quotes of 64 texts: 64 were read right, now 64" in said
    assert f"use it with -s FOCUSCRAWL_PRICE_MODEL={model}\n" in said
    enough = re.search(r"price_confidence: ([\d.]+) in the site's profile is enough", said)
    assert enough
    assert load_model().least <= float(enough[1]) < load_model().threshold
    run(texts, "-o", out, "-s", f"FOCUSCRAWL_PRICE_MODEL={model}")
    assert len(rows_of(out.read_bytes())) == 64


def test_missing_corrections_are_reported_in_one_line(tmp_path: Path) -> None:
    said = run(lines_file(tmp_path, GOOD), "--correct", "none.csv", code=2).stderr.decode()
    assert "Cannot read none.csv" in said
    assert said.count("\n") == 1


def test_a_threshold_of_one_flags_all(tmp_path: Path) -> None:
    done = run(lines_file(tmp_path, GOOD), "-s", "FOCUSCRAWL_PRICE_CONFIDENCE=1")
    assert all(row["flag"].startswith("可信度") for row in rows_of(done.stdout))


ROW = {"source_id": "a", "title": "日报", "text": "山东潍坊玉米2280元/吨"}


def test_odd_cells(tmp_path: Path) -> None:
    """A range of a change, a text that looks like a formula, and halves of characters."""
    texts = lines_file(
        tmp_path,
        GOOD | {"text": "长春玉米1690元/吨，下跌6-22元/吨"},
        GOOD | {"source_id": "=1+1", "text": "梨树县玉米0.71元/斤，落1分"},
        json.dumps(ROW | {"source_id": "a\ud800", "title": "日报\udfff"}),
    )
    rows = rows_of(run(texts).stdout)
    assert [(row["source_id"], row["change"]) for row in rows] == [
        ("a1", "-22..-6"),
        ("'=1+1", "-0.01"),
        ("a\ufffd", ""),
    ]


def test_an_output_that_is_not_a_regular_file_is_written_directly(tmp_path: Path) -> None:
    texts, pipe = lines_file(tmp_path, ROW), tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        run(texts, "-o", pipe)
        content, _ = reader.communicate(timeout=60)
    assert pipe.is_fifo()
    assert len(rows_of(content)) == 1


def test_a_symbolic_link_is_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    link.symlink_to(real)
    run(lines_file(tmp_path, ROW), "-o", link)
    assert link.is_symlink()
    assert len(rows_of(real.read_bytes())) == 1


def test_the_input_is_never_the_output(tmp_path: Path) -> None:
    texts = lines_file(tmp_path, ROW)
    before = texts.read_bytes()
    link = tmp_path / "link"
    link.symlink_to(texts)
    for output in (texts, link):
        assert b"is the input" in run(texts, "-o", output, code=2).stderr
    assert texts.read_bytes() == before


@pytest.mark.parametrize("target", ["full", "closed"])
def test_a_write_error_of_standard_output_is_reported_in_one_line(
    tmp_path: Path, target: str
) -> None:
    texts = lines_file(tmp_path, *([ROW] * 5000))
    redirection = ">/dev/full" if target == "full" else ">&-"
    command = f"{sys.executable} -m scrapy quotes {texts} {redirection}"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
