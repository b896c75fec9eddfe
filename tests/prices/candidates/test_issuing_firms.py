"""Firms that issue a text."""

from __future__ import annotations

import pytest

from focuscrawl.prices.candidates.quote_candidates import issuers
from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.quote_reader import read_document

PRICES = "水分14%：1.336元/斤\n水分15%：1.326元/斤\n"
FIRM = "弘兴玉米开发有限公司"


@pytest.mark.parametrize(
    ("title", "text", "where", "mention"),
    [
        (f"泰安{FIRM}收购价格通知", PRICES, "title", FIRM),
        ("", f"中储粮睢阳直属库即日起敞开收购：\n{PRICES}", "introduction", "中储粮睢阳直属库"),
        ("", f"{PRICES}泰安{FIRM}采购部", "closing", FIRM),
    ],
)
def test_a_firm_beside_the_prices(title: str, text: str, where: str, mention: str) -> None:
    document = read_document(text, title, load_aliases().names)
    ((subject, signs),) = issuers(document)
    assert (subject.mention, subject.kind) == (mention, "firm")
    assert signs == [f"issuer of {where}", "issuer firm"]


def test_an_issuer_that_speaks_of_itself() -> None:
    document = read_document(f"我公司调价：\n{PRICES}{FIRM}", "", load_aliases().names)
    ((_, signs),) = issuers(document)
    assert "issuer speaks" in signs


def test_a_text_without_a_firm_has_no_issuer() -> None:
    document = read_document(f"今日行情\n{PRICES}", "行情", load_aliases().names)
    assert issuers(document) == []
