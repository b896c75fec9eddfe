"""Hosts that have not answered yet: few at a time, those that failed last."""

from __future__ import annotations

from focuscrawl.scheduling.host_trials import HostTrials


def tried(trials: HostTrials, *hosts: str) -> list[str]:
    """Send a page to each host that is admitted, hold the others by their order; return the former."""
    found = []
    for score, host in enumerate(reversed(hosts)):
        if trials.admits(host):
            assert trials.begin(host, len(found))
            found.append(host)
        else:
            trials.hold(host, -score)
    return found


def test_hosts_that_have_answered_are_not_limited() -> None:
    trials = HostTrials(2, 2)
    assert tried(trials, "a", "b") == ["b", "a"]
    assert trials.answer("a")
    assert not trials.answer("a")
    assert trials.admits("a")
    assert not trials.begin("a", 9)
    assert tried(trials, "c") == ["c"]
    assert not trials.admits("d")
    assert trials.admits("a")


def test_a_host_is_tried_by_one_page() -> None:
    trials = HostTrials(2, 2)
    trials.begin("a", 1)
    assert not trials.admits("a")
    trials.end("a", 7)
    assert not trials.admits("a")
    trials.end("a", 1)
    assert trials.admits("a")


def test_held_hosts_are_released_best_first_when_there_is_room() -> None:
    trials = HostTrials(1, 1)
    trials.begin("a", 1)
    for host, score in (("b", 1.0), ("c", 3.0), ("d", 2.0)):
        trials.hold(host, score)
    assert trials.next_held() is None
    trials.answer("a")
    trials.answer("d")
    assert [trials.next_held() for _ in range(3)] == ["c", "b", None]
    assert not trials.is_choosy


def test_hosts_that_failed_wait_for_new_ones() -> None:
    trials = HostTrials(1, 1)
    trials.begin("failed", 1)
    trials.hold("new", 1.0)
    trials.end("failed", 1)
    assert trials.is_choosy
    assert not trials.admits("failed")
    trials.hold("failed", 9.0)
    assert trials.next_held() == "new"
    assert trials.admits("failed")
    assert trials.next_held() == "failed"


def test_more_hosts_are_tried_while_nothing_else_can_be_sent() -> None:
    trials = HostTrials(1, 2)
    trials.begin("a", 1)
    trials.hold("b", 1.0)
    assert not trials.admits("b")
    assert trials.next_held() is None
    assert trials.next_held(is_idle=True) == "b"
    assert trials.admits("b")
    trials.begin("b", 2)
    trials.hold("c", 1.0)
    assert trials.next_held(is_idle=True) is None
