"""Quotes read from files against those read from the same texts, and times and memory by format.

The texts are the hand-labelled ones of ``../shared/labels``, written as PDF (by Chromium, with one and two
columns, headers and footers, and by LibreOffice Calc), DOCX, XLSX, XLS and CSV:
``python -m benchmarks.files``. With folders as arguments, other people's files in them are read instead.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import docx
import openpyxl

from focuscrawl.files.file_reading import read_file
from focuscrawl.prices.quote_reader import read_quotes
from focuscrawl.text.file_kinds import kind_of_file

LABELS = Path(__file__).resolve().parents[2] / "shared/labels"
PRICES = ("price_yuan_per_ton_low", "price_yuan_per_ton_high")
Text = tuple[str, str, str]  # id, title, text
SECONDS = 60.0
STYLE = "body{font:11pt 'Noto Serif CJK SC'}td{border:1px solid}.plain td{border:0}"
CHROMIUM = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")


def main() -> None:
    if folders := sys.argv[1:]:
        read_foreign(folders)
        return
    texts = list(labelled())
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        print(f"{len(texts)} texts; format: F1, precision, recall, seconds a file")
        report(place, "text", {url: text for url, _, text in texts}, texts, 0.0)
        for name, files in written(place, texts).items():
            begin = time.process_time()
            found = {url: text_of(file) for url, file in files.items()}
            seconds = (time.process_time() - begin) / len(files)
            report(place, name, found, texts, seconds)


def labelled() -> Iterator[tuple[str, str, str]]:
    with (LABELS / "web3_texts.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            yield row["source_id"], row["title"], row["text"]


def report(
    folder: Path, name: str, found: dict[str, str], texts: Sequence[Text], seconds: float
) -> None:
    predictions = folder / "predictions.csv"
    with predictions.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["source_id", "mention", *PRICES])
        for key, title, _ in texts:
            for quote in read_quotes(found[key], title=title):
                rows.writerow([key, quote.mention, *(getattr(quote, price) for price in PRICES)])
    command = [
        sys.executable,
        LABELS / "score.py",
        LABELS / "truth_web3.csv",
        predictions,
        "--json",
    ]
    said = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["all"]
    print(
        f"{name:12} {said['f1']:.3f} {said['precision']:.3f} {said['recall']:.3f} {seconds:.2f}",
        flush=True,
    )


def text_of(file: Path) -> str:
    body = file.read_bytes()
    return read_file(body, kind_of_file(body) or "CSV", SECONDS).text


def written(folder: Path, texts: Sequence[Text]) -> dict[str, dict[str, Path]]:
    """Write the texts in all formats; return the files by format and URL."""
    formats: dict[str, dict[str, Path]] = {}
    for number, (url, title, text) in enumerate(texts):
        grid = [cells_of(line) for line in text.split("\n")]
        stem = folder / f"{number:03}"
        formats.setdefault("docx", {})[url] = write_word(stem.with_suffix(".docx"), title, grid)
        formats.setdefault("xlsx", {})[url] = write_sheet(stem.with_suffix(".xlsx"), grid)
        for name, style in (("pdf", ""), ("pdf-plain", "plain"), ("pdf-columns", "columns")):
            formats.setdefault(name, {})[url] = print_page(folder, number, name, title, grid, style)
    sheets = [str(file) for file in formats["xlsx"].values()]
    for name, kind in (
        ("xls", "xls"),
        ("csv", "csv:Text - txt - csv (StarCalc):44,34,85"),
        ("calc-pdf", "pdf"),
    ):
        out = folder / name
        command = ["soffice", "--headless", "--convert-to", kind, "--outdir", str(out), *sheets]
        subprocess.run(command, check=True, capture_output=True, timeout=500)
        suffix = kind.partition(":")[0]
        formats[name] = {url: out / f"{n:03}.{suffix}" for n, (url, _, _) in enumerate(texts)}
    return formats


def cells_of(line: str) -> list[str]:
    cells = line.split("\t") if "\t" in line else line.strip("| ").split(" | ")
    return [cell.strip() for cell in cells]


def write_word(file: Path, title: str, grid: Sequence[Sequence[str]]) -> Path:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "某某农产品信息网 内部资料"
    document.add_heading(title)
    for is_table, rows in blocks(grid):
        if not is_table:
            for row in rows:
                document.add_paragraph(row[0])
            continue
        table = document.add_table(len(rows), max(map(len, rows)))
        for line, row in zip(table.rows, rows, strict=True):
            for cell, text in zip(line.cells, row, strict=False):
                cell.text = text
    document.save(str(file))
    return file


def write_sheet(file: Path, grid: Sequence[Sequence[str]]) -> Path:
    book = openpyxl.Workbook()
    for row in grid:
        book.worksheets[0].append(
            [float(c) if c.replace(".", "", 1).isdecimal() else c for c in row]
        )
    book.save(file)
    return file


def print_page(
    folder: Path, number: int, name: str, title: str, grid: Sequence[Sequence[str]], style: str
) -> Path:
    parts = [f"<h1>{escape(title)}</h1>"]
    for is_table, rows in blocks(grid):
        if is_table:
            lines = ("".join(f"<td>{escape(cell)}" for cell in row) for row in rows)
            parts.append(f"<table cellspacing=0 cellpadding=4><tr>{'<tr>'.join(lines)}</table>")
        else:
            parts += [f"<p>{escape(row[0])}</p>" for row in rows]
    columns = "column-count:2;column-gap:2.5em" if style == "columns" else ""
    page = folder / f"{name}-{number:03}.html"
    head = f"<meta charset=utf-8><style>{STYLE}</style>"
    page.write_text(f"{head}<body class='{style}' style='{columns}'>{''.join(parts)}", "utf-8")
    out = page.with_suffix(".pdf")
    subprocess.run(
        [*CHROMIUM, f"--print-to-pdf={out}", page.as_uri()], check=True, capture_output=True
    )
    return out


def blocks(grid: Sequence[Sequence[str]]) -> Iterator[tuple[bool, list[Sequence[str]]]]:
    """Yield the tables and the paragraphs between them."""
    run: list[Sequence[str]] = []
    for row in [*grid, []]:
        if run and (len(row) > 1) != (len(run[0]) > 1):
            yield len(run[0]) > 1, run
            run = []
        if row:
            run.append(row)
    if run:
        yield len(run[0]) > 1, run


def read_foreign(folders: Sequence[str]) -> None:
    for folder in folders:
        for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            body = file.read_bytes()
            begin = time.process_time()
            found = read_file(body, kind_of_file(body) or "CSV", SECONDS)
            seconds = time.process_time() - begin
            said = ", ".join(found.lacks) or "whole"
            print(
                f"{file.name:40} {found.kind:6} {len(found.text):8} characters {seconds:6.2f} s  {said}"
            )


if __name__ == "__main__":
    main()
