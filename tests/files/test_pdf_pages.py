"""Text of PDF files."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from focuscrawl.files.file_reading import Deadline
from focuscrawl.files.pdf_pages import read_pdf
from tests.files.made_files import Printed, pdf


def test_a_page_number_is_left_out_and_a_price_is_not() -> None:
    rows = [(80.0, 400.0, "山东寿光金玉米收购价"), (80.0, 790.0, "2360"), (290.0, 820.0, "- 3 -")]
    assert read_pdf(pdf(rows), Deadline(60)).text.split() == ["山东寿光金玉米收购价", "2360"]


def text_of(*pages: Sequence[Printed]) -> str:
    return read_pdf(pdf(*pages), Deadline(60)).text


@pytest.mark.parametrize("size", [3.0, 5.0, 7.0, 20.0])
def test_the_same_letter_twice_is_no_bold_one(size: float) -> None:
    text = "榆树1122元"
    assert text_of([(80, 100, text, size)]) == text
    assert text_of([(80, 100, text, size), (80 + 0.04 * size, 100, text, size)]) == text


def table(*rows: Sequence[tuple[float, str]]) -> str:
    """Return the text of rows of cells by their left sides, at 10 points."""
    cells = [(x, 100 + 14 * n, text) for n, row in enumerate(rows) for x, text in row]
    return text_of([*cells, (80, 60, "某市批发市场价格"), (80, 600, "以上价格仅供参考")])


def test_columns_without_lines_are_told_by_the_gaps_that_rows_share() -> None:
    goods = [("白菜", "玉田", "0.90", "稳"), ("土豆", "内蒙古", "10.80", "涨"), ("姜", "莱芜", "8.10", "跌"), ("葱", "章丘", "2.40", "稳")]  # fmt: skip
    # As spreadsheets are printed: numbers end where the next column begins, names reach into it.
    rows = [[(55, a), (118, b), (298 - 5.0 * len(c), c), (300, d)] for a, b, c, d in goods]
    head = [(55.0, "品名"), (118.0, "产地"), (222.0, "批发价(元/公斤)"), (300.0, "走势")]
    lines = table(head, *rows).split("\n")[1:-1]
    assert [line.split("\t") for line in lines] == [
        ["品名", "产地", "批发价(元/公斤)", "走势"], *map(list, goods)
    ]  # fmt: skip


def test_a_cell_that_is_too_long_costs_its_row_only() -> None:
    rows = [[(60.0, f"第{n}库"), (160.0, "玉米"), (260.0, f"{2100 + n}")] for n in range(14)]
    rows[5] = [(60.0, "中央储备粮某某直属库"), (162.0, "玉米"), (260.0, "2105")]
    lines = table(*rows).split("\n")[1:-1]
    assert [line.count("\t") for line in lines] == [2] * 14
    assert lines[13] == "第13库\t玉米\t2113"


@pytest.mark.parametrize("gap", [3.0, 5.0, 9.0])
def test_numbers_and_their_units_are_no_columns(gap: float) -> None:
    rows = [[(60.0, "寿光到厂价"), (150.0, "2360"), (170 + gap, "元/吨")] for _ in range(4)]
    assert set(table(*rows).split("\n")[1:-1]) <= {
        "寿光到厂价\t2360 元/吨",
        "寿光到厂价\t2360元/吨",
    }


def test_texts_without_common_columns_stay_lines() -> None:
    rows = [[(60.0 + 23 * n, "玉米稳"), (110.0 + 23 * n, "2360")] for n in range(5)]
    assert "\t" not in table(*rows)


def test_a_table_that_is_open_at_its_sides_keeps_the_columns_there() -> None:
    rows = [["企业", "水分", "价格"], ["寿光", "14%", "2360"], ["诸城", "15%", "2370"]]
    cells = [(x, 114 + 20 * n, t) for n, row in enumerate(rows) for x, t in zip((64, 164, 264), row, strict=True)]  # fmt: skip
    lines = [(60.0, y, 360.0, y) for y in (100, 120, 140, 160)] + [
        (x, 100, x, 160) for x in (160, 260)
    ]
    text = read_pdf(pdf(cells, lines=lines), Deadline(60)).text
    assert [line.split("\t") for line in text.split("\n")] == rows


@pytest.mark.parametrize("size", [450, 580])
def test_a_scanned_page_with_the_name_of_the_program_is_scanned(size: int) -> None:
    picture = f"q {size} 0 0 {size * 1.4} 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q"
    body = pdf([(400, 820, "扫描全能王 创建")], extra=picture)
    found = read_pdf(body, Deadline(60))
    assert (found.text, found.lacks) == ("扫描全能王 创建", ["scanned pages"])
    assert not read_pdf(pdf([(80, 100 + 20 * n, "玉米价格2360元") for n in range(9)], extra=picture), Deadline(60)).lacks  # fmt: skip


def test_numbers_beside_the_name_of_their_column_belong_to_it() -> None:
    goods = [("苹果", "洛川", "7.6"), ("梨", "砀山", "3.2"), ("蜜橘", "南丰", "4.0")]
    rows = [[(55.0, a), (139.0, b), (287.0, c)] for a, b, c in goods]
    lines = table([(55, "水果"), (139, "产地"), (209, "均价(元/公斤)")], *rows).split("\n")[1:-1]
    assert lines == ["水果\t产地\t均价(元/公斤)", *("\t".join(one) for one in goods)]


def test_a_date_with_gaps_between_numbers_and_chinese_is_one_cell() -> None:
    rows = [[(55.0, "11"), (67.0, "月"), (79.0, f"{n}"), (91.0, "日"), (160.0, f"23{n}")] for n in range(10, 15)]  # fmt: skip
    lines = table(*rows).split("\n")[1:-1]
    assert lines == [f"11月{n}日\t23{n}" for n in range(10, 15)]
