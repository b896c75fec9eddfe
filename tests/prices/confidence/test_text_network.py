"""The network that reads the characters of a text."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.prices.confidence.text_network import (
    FIRST_CHARACTER,
    FigureInText,
    Odds,
    Sizes,
    TextNetwork,
    encoded,
    shapes,
)

CHARACTERS = "元吨报收涨价，。"


def network(seed: int = 0) -> TextNetwork:
    """Return a small network with weights at random."""
    random = np.random.default_rng(seed)
    return TextNetwork(
        CHARACTERS,
        {
            name: random.normal(0, 0.5, shape).astype(np.float32)
            for name, shape in shapes(len(CHARACTERS), Sizes(4, 6, 5)).items()
        },
    )


def figures_of(plain: str, names: list[str]) -> list[FigureInText]:
    return [FigureInText(*m.span(), names) for m in re.finditer(r"[0-9.]+", plain)]


def test_numbers_are_one_piece_told_by_their_digits() -> None:
    characters = {"元": FIRST_CHARACTER, "报": FIRST_CHARACTER + 1}
    codes, places = encoded("报2270元1.15元X", characters)
    assert places.tolist() == [0, 1, 1, 1, 1, 2, 3, 3, 3, 3, 4, 5, 6]
    assert codes[0] == FIRST_CHARACTER + 1
    assert codes[2] == codes[4] == FIRST_CHARACTER
    assert codes[5] == 1
    assert encoded("3456", characters)[0] == [codes[1]]
    assert encoded("9.5", characters)[0] == [codes[3]]
    assert encoded("12.5", characters)[0] != [codes[3]]


def test_a_figure_is_judged_alike_beside_others() -> None:
    plain = "寿光金玉米报2270元/吨，诸城兴贸收2.15元/斤。\n潍坊2300"
    figures = figures_of(plain, ["寿光金玉米", "诸城兴贸", "山东"])
    together = network().odds(plain, figures)
    alone = [network().odds(plain, [figure]) for figure in figures]
    assert together.figures == pytest.approx([one.figures[0] for one in alone], abs=1e-4)
    assert together.names == pytest.approx(np.concatenate([one.names for one in alone]), abs=1e-4)


def test_long_texts_are_read_in_pieces() -> None:
    plain = "".join(f"金玉米{n}报{2000 + n}元，" + "涨价。" * (n % 90) for n in range(150))
    figures = figures_of(plain, ["金玉米", "元"])
    whole = network().odds(plain, figures)
    assert len(whole.figures) == len(figures)
    alone = [network().odds(plain, [figure]) for figure in figures]
    assert whole.figures == pytest.approx([one.figures[0] for one in alone], abs=1e-4)
    assert whole.names == pytest.approx(np.concatenate([one.names for one in alone]), abs=1e-4)


def test_what_stands_around_tells_and_what_is_far_away_does_not() -> None:
    def odds(plain: str) -> Odds:
        return network().odds(plain, figures_of(plain, ["金玉米"])[:1])

    assert odds("金玉米报2270元").figures[0] != odds("金玉米涨2270元").figures[0]
    assert odds("金玉米报2270元").names[0] != odds("金玉米，2270元").names[0]
    assert (
        odds("金玉米报2270元" + "。" * 90).figures
        == odds("金玉米报2270元" + "。" * 90 + "涨").figures
    )


def test_a_name_that_does_not_stand_before_its_figure_is_read_alone() -> None:
    figures = figures_of("报2270元", ["价收"])
    behind = network().odds("报2270元" + "。" * 20 + "价收", figures)
    elsewhere = network().odds("报2270元" + "。" * 22, figures)
    assert behind.names == pytest.approx(elsewhere.names, abs=1e-5)


@given(
    st.text("元吨报12.，\n涨米", max_size=60), st.lists(st.text("元米报1", min_size=1), max_size=3)
)
def test_any_text_is_read(plain: str, names: list[str]) -> None:
    figures = [FigureInText(*m.span(), names) for m in re.finditer("[0-9]+", plain)]
    if figures:
        odds = network().odds(plain, figures)
        assert len(odds.figures) == len(figures)
        assert len(odds.names) == len(figures) * len(names)
        assert np.isfinite([*odds.figures, *odds.names]).all()


def test_weights_of_a_byte_are_stored_as_they_are() -> None:
    stored = TextNetwork.of_row(network().row())
    for name, values in network().weights.items():
        least = float(np.abs(values).max()) / 100
        assert stored.weights[name] == pytest.approx(values, abs=least)
    assert TextNetwork.of_row(stored.row()).row() == stored.row()
