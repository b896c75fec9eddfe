"""Links: of plain addresses only, one for the rows that share it, and not too many."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest

from focuscrawl.reports.sheets import hyperlinks
from focuscrawl.reports.sheets.worksheets import is_target
from focuscrawl.reports.workbook import write_workbook
from tests.reports.invented_quotes import make_quote, make_stored


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example:8443/x?a=1&b=%E7%8E%89#c", True),
        ("http://[::1]/x", True),
        ("", False),
        ("javascript:alert(1)", False),
        ("http://", False),
        ("http://a.example/玉米", False),
        ('http://a.example/"', False),
        ("http://a.example/\n", False),
        ("http://a.example/" + "a" * 2100, False),
    ],
)
def test_plain_addresses_of_pages_are_targets(url: str, expected: bool) -> None:
    assert is_target(url) is expected


def links(path: Path, urls: list[str]) -> dict[str, str]:
    write_workbook(path, [make_stored(make_quote(), article_url=url) for url in urls], [])
    sheet = openpyxl.load_workbook(path)["报价明细"]
    return {cell.coordinate: cell.hyperlink.target for (cell,) in sheet["Y2:Y9"] if cell.hyperlink}


def test_rows_in_a_row_share_a_link(tmp_path: Path) -> None:
    a, b = "http://a.example/1", "http://b.example/?x=1&y=2"
    found = links(tmp_path / "x.xlsx", [a, a, b, "=1+1", b, a])
    assert found == {"Y2": a, "Y3": a, "Y4": b, "Y6": b, "Y7": a}
    with zipfile.ZipFile(tmp_path / "x.xlsx") as archive:
        xml = archive.read("xl/worksheets/sheet4.xml").decode()
    assert xml.count("<hyperlink ") == 4


def test_the_last_links_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyperlinks, "MAX_LINKS", 2)
    urls = [f"http://a.example/{number}" for number in range(5)]
    assert links(tmp_path / "x.xlsx", urls) == {"Y5": urls[3], "Y6": urls[4]}
