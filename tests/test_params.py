from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.params import MaizeArguments, TitleFilter, parse_arguments


def parse(**given: str) -> MaizeArguments:
    return parse_arguments(MaizeArguments, given, "maize")


def test_arguments_are_read() -> None:
    arguments = parse(
        site="demo", since="2017-01-11", until="2017-02-01", max_pages="3", refresh="7"
    )
    assert arguments.since == date(2017, 1, 11)
    assert arguments.max_pages == 3
    assert arguments.refresh == 7
    assert parse(refresh="all").refresh == "all"
    assert parse(since="30d").since == date.today() - timedelta(days=30)
    assert parse(_job="scrapyd sets this").site == "yz88"


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"tittle": "玉米"}, ["no argument 'tittle'", "site, start_url, title, since, until"]),
        ({"since": "yesterday"}, ["since='yesterday'", "2017-01-31"]),
        ({"since": "2017-02-30"}, ["since=", "2017-01-31"]),
        (
            {"since": "2017-03-01", "until": "2017-02-01"},
            ["since=2017-03-01 is after until=2017-02-01"],
        ),
        ({"max_pages": "0"}, ["max_pages='0'"]),
        ({"max_pages": "many"}, ["max_pages='many'"]),
        ({"refresh": "often"}, ["refresh='often'", "all"]),
        ({"refresh": "²"}, ["refresh='²'", "all"]),
        ({"refresh": "800000"}, ["refresh='800000'", "99999"]),
        ({"refresh": "-1"}, ["refresh='-1'", "all"]),
        ({"start_url": "ftp://host/"}, ["start_url="]),
        ({"site": ""}, ["site="]),
    ],
)
def test_a_mistake_gets_one_sentence(given: dict[str, str], parts: list[str]) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse(**given)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert "maize" in sentence
    for part in parts:
        assert part in sentence


@pytest.mark.parametrize(
    ("expression", "title", "matches"),
    [
        ("", "任何标题", True),
        ("日山东玉米", "2017年1月11日山东玉米价格", True),
        ("山东,玉米", "玉米价格 山东", True),
        ("山东,小麦", "玉米价格 山东", False),
        ("玉米|小麦", "今日小麦", True),
        ("山东,玉米|小麦", "河南小麦", False),
        ("山东，玉米", "山东玉米", True),
        ("山东｜河南", "河南玉米", True),
        ("ＡＢＣ", "abc ABC", True),
        (",,|", "任何标题", True),
    ],
)
def test_title_filter(expression: str, title: str, matches: bool) -> None:
    assert TitleFilter(expression).matches(title) is matches


@given(st.text(), st.text())
def test_title_filter_never_raises_and_its_text_says_the_same(expression: str, title: str) -> None:
    wanted = TitleFilter(expression)
    assert TitleFilter(str(wanted)).matches(title) is wanted.matches(title)
