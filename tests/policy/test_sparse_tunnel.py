"""K, R and P of the sparse tunnel, in the four modes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.policy.sparse_tunnel import (
    IRRELEVANT_SITE,
    SITE_QUOTA,
    TOO_LONG,
    Mode,
    SiteState,
    Tunnel,
    TunnelRules,
    steps_of,
)

SMALL = TunnelRules(Mode.SPARSE_TUNNEL, length=3, entries=2, patience=2)
JUDGEMENTS = st.lists(st.booleans(), max_size=12)


def after(verdicts: list[bool], rules: TunnelRules = SMALL) -> Tunnel:
    """Return a tunnel that has seen pages of one site."""
    tunnel = Tunnel(rules)
    for verdict in verdicts:
        tunnel.judged("a.test", verdict)
    return tunnel


def in_mode(mode: Mode) -> TunnelRules:
    return SMALL._replace(mode=mode)


def test_a_tunnel_has_at_most_k_irrelevant_pages() -> None:
    tunnel = Tunnel(SMALL)
    assert [tunnel.refusal("a.test", steps, 0) for steps in range(6)] == [
        *("", "", "", ""),
        *(TOO_LONG, TOO_LONG),
    ]


def test_a_relevant_page_begins_a_new_tunnel() -> None:
    steps = 0
    for is_relevant, expected in [(False, 1), (False, 2), (True, 0), (False, 1)]:
        steps = steps_of(steps, is_relevant)
        assert steps == expected


def test_fewer_than_r_urls_of_an_unknown_site_wait() -> None:
    tunnel = Tunnel(SMALL)
    assert [tunnel.refusal("a.test", 0, waiting) for waiting in range(4)] == [
        *("", ""),
        *(SITE_QUOTA, SITE_QUOTA),
    ]
    tunnel.judged("a.test", True)
    assert tunnel.refusal("a.test", 0, 1_000_000) == ""
    assert tunnel.refusal("b.test", 0, 2) == SITE_QUOTA


def test_a_site_is_given_up_after_more_than_p_irrelevant_pages() -> None:
    tunnel = Tunnel(SMALL)
    assert [tunnel.judged("a.test", False) for _ in range(3)] == [False, False, True]
    assert tunnel.state_of("a.test") is SiteState.IRRELEVANT
    assert tunnel.refusal("a.test", 0, 0) == IRRELEVANT_SITE
    assert tunnel.refusal("b.test", 0, 0) == ""


def test_a_late_relevant_page_makes_a_site_relevant() -> None:
    tunnel = after([False] * 5)
    assert not tunnel.judged("a.test", True)
    assert tunnel.state_of("a.test") is SiteState.RELEVANT
    assert not any(tunnel.judged("a.test", False) for _ in range(9))
    assert tunnel.refusal("a.test", 3, 99) == ""


@pytest.mark.parametrize("mode", [Mode.BREADTH, Mode.BEST_FIRST])
def test_two_modes_refuse_nothing(mode: Mode) -> None:
    tunnel = after([False] * 9, in_mode(mode))
    assert tunnel.refusal("a.test", 99, 99) == ""
    assert not tunnel.is_rationed("a.test")


def test_the_plain_tunnel_applies_only_its_length() -> None:
    tunnel = after([], in_mode(Mode.TUNNEL))
    assert not any(tunnel.judged("a.test", False) for _ in range(9))
    assert tunnel.refusal("a.test", 3, 99) == ""
    assert tunnel.refusal("a.test", 4, 0) == TOO_LONG
    assert not tunnel.is_rationed("a.test")


def test_sites_are_counted_by_state() -> None:
    tunnel = Tunnel(SMALL)
    for site, verdicts in {"a": [0, 1, 0], "b": [0], "c": [0, 0, 0], "d": [0, 0]}.items():
        for verdict in verdicts:
            tunnel.judged(site, bool(verdict))
    tunnel.refusal("e", 0, 0)
    assert tunnel.sites() == {
        SiteState.RELEVANT: 1,
        SiteState.UNKNOWN: 2,
        SiteState.IRRELEVANT: 1,
    }


@given(JUDGEMENTS, st.sampled_from(Mode))
def test_a_site_with_a_relevant_page_is_never_given_up(verdicts: list[bool], mode: Mode) -> None:
    tunnel = Tunnel(in_mode(mode))
    tunnel.judged("a.test", True)
    given_up = [tunnel.judged("a.test", verdict) for verdict in verdicts]
    assert not any(given_up)
    assert tunnel.state_of("a.test") is SiteState.RELEVANT
    assert tunnel.refusal("a.test", 0, 99) == ""


@given(JUDGEMENTS, st.randoms(use_true_random=False))
def test_the_order_of_judgements_does_not_change_the_final_state(
    verdicts: list[bool], chance: random.Random
) -> None:
    shuffled = chance.sample(verdicts, len(verdicts))
    one, other = after(verdicts), after(shuffled)
    assert one.state_of("a.test") is other.state_of("a.test")
    assert one.sites() == other.sites()


@given(JUDGEMENTS, st.sampled_from(Mode), st.integers(0, 6), st.integers(0, 6))
def test_more_steps_and_more_waiting_urls_never_admit_a_link(
    verdicts: list[bool], mode: Mode, steps: int, waiting: int
) -> None:
    tunnel = after(verdicts, in_mode(mode))
    if tunnel.refusal("a.test", steps, waiting):
        assert tunnel.refusal("a.test", steps + 1, waiting)
        assert tunnel.refusal("a.test", steps, waiting + 1)
