"""Another spreadsheet program opens the workbook and reads the same figures."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from focuscrawl.reports.workbook import write_workbook
from tests.reports.invented_quotes import invented_quotes, make_quote, make_stored

# Comma, quotation mark, UTF-8, from row 1, values as shown: no; every sheet to a file of its own.
CSV_OF_ALL_SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"


@pytest.fixture(scope="module")
def soffice() -> str:
    program = shutil.which("soffice")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("LibreOffice is missing: install libreoffice-calc")
        pytest.skip("LibreOffice is not installed (libreoffice-calc)")
    return program


def convert(soffice: str, path: Path, form: str) -> None:
    profile = (path.parent / "profile").as_uri()
    command = [soffice, "--headless", f"-env:UserInstallation={profile}", "--convert-to", form]
    done = subprocess.run(
        [*command, "--outdir", str(path.parent), str(path)],
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr


def test_matrix_comes_through(soffice: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.xlsx"
    formula = make_stored(make_quote(date(2026, 3, 2), 2500, entity="=1+1", region=""))
    quotes = [*invented_quotes(20), formula]
    write_workbook(path, quotes, [])
    convert(soffice, path, CSV_OF_ALL_SHEETS)
    with (tmp_path / "prices-价格矩阵.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    shown = {
        (row[2], date.fromisoformat(day)): float(cell)
        for row in rows
        for day, cell in zip(header[5:], row[5:], strict=True)
        if cell
    }
    assert shown == {
        (stored.quote.entity, stored.quote.date): float(stored.quote.price_yuan_per_ton_low) + 10
        for stored in quotes
    }
