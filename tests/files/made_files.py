"""Files made for tests: a PDF with Chinese text, which needs no font, a Word file and a workbook."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import docx
import openpyxl

Printed = tuple[float, float, str] | tuple[float, float, str, float]
_FONT = (
    "<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts"
    "[<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000/W[1 95 500]/CIDSystemInfo"
    "<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>/FontDescriptor<</Type/FontDescriptor/FontName"
    "/STSong-Light/Flags 6/FontBBox[0 -120 1000 880]/Ascent 880/Descent -120>>>>]>>"
)


def pdf(
    *pages: Sequence[Printed], lines: Sequence[tuple[float, ...]] = (), extra: str = ""
) -> bytes:
    """Return a PDF of A4 pages with texts at x, y (from the top) and ruled lines on each of them."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "", _FONT]
    kids = []
    for page in pages:
        ruled = [f"{x0} {842 - y0} m {x1} {842 - y1} l S" for x0, y0, x1, y1 in lines]
        drawn = [_shown(*printed) for printed in page]
        content = "\n".join([*ruled, *drawn, extra])
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {len(objects)} 0 R"
            "/Resources<</Font<</F 3 0 R>>>>>>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>"
    return _document(objects)


def _shown(x: float, y: float, text: str, size: float = 10) -> str:
    return f"BT /F {size} Tf {x} {842 - y} Td <{text.encode('utf-16-be').hex()}> Tj ET"


def _document(objects: Sequence[str]) -> bytes:
    out, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj {text}\nendobj\n".encode()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return out + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}{end}".encode()


def ruled(xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, ...]]:
    """Return the lines of a grid."""
    return [(xs[0], y, xs[-1], y) for y in ys] + [(x, ys[0], x, ys[-1]) for x in xs]


def word(*parts: str | list[list[str]], header: str = "") -> bytes:
    """Return a Word file of paragraphs and tables."""
    document: Any = docx.Document()
    document.sections[0].header.paragraphs[0].text = header
    for part in parts:
        if isinstance(part, str):
            document.add_paragraph(part)
            continue
        table = document.add_table(len(part), len(part[0]))
        for row, texts in zip(table.rows, part, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def workbook(rows: Sequence[Sequence[object]], merged: Sequence[str] = ()) -> bytes:
    """Return an XLSX file with one sheet."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in rows:
        sheet.append(list(row))
    for cells in merged:
        sheet.merge_cells(cells)
    file = BytesIO()
    book.save(file)
    return file.getvalue()
