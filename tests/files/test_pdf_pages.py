"""Text of PDF files."""

from __future__ import annotations

from focuscrawl.files.file_reading import Deadline
from focuscrawl.files.pdf_pages import read_pdf
from tests.files.made_files import pdf


def test_a_page_number_is_left_out_and_a_price_is_not() -> None:
    rows = [(80.0, 400.0, "山东寿光金玉米收购价"), (80.0, 790.0, "2360"), (290.0, 820.0, "- 3 -")]
    assert read_pdf(pdf(rows), Deadline(60)).text.split() == ["山东寿光金玉米收购价", "2360"]
