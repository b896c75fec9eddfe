"""Choice of seeds: the figures of the patent, independent of the order of completion."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.templates.seed_choice import Decision, SeedChoice, _draw, probability


def urls_of(count: int) -> list[str]:
    return [f"http://firm{number}.test/" for number in range(count)]


def chosen(decisions: Sequence[Decision]) -> list[str]:
    return [one.url for one in decisions if one.is_chosen]


def one_by_one(urls: Sequence[str], randomness: int, useless: set[str]) -> list[Decision]:
    """Return the choice by its definition: each seed is settled before the next is decided."""
    failures, made = 0, []
    for rank, url in enumerate(urls, start=1):
        share = probability(rank, failures, len(urls))
        made.append(Decision(url, rank, failures, share, _draw(randomness, url) < share))
        failures += made[-1].is_chosen and url in useless
    return made


def test_table_2_of_the_patent_by_seed_choice() -> None:
    urls = urls_of(10)
    # A random seed with which the eighth is crawled.
    randomness = next(n for n in range(100) if _draw(n, urls[7]) < 0.6)
    choice = SeedChoice(urls, randomness)

    while not choice.is_finished:
        for one in choice.ready():
            if one.is_chosen:
                choice.settle(one.url, gave_something=one.rank != 8)

    shares = [round(100 * one.probability) for one in choice.decisions()]
    assert shares == [95, 90, 85, 80, 75, 70, 65, 60, 50, 45]


@settings(deadline=None, max_examples=150)
@given(data=st.data(), count=st.integers(0, 40), randomness=st.integers(0, 10**9))
def test_any_order_of_completion_gives_the_same_decisions(
    data: st.DataObject, count: int, randomness: int
) -> None:
    urls = urls_of(count)
    useless = {url for url in urls if data.draw(st.booleans())}
    choice, out, told = SeedChoice(urls, randomness), list[str](), list[Decision]()

    while not choice.is_finished:
        fresh = choice.ready()
        told += fresh
        out += chosen(fresh)
        # Any pending seed may complete next; there always is one, so that the choice never stalls.
        if out:
            url = out.pop(data.draw(st.integers(0, len(out) - 1)))
            choice.settle(url, url not in useless)

    assert choice.decisions() == one_by_one(urls, randomness, useless)
    assert sorted(chosen(told)) == sorted(chosen(choice.decisions()))
    assert len({one.url for one in told}) == len(told) == count


def test_most_is_decided_before_any_seed_completes() -> None:
    choice = SeedChoice(urls_of(556), 1)

    at_once = choice.ready()

    assert len(at_once) > 300
    assert [one.rank for one in at_once] == sorted(one.rank for one in at_once)
    assert choice.ready() == []


def test_skipped_seeds_are_not_failures() -> None:
    urls = urls_of(200)
    choice = SeedChoice(urls, 3)
    while not choice.is_finished:
        for one in choice.ready():
            if one.is_chosen:
                choice.settle(one.url, gave_something=True)

    assert 120 < len(chosen(choice.decisions())) < 180
    assert {one.failures_before for one in choice.decisions()} == {0}


def test_everything_is_crawled_on_demand() -> None:
    decisions = SeedChoice(urls_of(50), 1, everything=True).ready()

    assert len(chosen(decisions)) == 50
    assert {one.probability for one in decisions} == {1.0}


def test_seeds_skipped_last_time_are_crawled_first() -> None:
    urls = urls_of(300)
    decisions = SeedChoice(urls, 1).decisions()
    skipped = [one.url for one in decisions if not one.is_chosen]

    second = SeedChoice(urls, 1, first=set(skipped))
    ready = second.ready()

    assert len(skipped) > 10
    assert [one.url for one in ready[: len(skipped)]] == skipped
    assert all(one.is_chosen and one.probability == 1 for one in ready[: len(skipped)])
    # Their outcomes count for the others.
    for url in skipped:
        second.settle(url, gave_something=False)
    behind = second.ready()
    assert behind[-1].failures_before >= len(skipped)
    assert behind[-1].probability < 1 - behind[-1].rank / 600


def test_a_duplicate_url_has_its_first_rank() -> None:
    decisions = SeedChoice(["http://a/", "http://b/", "http://a/"], 1, everything=True).ready()

    assert [(one.url, one.rank) for one in decisions] == [("http://a/", 1), ("http://b/", 2)]


def test_a_run_resumes_an_interrupted_one() -> None:
    urls = urls_of(120)
    useless = set(urls[::3])
    whole = one_by_one(urls, 9, useless)
    settled = chosen(whole)[::-2]
    choice = SeedChoice(urls, 9)

    # The outcomes of the earlier run are known, in any order, before any decision.
    for url in settled:
        choice.settle(url, url not in useless)
    requested = list[str]()
    while not choice.is_finished:
        for one in choice.ready():
            if one.is_chosen and one.url not in settled:
                requested.append(one.url)
                choice.settle(one.url, one.url not in useless)

    assert choice.decisions() == whole
    assert sorted(requested + settled) == sorted(chosen(whole))


def test_only_the_first_outcome_of_a_seed_counts() -> None:
    choice = SeedChoice(urls_of(2), 1, everything=True)
    choice.ready()
    choice.settle("http://firm0.test/", gave_something=False)
    choice.settle("http://firm0.test/", gave_something=True)

    assert choice.decisions()[1].failures_before == 1


def test_skipped_and_unknown_seeds_cannot_be_settled() -> None:
    choice = SeedChoice(urls_of(100), 1)
    skipped = next(one.url for one in choice.ready() if not one.is_chosen)

    with pytest.raises(ValueError, match="was skipped"):
        choice.settle(skipped, gave_something=True)
    with pytest.raises(KeyError):
        choice.settle("http://elsewhere.test/", gave_something=True)
