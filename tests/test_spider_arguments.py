from __future__ import annotations

import io
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.spider_arguments import (
    MaizeArguments,
    TemplateArguments,
    TitleFilter,
    parse_arguments,
)


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
        ({"max_pages": "0"}, ["max_pages='0': write at least 1"]),
        ({"max_pages": "all"}, ["max_pages='all': write a whole number"]),
        ({"refresh": "often"}, ["refresh='often'", "all"]),
        ({"refresh": "²"}, ["refresh='²'", "all"]),
        ({"refresh": "800000"}, ["refresh='800000'", "99999"]),
        ({"refresh": "-1"}, ["refresh='-1'", "all"]),
        ({"start_url": "ftp://host/"}, ["start_url="]),
        ({"title": "\udcc9\udcbd"}, ["title='\\udcc9\\udcbd'", "is not UTF-8; type it again"]),
        ({"start_url": "http://[::1"}, ["start_url=", "not the URL of a page"]),
        ({"start_url": "http://a:99999/"}, ["start_url=", "not the URL of a page"]),
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


def test_seeds_come_from_a_windows_program_too(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"\xef\xbb\xbfhttp://a.example/\r\n\r\n  http://b.example/x \r\n# no\r\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text), "utf-8"))
    given = {"template": "contacts", "seeds": "-"}
    arguments = parse_arguments(TemplateArguments, given, "template")
    assert arguments.seeds == ["http://a.example/", "http://b.example/x"]
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO("http://联".encode("gbk")), "utf-8")
    )
    with pytest.raises(ArgumentError, match="standard input is not UTF-8"):
        parse_arguments(TemplateArguments, given, "template")
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ArgumentError, match="no URL is given"):
        parse_arguments(TemplateArguments, given, "template")


@pytest.mark.parametrize(
    "seed", ["http://[a/", "http://a.example:99999/", "http://a b/", "a.example"]
)
def test_a_seed_that_is_no_address_is_named(seed: str) -> None:
    with pytest.raises(ArgumentError, match="is not the URL of a page"):
        parse_arguments(
            TemplateArguments, {"template": "c", "seeds": f"http://b.example/,{seed}"}, "t"
        )
