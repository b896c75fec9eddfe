"""The model of the confidence of quotes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.prices import read_quotes
from focuscrawl.prices.confidence.price_model import FORMAT, PriceModel, as_text, load_model
from focuscrawl.prices.confidence.reading_models import SignModel, WordModel
from focuscrawl.prices.confidence.text_network import Sizes, TextNetwork, shapes

# Without "carried" 1.0; with it -1.0, or with "old" too -3.0.
TREE = [
    ["carried", 1, 2, 0.0],
    ["", 0, 0, 1.0],
    ["old", 3, 4, -2.0],
    ["", 0, 0, -1.0],
    ["", 0, 0, -3.0],
]
NETWORK = TextNetwork(
    "元报",
    {
        name: np.linspace(-1, 1, math.prod(shape), dtype=np.float32).reshape(shape)
        for name, shape in shapes(2, Sizes(2, 3, 4)).items()
    },
)
MODEL = PriceModel(
    0.5, [TREE], 0.8, 0.4, frozenset({"某某粮贸"}), {"texts": 3}, weights={"mine": 0.25},
    calibration=(0.1, 0.9, 0.2, 0.3, 0.4), network=NETWORK, fusion=(0.8, 0.5, 0.25, 0.1),
    goods=SignModel(0.1, [TREE], weights={"mine": 0.5}),
    units=SignModel(0.2, [TREE]), doubts=SignModel(0.0, [TREE]),
    text_words={"玉米": WordModel(-1.0, {"潮粮": 3.0})},
)  # fmt: skip


@pytest.mark.parametrize(
    ("signs", "log_odds"),
    [((), 1.5), (("old",), 1.5), (("carried",), -0.5), (("carried", "old", "mine"), -2.25)],
)
def test_log_odds_follow_the_tree_and_the_weights(signs: tuple[str, ...], log_odds: float) -> None:
    assert MODEL.log_odds([signs, signs[::-1]]) == pytest.approx([log_odds] * 2)


def test_reasons_add_up_to_the_log_odds() -> None:
    reasons = dict(SignModel.reasons(MODEL, ("carried", "mine")))
    assert reasons == {"carried": -2.0, "no old": 1.0, "mine": 0.25}
    assert (
        sum(reasons.values()) + MODEL.start + TREE[0][3] == MODEL.log_odds([("carried", "mine")])[0]
    )


def test_a_file_gives_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(as_text(MODEL), "utf-8")
    assert as_text(load_model(str(path))) == as_text(MODEL)


def test_the_model_that_ships_trusts_plain_prices_more_than_mentioned_ones() -> None:
    model = load_model()
    assert model.card["texts"] > 100
    assert 0 < model.least < model.threshold < 1
    plain = read_quotes("寿光金玉米收购价2272元/吨，诸城兴贸2280元/吨，英轩实业2276元/吨。")
    assert [quote.flag for quote in plain] == ["", "", ""]
    told = read_quotes("港口跟着松动，有人喊2290元/吨也没成交，深加工还是2250元/吨左右。")
    assert told[0].flag.startswith("可信度")
    assert told[0].confidence < min(quote.confidence for quote in plain)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "has format None"),
        (
            json.dumps({"format": FORMAT + 1}),
            f"has format {FORMAT + 1}, this version reads {FORMAT}",
        ),
        (json.dumps({"format": FORMAT}), "is damaged"),
        (as_text(MODEL).replace("[0,1,2,", "[0,0,2,"), "is damaged"),
        (as_text(MODEL).replace("[0,1,2,", "[0,1,9,"), "is damaged"),
        (as_text(MODEL).replace("[0,1,2,", "[7,1,2,"), "is damaged"),
        (as_text(MODEL).replace("-3.0", "NaN"), "is damaged"),
        (as_text(MODEL).replace("[0.1,0.9,0.2,0.3,0.4]", "[0.1,0.9]"), "is damaged"),
        (as_text(MODEL).replace('"figure bias"', '"other"'), "is damaged"),
        (as_text(MODEL).replace('"characters":"元报"', '"characters":"元"'), "is damaged"),
        (as_text(MODEL).replace('"shape":[4,4]', '"shape":[4,5]'), "is damaged"),
        (as_text(MODEL).replace('"bytes":"', '"bytes":"?'), "is damaged"),
        (as_text(MODEL).replace('"scale":[', '"scale":[NaN,'), "is damaged"),
        (as_text(MODEL).replace("[0.8,0.5,0.25,0.1]", "[0.8]"), "is damaged"),
    ],
)
def test_another_file_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "model.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ArgumentError, match=complaint) as caught:
        load_model(str(path))
    assert "scrapy train prices" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"Cannot read the price model .*none\.json"):
        load_model(str(tmp_path / "none.json"))
