"""``scrapy newsite`` and ``scrapy trysite`` on a list whose articles are files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from focuscrawl.demo import DemoServer, DemoWeb, Response
from focuscrawl.sites.site_profile import load_profile
from tests.commands.test_newsite import run
from tests.commands.test_newsite_pages import entries, page
from tests.files.made_files import pdf, workbook

HOST = "http://files.test"
SHEET = workbook([["企业", "价格(元/吨)"], ["寿光金玉米", 2360], ["诸城兴贸", 2370]])
SCANNED = pdf([], extra="q 595 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q")
LIST = page(entries(form='<li><a href="/{n}.pdf">{title}</a><span>2024-03-{day}</span></li>'))


class Files:
    """A list of price bulletins: PDF files and workbooks, of which one is scanned."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        number = path[1:].removesuffix(".pdf")
        if not number.isdigit():
            found = path == "/"
            return Response(200 if found else 404, {"Content-Type": "text/html"}, LIST.encode())
        odd = {"5": SCANNED, "2": SHEET}
        body = odd.get(number, pdf([(80, 100, f"山东寿光金玉米收购价236{number}元/吨")]))
        return Response(200, {"Content-Type": "application/octet-stream"}, body)


@pytest.fixture(scope="module")
def web() -> Iterator[DemoServer]:
    demo = DemoWeb(days=1)
    demo.sites["files.test"] = Files()  # type: ignore[assignment]
    with DemoServer(demo) as server:
        yield server


def test_entries_that_are_files_are_drafted_and_shown(web: DemoServer, tmp_path: Path) -> None:
    drafted = run(web, tmp_path, "newsite", f"{HOST}/", "--name", "mine").stdout
    assert "3 sample articles are files, which crawls read as well" in drafted
    assert "is a file (PDF) without text: scanned pages" in drafted
    assert load_profile(str(tmp_path / "sites/mine.yaml")).article.body is None
    tried = run(web, tmp_path, "trysite", "sites/mine.yaml", code=3).stdout
    assert "/2.pdf: Excel, 3 lines, 3 of them rows of tables\n  企业 | 价格(元/吨)" in tried
    one = run(web, tmp_path, "trysite", "sites/mine.yaml", f"{HOST}/1.pdf").stdout
    assert (
        one
        == f"{HOST}/1.pdf: PDF, 1 lines, 0 of them rows of tables\n  山东寿光金玉米收购价2361元/吨\n"
    )
    assert not [*tmp_path.rglob("*.db")]
