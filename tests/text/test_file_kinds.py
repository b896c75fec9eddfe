from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.text.file_kinds import kind_of_address, kind_of_file, kind_of_type

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


@pytest.mark.parametrize(
    ("body", "media_type", "kind"),
    [
        (b"%PDF-1.4 ...", "text/html", "PDF"),
        (b"\xef\xbb\xbf\r\n%PDF-1.7", "", "PDF"),
        (zipped("[Content_Types].xml", "word/document.xml"), "application/octet-stream", "Word"),
        (zipped("xl/workbook.xml"), "text/html", "Excel"),
        (zipped("ppt/slides.xml"), "", "PowerPoint"),
        (zipped("a.txt"), "", "ZIP"),
        (OLE + "WordDocument".encode("utf-16-le"), "", "Word"),
        (OLE + "Workbook".encode("utf-16-le"), "", "Excel"),
        (OLE, "application/vnd.ms-powerpoint", "PowerPoint"),
        (OLE, "", "Office"),
        (b"Rar!\x1a\x07", "", "RAR"),
        (b"\x89PNG\r\n", "text/html", "picture"),
        (bytes(4) + b"ftypmp42", "", "media"),
        (b"", "application/pdf", "PDF"),
        (b"<html><title>1</title>", "application/pdf", ""),
        ("今日玉米".encode(), "text/html", ""),
        (b'{"a": 1}', "application/json", ""),
        (b"", "", ""),
    ],
)
def test_kinds(body: bytes, media_type: str, kind: str) -> None:
    assert kind_of_file(body, media_type) == kind


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("application/PDF; charset=x", "PDF"),
        (
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "Excel",
        ),
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "Word",
        ),
        ("application/vnd.ms-excel", "Excel"),
        ("image/jpeg", "picture"),
        ("image/svg+xml", ""),
        ("text/html", ""),
        ("application/xhtml+xml", ""),
        ("application/octet-stream", ""),
    ],
)
def test_kinds_of_media_types(media_type: str, kind: str) -> None:
    assert kind_of_type(media_type) == kind


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("/f/1.PDF", "PDF"),
        ("/pdfjs/web/viewer.html?file=%2Ff%2F6.pdf#page=1", "PDF"),
        ("https://view.example/op?src=http://a.test/1.docx&x=1", "Word"),
        ("/1.xls", "Excel"),
        ("/map.html", ""),
        ("/1.pdf.html", ""),
        ("/pdf/show?id=1", ""),
        ("", ""),
    ],
)
def test_kinds_of_addresses(url: str, kind: str) -> None:
    assert kind_of_address(url) == kind


@given(st.text(min_size=1))
def test_a_page_is_no_file(text: str) -> None:
    assert kind_of_file(f"<p>{text}".encode("utf-8", "replace"), "text/html") == ""
