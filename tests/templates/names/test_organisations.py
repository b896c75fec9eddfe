from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.templates.names.name_clues import title_names
from focuscrawl.templates.names.name_words import readable
from focuscrawl.templates.names.organisations import NameEvidence, organisations, site_name
from tests.templates.name_examples import ENGLISH, FIRMS, NONE, OTHERS, SITES, TITLES

PIECES = (
    "成都|青禾|软件|有限公司|有限责任公司|集团|(|)|（成都）|版权所有|©|2015-2020|欢迎来到|关于|的|和|与|、|,|，| |\u3000|\n"
    "|中学|大学|医院|公司|局|中心|大会|Co., Ltd|Inc.|Blue River|University|技术支持：|首页|-|_|\\||\u200b|𠀀|İ|XX|分公司"
).split("|")
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=14).map("".join)
SOURCES = st.sampled_from(
    ["label", "title", "heading", "copyright", "icp", "jsonld", "meta", "logo", "text", "contact"]
)


@pytest.mark.parametrize(("text", "names"), FIRMS + OTHERS + ENGLISH)
def test_names_are_found_by_their_endings(text: str, names: list[str]) -> None:
    assert [span.text for span in organisations(text)] == names


@pytest.mark.parametrize("text", NONE)
def test_no_name_is_found_in_other_text(text: str) -> None:
    assert organisations(text) == []


@pytest.mark.parametrize(("title", "names"), TITLES)
def test_names_in_a_title_exclude_navigation_words(title: str, names: list[str]) -> None:
    assert title_names(title) == names


@pytest.mark.parametrize(("evidence", "names"), SITES)
def test_the_owner_is_the_name_that_pages_agree_on(
    evidence: list[NameEvidence], names: list[str]
) -> None:
    assert [name for name, _ in site_name(evidence)] == names


def test_a_legal_name_is_surer_than_a_weak_ending() -> None:
    legal, weak = organisations("绵阳蓝溪电子有限公司，绵阳蓝溪电子厂")
    assert legal.confidence > weak.confidence


def test_agreement_makes_a_name_surer() -> None:
    one = NameEvidence("绵阳蓝溪电子有限公司", "title")
    other = NameEvidence("© 绵阳蓝溪电子有限公司", "copyright")
    [(_, alone)], [(_, agreed)] = site_name([one]), site_name([one, other])
    assert agreed > alone


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_offsets_of_names_are_valid_and_do_not_overlap(text: str) -> None:
    spans = organisations(text)
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        printed = readable(text[span.start : span.end])
        assert span.text.replace(" ", "") == printed.replace(" ", "")
        assert 0 < span.confidence <= 1
    assert all(one.end <= other.start for one, other in pairwise(spans))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.builds(NameEvidence, TEXTS, SOURCES), max_size=8))
def test_any_evidence_gives_names_with_confidences_once_each(evidence: list[NameEvidence]) -> None:
    names = site_name(evidence)
    assert all(name and 0 < confidence <= 1 for name, confidence in names)
    assert len({name for name, _ in names}) == len(names)
