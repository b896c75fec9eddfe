"""No host on both sides, and the same split for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.datasets.labelled_dataset import SplitBy, cross_validation, hold_out
from focuscrawl.pages.site_hosts import host_of

LABELS = [row % 4 == 0 for row in range(400)]
HOSTS = [f"host{row % 37}.cn" for row in range(400)]


@st.composite
def links(draw: st.DrawFn) -> tuple[list[bool], list[str]]:
    count = draw(st.integers(20, 80))
    names = [f"h{n}.cn" for n in range(12)]
    labels = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    hosts = draw(st.lists(st.sampled_from(names), min_size=count, max_size=count))
    pairs = list(zip(hosts, labels, strict=True))
    assume(all(len({h for h, label in pairs if label == kind}) >= 3 for kind in (True, False)))
    return labels, hosts


@settings(deadline=None, max_examples=20)
@given(links(), st.integers(0, 5))
def test_no_host_is_on_both_sides(data: tuple[list[bool], list[str]], seed: int) -> None:
    labels, hosts = data
    splits = [
        *cross_validation(labels, hosts, folds=3, seed=seed),
        hold_out(labels, hosts, seed=seed),
    ]
    for train, test in splits:
        assert not {hosts[row] for row in train} & {hosts[row] for row in test}
        assert sorted([*train, *test]) == list(range(len(labels)))


@pytest.mark.parametrize("by", SplitBy)
def test_each_link_is_held_out_once_and_the_seed_decides_where(by: SplitBy) -> None:
    held_out = np.concatenate([split.test for split in cross_validation(LABELS, HOSTS, by=by)])
    assert sorted(held_out) == list(range(400))
    first, same, other = (hold_out(LABELS, HOSTS, by=by, seed=seed) for seed in (1, 1, 2))
    assert first.test.tolist() == same.test.tolist()
    assert first.test.tolist() != other.test.tolist()


@pytest.mark.parametrize("by", SplitBy)
def test_relevant_links_are_spread_evenly(by: SplitBy) -> None:
    labels = np.array(LABELS)
    for _, test in cross_validation(LABELS, HOSTS, by=by):
        assert 0.1 < labels[test].sum() / labels.sum() < 0.3
    _, test = hold_out(LABELS, HOSTS, by=by)
    assert 0.25 < labels[test].sum() / labels.sum() < 0.35
    assert 0.25 < len(test) / 400 < 0.35


def test_links_written_by_a_held_out_host_are_not_learnt_from() -> None:
    sources = [HOSTS[(row + 1) % 400] for row in range(400)]
    for train, test in cross_validation(LABELS, HOSTS, sources=sources):
        assert not {sources[row] for row in train} & {HOSTS[row] for row in test}
        assert len(train)


def test_too_few_hosts_is_one_sentence() -> None:
    with pytest.raises(ArgumentError, match=r"relevant links to 5 hosts, there are 1;"):
        cross_validation([True, True, *[False] * 10], ["a", "a", *map(str, range(10))])
    with pytest.raises(ArgumentError, match="at least 2"):
        cross_validation(LABELS, HOSTS, folds=1)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://www.a.cn/x", "a.cn"),
        ("https://A.cn:8443/", "a.cn"),
        ("http://[::1", ""),
        ("", ""),
        ("http://www.www.cn/", "www.cn"),
    ],
)
def test_host_of(url: str, host: str) -> None:
    assert host_of(url) == host
