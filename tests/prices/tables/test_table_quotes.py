"""Rows of tables: the roles of their columns."""

from __future__ import annotations

from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.quote_reader import read_document


def roles(text: str, title: str = "玉米价格") -> dict[str, str]:
    """Return the roles of the columns of the figures of a text; a figure stands once in it."""
    document = read_document(text, title, load_aliases().names)
    words = {start: document.plain[start:].split()[0] for start in document.columns}
    found = {words[start]: role for start, role in document.columns.items()}
    return {word: role for word, role in found.items() if any(map(str.isdigit, word))}


def test_each_figure_of_a_row_has_the_role_of_its_column() -> None:
    text = "地区\t水分\t今日价\t昨日价\t涨跌\t成交量\n四平\t14%\t2210\t2200\t10\t350\n"
    assert roles(text) == {
        "14%": "moisture",
        "2210": "price",
        "2200": "old",
        "10": "change",
        "350": "skip",
    }


def test_figures_of_a_row_without_a_head_have_no_known_role() -> None:
    assert roles("四平\t2210\t16\n") == {"2210": "unknown", "16": "unknown"}


def test_figures_of_heads_are_no_prices() -> None:
    assert roles("地区\t15水潮粮\n四平\t1650\n") == {"15水潮粮": "head", "1650": "price"}


def test_figures_of_running_text_have_no_column() -> None:
    assert roles("今日四平玉米2210元/吨，比昨日涨10元。") == {}


def test_a_row_of_old_prices_has_old_prices() -> None:
    text = "四平\t2210元/吨\n去年同期\t2105元/吨\n"
    assert roles(text) == {"2210元/吨": "unknown", "2105元/吨": "old"}


def test_stacked_cells_have_the_roles_of_their_columns() -> None:
    text = "地区\n今日价\n昨日价\n四平\n2210\n2200\n通化\n2230\n2225\n"
    assert roles(text) == {"2210": "price", "2200": "old", "2230": "price", "2225": "old"}
