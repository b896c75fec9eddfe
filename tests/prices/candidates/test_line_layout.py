"""How the names of a line stand to its figures."""

from __future__ import annotations

from focuscrawl.prices.candidates.line_layout import LineLayout
from focuscrawl.prices.names.price_subjects import SubjectMaker
from focuscrawl.prices.tokens.bulletin_words import lexicon
from focuscrawl.prices.tokens.line_tokens import tokenise

MOST = 40


def layout_of(text: str, most: int = MOST) -> LineLayout:
    tokens = tokenise(text, 0, len(text), lexicon())
    return LineLayout.of(tokens, SubjectMaker(text), most)


def test_parallel_clauses_have_the_same_relation() -> None:
    layout = layout_of("吉林长春1690元/吨,四平1700元/吨,白城1680元/吨")
    assert len(layout.figures) == 3
    assert layout.relations["place", "before", 0, 0] == 3
    siping = next(n for n in layout.names if n.text == "四平")
    signs = {*layout.signs(layout.figures[1], siping, layout.relations, 3)}
    assert {"relation of every in text", "relation of every in line"} <= signs
    assert "place nearest to 1" in {*layout.signs_for_all(siping)}
    assert "place relation of every in line" in signs


def test_a_name_before_two_prices_stands_differently_to_each() -> None:
    layout = layout_of("丰源淀粉14个水2300元/吨,15个水2280元/吨")
    firm = next(n for n in layout.names if n.family == "name")
    first, second = (layout.relation(i, firm) for i in layout.figures[-2:])
    assert first[2:] == (0, 0)
    assert second[2:] == (1, 1)


def test_names_behind_a_price_and_in_between() -> None:
    layout = layout_of("2130元/吨,丰源粮贸收")
    (index,) = layout.figures
    after = [n for n in layout.names if n.first > index]
    assert after
    assert layout.relation(index, after[0])[:2] == (after[0].family, "after")
    assert "behind, between comma" in {*layout.signs(index, after[0], layout.relations, 1)}


def test_a_line_of_very_many_figures_is_left_alone() -> None:
    layout = layout_of("1690元/吨,1700元/吨,1680元/吨", most=2)
    assert layout.figures == []
    assert layout.names == []


def test_a_line_that_begins_with_a_price_has_no_name_before_it() -> None:
    assert {*layout_of("2130元/吨,丰源粮贸收").missing_before_first_figure()} == {
        f"no {family} before the first figure" for family in ("name", "place", "goods", "run")
    }
    missing = {*layout_of("丰源粮贸2130元/吨").missing_before_first_figure()}
    assert "no name before the first figure" not in missing
