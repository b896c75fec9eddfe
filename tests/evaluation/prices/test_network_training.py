"""Training of the network that reads the characters of a text."""

from __future__ import annotations

import numpy as np
import pytest

from focuscrawl.evaluation.prices import network_training
from focuscrawl.evaluation.prices.network_training import (
    NetworkText,
    slopes_of,
    trained_network,
)
from focuscrawl.prices.confidence.text_network import (
    FigureInText,
    Sizes,
    TextNetwork,
    shapes,
)

PLAIN = "寿光金玉米报2270元/吨，涨10元，诸城兴贸2.15元/斤"
TEXT = NetworkText(
    PLAIN,
    [
        FigureInText(6, 10, ["寿光金玉米", "金玉米", "山东"]),
        FigureInText(15, 17, ["寿光金玉米"]),
        FigureInText(23, 27, ["诸城兴贸", "寿光金玉米"]),
    ],
    [True, False, None],
    [[True, False, None], [False], [True, False]],
)


def loss_of(network: TextNetwork, texts: list[NetworkText]) -> float:
    """Return the loss, figure by figure."""
    quotes, names = [], []
    for text in texts:
        odds = network.odds(text.plain, text.figures)
        ends = np.cumsum([len(figure.names) for figure in text.figures])[:-1]
        parts = zip(
            odds.figures, text.are_quotes, np.split(odds.names, ends), text.are_right, strict=True
        )
        for of_figure, is_quote, of_names, are_right in parts:
            if is_quote is not None:
                quotes.append(np.logaddexp(0, of_figure) - is_quote * of_figure)
            if True in are_right:
                told = [
                    x
                    for x, is_right in zip(of_names, are_right, strict=True)
                    if is_right is not None
                ]
                right = [x for x, is_right in zip(of_names, are_right, strict=True) if is_right]
                names.append(np.logaddexp.reduce(told) - np.logaddexp.reduce(right))
    return float(np.mean(quotes) + np.mean(names))


def test_slopes_are_those_of_the_loss() -> None:
    """Compared with differences of the loss, in double precision."""
    assert [PLAIN[f.start : f.end] for f in TEXT.figures] == ["2270", "10", "2.15"]
    random = np.random.default_rng(1)
    characters = "".join(sorted({c for c in PLAIN if not c.isdecimal()}))
    weights = {
        name: random.normal(0, 0.1, shape)
        for name, shape in shapes(len(characters), Sizes(5, 6, 7)).items()
    }
    network = TextNetwork(characters, weights)  # type: ignore[arg-type]
    slopes = slopes_of(network, [TEXT, TEXT])
    for name, values in weights.items():
        flat, own = values.reshape(-1), slopes[name].reshape(-1)
        for at in (*np.argsort(-np.abs(own))[:2], *random.integers(0, len(flat), 2)):
            before, losses = flat[at], []
            for step in (1e-6, -1e-6):
                flat[at] = before + step
                losses.append(loss_of(network, [TEXT, TEXT]))
            flat[at] = before
            assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(own[at], abs=1e-5), name


def test_a_network_learns_which_figures_are_prices_and_whose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The owner is the name before 收, and what follows 涨 is no price."""
    monkeypatch.setattr(network_training, "_WARM_UP", 5)
    names = ["金玉米", "西王糖", "兴贸厂", "盛泰库", "鲁洲站", "英轩行"]
    texts = []
    for number in range(90):
        owner, other = names[number % 6], names[(number * 5 + 1) % 6]
        if owner == other:
            continue
        plain = f"{owner}收，{other}看，2{number % 10}70元，涨1{number % 7}元"
        first, second = plain.index("2"), plain.index("涨") + 1
        texts.append(
            NetworkText(
                plain,
                [
                    FigureInText(first, first + 4, [owner, other]),
                    FigureInText(second, second + 2, [owner]),
                ],
                [True, False],
                [[True, False], [False]],
            )
        )
    network = trained_network(texts[:50], rounds=20)
    assert network is not None
    for text in texts[50:]:
        odds = network.odds(text.plain, text.figures)
        assert odds.figures[0] > 0 > odds.figures[1]
        assert odds.names[0] > odds.names[1]


def test_no_figures_give_no_network() -> None:
    assert trained_network([]) is None
