"""Known URLs, and links that are known to change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Request
from scrapy.utils.request import fingerprint

from focuscrawl.frontier import Candidate, SqliteFrontier, State, UpdateRule, key_of
from focuscrawl.scheduling.known_urls import KnownUrls
from focuscrawl.scheduling.page_in_flight import LeasedPage

ONE, OTHER = Candidate.of("http://a.test/1", "a.test", 1), Candidate.of("http://a.test/2", "a.test")


def test_no_better_link_to_a_waiting_or_ended_url_changes_anything(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    assert not frontier.changes_nothing(ONE.key, ONE.score)
    frontier.push([ONE, OTHER])
    assert frontier.changes_nothing(ONE.key, ONE.score)
    assert not frontier.changes_nothing(ONE.key, ONE.score + 1)
    frontier.rescore({ONE.key: ONE.score - 1})
    assert not frontier.changes_nothing(ONE.key, ONE.score)
    (lease,) = frontier.lease(1, 0)
    frontier.ack(lease)
    key = ONE.key if lease.url == ONE.url else OTHER.key
    assert frontier.changes_nothing(key, 1e9)
    frontier.close()


@pytest.mark.parametrize("rule", [UpdateRule.NOISY_OR, UpdateRule.MEAN])
def test_every_link_counts_by_the_other_rules(rule: UpdateRule, tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite", rule=rule)
    frontier.push([ONE])
    assert not frontier.changes_nothing(ONE.key, ONE.score - 9)
    frontier.close()


def test_the_best_score_of_a_link_is_noted_without_pushing_it(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    frontier.push([ONE])
    (lease,) = frontier.lease(1, 0)
    page = LeasedPage(lease, None)
    assert page.note(OTHER.key, 2, "a.test")
    assert not page.note(OTHER.key, 1, "a.test")
    page.add(OTHER)
    assert page.pending == []
    assert page.best_link({OTHER.key: State.WAITING}) == 2
    frontier.close()


def test_links_of_pages_in_flight_wait_although_they_are_not_pushed_yet(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    frontier.push([ONE])
    (lease,) = frontier.lease(1, 0)
    page = LeasedPage(lease, None)
    page.add(OTHER)
    known = KnownUrls(frontier, {lease.seq: page})
    assert known.waiting_at(["a.test", "b.test"]) == {"a.test": 1, "b.test": 0}
    assert known.waiting_at([]) == {}
    frontier.close()


def test_all_spellings_of_a_known_url_are_known(tmp_path: Path) -> None:
    one, other = "http://a.test/?x=1&y=2", "http://a.test/?y=2&x=1"
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    frontier.push([Candidate(key_of(fingerprint(Request(one))), one, "a.test")])
    known = KnownUrls(frontier, {}).states([one, other, "http://a.test/"])
    assert known == dict.fromkeys([one, other], State.WAITING)
    frontier.close()
