"""What is behind the cap of a reader is not read, so that no page is too large for it."""

from __future__ import annotations

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.pages.canonical_urls import LONGEST_URL, resolve
from focuscrawl.policy.crawler_traps import LONG_URL, Traps
from focuscrawl.prices import read_quotes
from focuscrawl.prices.tokens import line_tokens as limits
from focuscrawl.search.search_query import LONGEST_QUERY, read_query
from focuscrawl.templates.extraction import read_page
from focuscrawl.templates.extraction.value_readers import read_typed
from focuscrawl.templates.template_model import FieldType, load_template
from focuscrawl.text.main_text import LONGEST_PAGE, main_text
from focuscrawl.text.normal_form import normal_form

FIELDS = load_template("contacts").fields
PHONE = "<p>电话：0571-88001234</p>"


@pytest.mark.parametrize(
    "before",
    ["<p>一段文字。" * 20_000, "<p>一" * 7_000, "<i></i>" * 160_000, "一段文字。" * 30_000],
)
def test_contacts_behind_the_cap_are_not_read(before: str) -> None:
    assert "phone" in read_page(f"{before[:5000]}{PHONE}", "", FIELDS).values
    assert "phone" not in read_page(f"{before}{PHONE}", "", FIELDS).values


def test_description_is_read_to_its_cap() -> None:
    page = '<meta name=description content="{}电话：0571-88001234">'
    assert "phone" in read_page(page.format("好，" * 100), "", FIELDS).values
    assert "phone" not in read_page(page.format("好，" * 5_000), "", FIELDS).values


def test_address_is_read_to_its_cap() -> None:
    text = f"杭州市文三路100号{'甲乙丙丁' * 1_000}"
    (value,) = read_typed(FieldType.ADDRESS, text, labelled=True)
    assert len(value.value) <= 500


def test_main_text_is_read_to_its_cap() -> None:
    text = f"<p>{'玉米价格上涨。' * 100}</p>"
    page = f"<html><body>{text}<!--{' ' * LONGEST_PAGE}--><p>小麦{'价格上涨。' * 100}</p>"
    assert "玉米" in main_text(page, "")
    assert "小麦" not in main_text(page, "")


def test_long_queries_and_urls_are_refused() -> None:
    with pytest.raises(ArgumentError, match="at most 500"):
        read_query("猫" * (LONGEST_QUERY + 1))
    assert resolve("http://firm.test/", "a" * (LONGEST_URL + 1)) is None
    assert Traps().refusal("http://firm.test/" + "a" * 1_000, 1) == LONG_URL


def test_long_clauses_end_as_with_a_comma() -> None:
    filler = "了" * (2 * limits.MOST_TOKENS)
    (quote,) = read_quotes(f"寿光金玉米{filler}，玉米收购价0.85元/斤。")
    (same,) = read_quotes(f"寿光金玉米{filler}玉米收购价0.85元/斤。")
    assert (same.price_low, same.mention) == (quote.price_low, quote.mention)


def test_a_price_has_few_subjects_and_a_subject_few_places() -> None:
    text = f"{'山东、' * 100}山东1元/斤，{'1.1元/斤，' * 50}"
    assert len(read_quotes(text)) <= 51 * limits.MOST_SUBJECTS
    (quote,) = read_quotes(f"玉米{'山东省潍坊市' * 50}收购价1元/斤。")
    assert len(quote.region) <= 8 * limits.MOST_PLACES


def test_a_run_of_combining_marks_is_composed_in_parts() -> None:
    text = "e" + "\u0301\u0316" * 1_000
    assert normal_form(normal_form(text)) == normal_form(text)
    assert normal_form("e\u0316\u0301") == "\u00e9\u0316"
