"""What every frontier does."""

from __future__ import annotations

import math
import random

import pytest

from focuscrawl.frontier import (
    DONE,
    Ack,
    Candidate,
    Ended,
    Frontier,
    HostCounts,
    NotLeasedError,
    Outcome,
    Pushed,
    State,
    UpdateRule,
    drop_where,
    dropped,
    failed,
    growing_pause,
    key_of,
    rescore_all,
)
from tests.frontier.conftest import KINDS_AND_RULES, Runs
from tests.frontier.frontier_runs import link, take_all, url, urls

with_all_rules = pytest.mark.parametrize("runs", ["sqlite"], indirect=True)


def test_the_best_comes_first_and_of_equals_the_first(runs: Runs) -> None:
    frontier = runs.begin(window=2, budget=20)
    dice = random.Random(1)
    links = [
        link(number, dice.choice([0.0, 0.0005, 1, -3.5, dice.gauss(0, 3)]), f"{number % 7}.example")
        for number in range(300)
    ]
    assert frontier.push(links) == Pushed(new=300)
    assert frontier.waiting == 300
    expected = [entry.url for entry in sorted(links, key=lambda entry: -entry.score)]
    assert urls(take_all(frontier)) == expected
    assert frontier.waiting == frontier.leased == 0


def test_a_busy_host_is_passed_over(runs: Runs) -> None:
    frontier = runs.begin(slots=2)
    frontier.push([link(n, 9 - n) for n in range(5)] + [link(n, -n, "b.example") for n in range(3)])
    leases = frontier.lease(10, 0)
    assert urls(leases) == [url(0), url(1), url(0, "b.example"), url(1, "b.example")]
    assert frontier.lease(10, 0) == []
    assert frontier.next_due(0) is None
    frontier.ack(leases[1])
    assert frontier.next_due(0) == 0
    assert urls(frontier.lease(10, 0)) == [url(2)]


def test_slots_are_settable_by_host(runs: Runs) -> None:
    frontier = runs.begin(slots=1)
    frontier.set_slots("b.example", 3)
    frontier.push([link(n, host=host) for n in range(4) for host in ("a.example", "b.example")])
    assert sorted(lease.host[0] for lease in frontier.lease(10, 0)) == ["a", "b", "b", "b"]
    frontier.set_slots("a.example", 2)
    assert urls(frontier.lease(10, 0)) == [url(1)]
    frontier.set_slots("c.example", 0)
    frontier.push([link(n, host="c.example") for n in range(2)])
    assert frontier.next_due(0) is None
    frontier.set_slots("c.example", None)
    assert urls(frontier.lease(10, 0)) == [url(0, "c.example")]


def test_a_page_that_is_here_frees_its_slot_and_keeps_its_lease(runs: Runs) -> None:
    frontier = runs.begin(slots=1)
    frontier.push([link(n, -n) for n in range(5)])
    (first,) = frontier.lease(9, 0)
    frontier.free_slot(first)
    frontier.free_slot(first)
    assert frontier.leased == 1
    assert frontier.next_due(0) == 0
    (second,) = frontier.lease(9, 0)
    frontier.ack(first)
    assert frontier.lease(9, 0) == []
    frontier.release(second)
    assert frontier.lease(9, 0) == [second]
    with pytest.raises(NotLeasedError):
        frontier.free_slot(first)


def test_a_better_link_raises_and_a_worse_one_does_not(frontier: Frontier) -> None:
    frontier.push([link("low", 1, steps=3), link("middle", 2), link("high", 3, steps=0)])
    assert frontier.push([link("low", 5, steps=1), link("high", -5, steps=9)]) == Pushed(0, 1, 1)
    low, high, middle = take_all(frontier)
    assert (low.url, low.score, low.payload) == (url("low"), 5, {"steps": 1})
    assert (high.url, high.score, high.payload) == (url("high"), 3, {"steps": 0})
    assert middle.url == url("middle")


def test_a_batch_is_its_parts_one_after_the_other(frontier: Frontier) -> None:
    batch = [link(1, 1, a=1), link(2, 2), link(1, 3, a=2), link(1, 2), link(1, 4, a=3), link(2, 2)]
    assert frontier.push(batch) == Pushed(new=2, raised=2, known=2)
    first, second = take_all(frontier)
    assert (first.url, first.score, first.payload) == (url(1), 4, {"a": 3})
    assert second.url == url(2)
    assert frontier.push([]) == Pushed()


@pytest.mark.parametrize(("runs", "rule"), KINDS_AND_RULES, indirect=["runs"])
def test_rules(runs: Runs, rule: UpdateRule) -> None:
    score = {
        UpdateRule.MAX: 1.0,
        UpdateRule.MEAN: 0.0,
        # Of 1 - (1 - .269)(1 - .731)(1 - .5)
        UpdateRule.NOISY_OR: math.log(1 / (0.5 * 0.7310585786 * 0.2689414214) - 1),
    }[rule]
    frontier = runs.begin(rule=rule)
    for number, each in enumerate([-1.0, 1.0, 0.0]):
        frontier.push([link(1, each, n=number)])
    (lease,) = frontier.lease(1, 0)
    assert lease.score == pytest.approx(score)
    assert lease.payload == {"n": 1}  # of the best link


@with_all_rules
def test_by_the_mean_a_worse_link_lowers(runs: Runs) -> None:
    frontier = runs.begin(rule=UpdateRule.MEAN, window=2)
    frontier.push([link(n, 10 - n) for n in range(6)])
    assert frontier.push([link(0, 0)]) == Pushed(known=1)
    assert urls(take_all(frontier)) == [url(n) for n in (1, 2, 3, 4, 0, 5)]


def test_links_to_what_is_out_or_ended_change_nothing(frontier: Frontier) -> None:
    frontier.push([link(1), link(2)])
    (lease,) = frontier.lease(1, 0)
    assert frontier.push([link(1, 9, a=1)]) == Pushed(known=1)
    frontier.release(lease)
    (again,) = frontier.lease(1, 0)
    assert again == lease
    frontier.ack(again, [link(1, 9)])
    assert frontier.push([link(1, 99)]) == Pushed(known=1)
    assert urls(take_all(frontier)) == [url(2)]


def test_ack_pushes_the_links_and_counts_the_outcome(runs: Runs) -> None:
    frontier = runs.begin(slots=3)
    frontier.push([link(n) for n in range(3)])
    one, two, three = frontier.lease(3, 0)
    assert frontier.ack(one, [link(1), link(7, 2, "b.example")]) == Pushed(1, 0, 1)
    acks = [
        Ack(two, [link(7, 3, "b.example")], failed("404")),
        Ack(three, [link(7, 1, "b.example")], dropped("off-topic")),
    ]
    assert frontier.ack_many(acks) == Pushed(0, 1, 1)
    counts = frontier.counts()
    assert counts.hosts == {
        "a.example": HostCounts(done=1, failed=1, dropped=1),
        "b.example": HostCounts(waiting=1),
    }
    assert counts.outcomes == {DONE: 1, failed("404"): 1, dropped("off-topic"): 1}
    assert counts.total() == HostCounts(1, 0, 1, 1, 1)
    assert frontier.counts(["nobody"]).hosts == {"nobody": HostCounts()}
    assert frontier.ack_many([]) == Pushed()


def test_an_ack_is_all_or_nothing(frontier: Frontier) -> None:
    frontier.push([link(1), link(2, host="b.example")])
    one, two = frontier.lease(2, 0)
    with pytest.raises(ValueError, match="nan"):
        frontier.ack(one, [link(3), link(4, math.nan)])
    with pytest.raises(NotLeasedError):
        frontier.ack_many([Ack(two, [link(5)]), Ack(two)])
    with pytest.raises(ValueError, match="waiting"):
        frontier.ack(one, [link(6)], Outcome(State.WAITING))
    with pytest.raises(TypeError, match="JSON"):
        frontier.ack(one, [link(7), link(8, odd=object())])
    assert frontier.known(link(number).key for number in range(1, 9)) == {one.key: State.LEASED}
    assert frontier.ack(one, [link(3)]) == Pushed(new=1)
    for end in (frontier.ack, frontier.release, lambda lease: frontier.retry(lease, 0)):
        with pytest.raises(NotLeasedError):
            end(one)


def test_links_are_found_while_the_page_is_out(frontier: Frontier) -> None:
    frontier.push([link(1, 5)])
    (page,) = frontier.lease(1, 0)
    assert frontier.best_score(0) is None
    assert frontier.found(page, [link(2, 3, "b.example"), link(1, 9)]) == Pushed(1, 0, 1)
    assert frontier.best_score(0) == 3
    (other,) = frontier.lease(9, 0)
    assert other.url == url(2, "b.example")
    with pytest.raises(ValueError, match="nan"):
        frontier.found(page, [link(3), link(4, math.nan)])
    assert frontier.ack(page, [link(3)]) == Pushed(new=1)
    explained = frontier.explain(other.key)
    assert explained is not None
    assert [source.url for source in explained.sources] == [page.url]
    with pytest.raises(NotLeasedError):
        frontier.found(page, [link(4)])


@pytest.mark.parametrize(("runs", "rule"), KINDS_AND_RULES, indirect=["runs"])
def test_links_that_a_dead_run_has_found_count_once(runs: Runs, rule: UpdateRule) -> None:
    frontier = runs.begin(rule=rule)
    links = [link("target", 1, "b.example"), link("target", 2, "b.example")]
    frontier.push([link("page", 50), link("target", 0, "b.example")])
    (page,) = frontier.lease(1, 0)
    frontier.found(page, links)
    frontier.found(page, links[:1])
    once = next(entry.score for entry in frontier.each_waiting("b.example"))
    for _ in range(2):
        frontier = runs.begin(rule=rule)
        (page,) = frontier.lease(1, 0)
        assert frontier.found(page, [*links, link("new", -9, "b.example")]).raised == 0
    assert frontier.ack(page, links) == Pushed(known=2)
    scores = [entry.score for entry in frontier.each_waiting("b.example")]
    assert scores == [once, -9]


@with_all_rules
@pytest.mark.parametrize("rule", [UpdateRule.MEAN, UpdateRule.NOISY_OR])
@pytest.mark.parametrize("target", ["none", "done"])
def test_links_count_the_first_time_that_any_is_found(
    runs: Runs, rule: UpdateRule, target: str
) -> None:
    """Before, no link was found, or one that leads to a page that is done."""
    frontier = runs.begin(rule=rule)
    frontier.push([link("done", 99), link("page", 50), link("target", 0, "b.example")])
    (done,) = frontier.lease(1, 0)
    frontier.ack(done)
    frontier.push([link("done", 9)])
    (page,) = frontier.lease(1, 0)
    frontier.found(page, [link("done", 3)] if target == "done" else [])
    frontier = runs.begin(rule=rule)
    (page,) = frontier.lease(1, 0)
    again = frontier.found(page, [link("target", 3, "b.example")])
    assert again == (Pushed(known=1) if target == "done" else Pushed(raised=1))


@with_all_rules
def test_a_page_that_is_given_back_finds_no_link_twice(runs: Runs) -> None:
    frontier = runs.begin(rule=UpdateRule.MEAN)
    frontier.push([link("page", 50), link("target", 0, "b.example")])
    for _ in range(3):
        (page,) = frontier.lease(1, 0)
        frontier.found(page, [link("target", 3, "b.example")])
        frontier.release(page)
    assert [entry.score for entry in frontier.each_waiting("b.example")] == [1.5]


def test_a_retry_waits_and_is_counted(frontier: Frontier) -> None:
    frontier.push([link(1, 5), link(2, 1)])
    (lease,) = frontier.lease(1, 100)
    frontier.retry(lease, 160)
    assert frontier.waiting == 2
    assert urls(take_all(frontier, 100)) == [url(2)]
    assert frontier.next_due(100) == 160
    assert frontier.lease(1, 159.9) == []
    assert frontier.next_due(160) == 160
    (again,) = frontier.lease(1, 160)
    assert again == lease._replace(tries=1)


def test_pauses_between_tries_grow() -> None:
    pauses = [growing_pause(tries) for tries in range(2000)]
    assert pauses[:3] == [5, 10, 20]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 3600


def test_a_delayed_url_keeps_its_place_in_the_order(frontier: Frontier) -> None:
    late, later = link(1)._replace(not_before=50.0), link(4, 1)._replace(not_before=60.0)
    frontier.push([late, link(2), later, link(3)])
    assert frontier.push([link(4, 2)]) == Pushed(raised=1)
    (lease,) = frontier.lease(9, 0)
    frontier.release(lease)
    assert lease.url == url(2)
    assert urls(take_all(frontier, 60)) == [url(4), url(1), url(2), url(3)]


def test_it_says_when_to_look_again(frontier: Frontier) -> None:
    assert frontier.next_due(0) is None
    frontier.push([link(1)._replace(not_before=50.0), link(2, host="b.example")])
    assert frontier.next_due(0) == 0
    (lease,) = frontier.lease(9, 0)
    assert frontier.next_due(0) == 50
    frontier.pause("a.example", 70)
    assert frontier.next_due(50) == 70
    assert frontier.lease(1, 69) == []
    frontier.release(lease)
    assert frontier.next_due(51) == 51


def test_a_paused_host_waits_in_this_run(runs: Runs) -> None:
    frontier = runs.begin()
    frontier.pause("b.example", 30)
    frontier.push([link(1, 1), link(2, 5, "b.example"), link(3, 4, "b.example")])
    frontier.pause("b.example", 20)
    assert urls(take_all(frontier, 25)) == [url(1)]
    assert frontier.next_due(25) == 30
    frontier = runs.begin()
    assert frontier.next_due(25) == 25
    frontier.pause("b.example", 30)
    assert frontier.next_due(25) == 30
    assert urls(take_all(frontier, 30)) == [url(2, "b.example"), url(3, "b.example")]
    frontier.push([link(4, host="b.example")])
    frontier.pause("b.example", 90)
    assert frontier.lease(1, 31) == []
    assert urls(take_all(frontier, 90)) == [url(4, "b.example")]


def test_a_retried_url_waits_no_longer_than_the_limit(runs: Runs) -> None:
    frontier = runs.begin()
    frontier.push([link(1), link(2), link(3)._replace(not_before=1e12)])
    for due in (1e9, 20):
        (lease,) = frontier.lease(1, 0)
        frontier.retry(lease, due)
    frontier = runs.begin()
    frontier.limit_delays(30)
    assert urls(take_all(frontier, 30)) == [url(1), url(2), url(3)]


def test_drop(runs: Runs) -> None:
    frontier = runs.begin(window=2)
    frontier.push([link(n, n, host) for n in range(20) for host in ("a.example", "b.example")])
    frontier.push([link(99, host="b.example")._replace(not_before=9.0)])
    (lease,) = frontier.lease(1, 0)
    assert frontier.drop([lease.key, link(18).key, link(77).key, link(18).key], "steps") == 1
    assert frontier.drop_host("b.example", "blacklist") == 21
    assert frontier.drop_host("nobody", "blacklist") == 0
    assert drop_where(frontier, lambda entry: entry.score < 10, "score") == 10
    assert frontier.push([link(18, 99)]) == Pushed(known=1)
    reasons = {"steps": 1, "blacklist": 21, "score": 10}
    assert frontier.counts().outcomes == {dropped(key): n for key, n in reasons.items()}
    frontier.release(lease)
    assert frontier.waiting == 9
    assert urls(take_all(frontier, 10)) == [url(n) for n in (19, 17, 16, 15, 14, 13, 12, 11, 10)]


def test_rescore(runs: Runs) -> None:
    frontier = runs.begin(window=3)
    frontier.push([link(n, n, was=n) for n in range(1100)])
    (lease,) = frontier.lease(1, 0)
    assert rescore_all(frontier, lambda entries: [-entry.score for entry in entries]) == 1098
    assert frontier.rescore({lease.key: 9, link(9999).key: 9, link(0).key: 0}) == 0
    with pytest.raises(ValueError, match="inf"):
        frontier.rescore({link(1).key: math.inf})
    # The new score is the one to beat.
    assert frontier.push([link(3, -4, was=0), link(4, -3.5, was=-1)]) == Pushed(0, 1, 1)
    frontier.ack(lease)
    taken = take_all(frontier)
    assert [entry.payload["was"] for entry in taken[:6]] == [0, 1, 2, 3, -1, 5]
    assert len(taken) == 1099


@with_all_rules
def test_after_a_rescore_the_new_score_counts_as_the_best_link(runs: Runs) -> None:
    frontier = runs.begin(rule=UpdateRule.MEAN)
    frontier.push([link(1, 1, n=1), link(1, 5, n=2)])
    frontier.rescore({link(1).key: 2.0})
    frontier.push([link(1, 4, n=3)])
    (lease,) = frontier.lease(1, 0)
    assert lease.payload == {"n": 3}


def test_waiting_urls_are_streamed(frontier: Frontier) -> None:
    frontier.push([link(n, n, n=n) for n in range(1100)])
    (lease,) = frontier.lease(1, 0)
    assert lease.score == 1099
    seen = []
    for entry in frontier.each_waiting():
        seen.append(entry.payload["n"])
        frontier.rescore({entry.key: entry.score + 5}, {entry.key: entry.host})
    assert seen == list(range(1099))


def test_waiting_urls_of_one_host_are_streamed(frontier: Frontier) -> None:
    frontier.push([link(n, n, f"{'ab'[n % 2]}.example") for n in range(2200)])
    frontier.push([link("late", -1, "b.example")._replace(not_before=9.0)])
    (lease,) = frontier.lease(1, 0)
    for host in ("a.example", "b.example", "nobody"):
        wanted = [entry for entry in frontier.each_waiting() if entry.host == host]
        assert list(frontier.each_waiting(host)) == wanted
    assert rescore_all(frontier, lambda found: [7.0] * len(found), "b.example") > 0
    assert {entry.host for entry in frontier.each_waiting() if entry.score == 7.0} >= {"b.example"}
    frontier.release(lease)


def test_ended_urls_are_streamed_with_their_outcomes(runs: Runs) -> None:
    frontier = runs.begin()
    frontier.push([link(n, -n, n=n) for n in range(4)])
    ends = [Outcome(State.DONE, "relevant"), DONE, failed("404"), dropped("steps")]
    for end in ends:
        (lease,) = frontier.lease(1, 0)
        frontier.ack(lease, [], end)
    assert list(frontier.each_ended()) == [
        Ended(url(0), link(0).host, ends[0], {"n": 0}),
        Ended(url(1), link(1).host, DONE, {"n": 1}),
        Ended(url(2), link(2).host, ends[2], {"n": 2}),
    ]


def test_explain(runs: Runs) -> None:
    frontier = runs.begin()
    assert frontier.explain(key_of("http://a.example/1")) is None
    frontier.push([link("seed", 9)])
    (seed,) = frontier.lease(1, 0)
    frontier.ack(seed, [link("page", 1, steps=2)])
    frontier.push([link("page", 2)])
    (page,) = frontier.lease(1, 0)
    frontier.retry(page, 50)
    found = frontier.explain(page.key)
    assert found is not None
    assert found.sources == [("", 2), (url("seed"), 1)]
    assert found[:-1] == (url("page"), "a.example", (State.WAITING, ""), 2, {}, 50, 1, 0)
    (page,) = frontier.lease(1, 50)
    leased = frontier.explain(page.key)
    assert leased is not None
    assert (leased.outcome, leased.not_before) == ((State.LEASED, ""), None)
    frontier.ack(page, [], failed("timeout"))
    ended = frontier.explain(page.key)
    assert ended is not None
    assert ended.outcome == failed("timeout")


def test_leases_of_a_dead_run_go_back(runs: Runs) -> None:
    frontier = runs.begin(slots=4)
    frontier.push([link(n, -n) for n in range(6)])
    first, *out = frontier.lease(4, 0)
    frontier.ack(first, [link(6, -6)])
    for lost in (3, 1):
        frontier = runs.begin(slots=4)
        assert frontier.recovered == lost
        assert (frontier.waiting, frontier.leased) == (6, 0)
        with pytest.raises(NotLeasedError):
            frontier.ack(out[0])
        out = frontier.lease(3, 0)
        assert [(lease.url, lease.lost) for lease in out] == [(url(1), 1)]
    frontier.release(out[0])
    assert urls(take_all(frontier)) == [url(n) for n in range(1, 7)]


def test_what_was_lost_goes_out_alone(runs: Runs) -> None:
    frontier = runs.begin(slots=9)
    frontier.push([link(n, -n) for n in range(5)])
    frontier.lease(2, 0)
    frontier = runs.begin(slots=9)
    frontier.push([link("better", 9)])
    (better,) = frontier.lease(9, 0)
    assert better.url == url("better")
    assert frontier.lease(9, 0) == []
    assert frontier.next_due(0) is None
    frontier.ack(better)
    for n in (0, 1):
        assert frontier.next_due(0) == 0
        (suspect,) = frontier.lease(9, 0)
        assert (suspect.url, suspect.lost) == (url(n), 1)
        assert frontier.lease(9, 0) == []
        assert frontier.next_due(0) is None
        frontier.ack(suspect)
    assert urls(frontier.lease(9, 0)) == [url(n) for n in (2, 3, 4)]


def test_a_page_that_kills_every_run_fails_and_no_other(runs: Runs) -> None:
    frontier = runs.begin(slots=16)
    frontier.push([link(n, -n) for n in range(20)])
    runs_before = 0
    killer, done = url(3), []
    while not frontier.fatal_urls:
        while leases := frontier.lease(16, 0):
            for lease in leases:
                frontier.process(lease)
            if killer in urls(leases):
                break
            frontier.ack_many([Ack(lease) for lease in leases])
            done += urls(leases)
        frontier = runs.begin(slots=16)
        runs_before += 1
    assert runs_before == 4
    assert frontier.fatal_urls == [killer]
    assert (frontier.waiting, frontier.leased) == (16, 0)
    assert frontier.counts().outcomes[Outcome(State.FAILED, "kills the crawler")] == 1
    assert sorted(done + urls(take_all(frontier))) == sorted({url(n) for n in range(20)} - {killer})
    assert runs.begin().fatal_urls == []


def test_a_run_that_is_killed_before_the_answer_blames_nobody(runs: Runs) -> None:
    frontier = runs.begin()
    frontier.push([link(1)])
    for _ in range(9):
        (lease,) = frontier.lease(1, 0)
        # Of an earlier lease: it was given back.
        frontier.process(lease)
        frontier.release(lease)
        (lease,) = frontier.lease(1, 0)
        frontier = runs.begin()
        assert frontier.fatal_urls == []
    assert urls(take_all(frontier)) == [url(1)]


def test_a_run_that_is_killed_while_a_page_waits_blames_nobody(runs: Runs) -> None:
    frontier = runs.begin()
    frontier.push([link(1)])
    for _ in range(9):
        (lease,) = frontier.lease(1, 0)
        frontier.process(lease)
        frontier.process(lease, waits=True)
        frontier = runs.begin()
        assert frontier.fatal_urls == []
    assert urls(take_all(frontier)) == [url(1)]


def test_pages_of_silent_hosts_are_neither_blamed_nor_alone(runs: Runs) -> None:
    frontier = runs.begin(slots=9)
    frontier.push([link(n, -n) for n in range(5)])
    silent, *out = frontier.lease(3, 0)
    frontier.mark_silent(silent)
    frontier = runs.begin(slots=9)
    (first,) = frontier.lease(1, 0)
    assert (first.url, first.lost) == (silent.url, 0)
    frontier.ack(first)
    for lost in out:
        (suspect,) = frontier.lease(9, 0)
        assert (suspect.url, suspect.lost) == (lost.url, 1)
        assert frontier.next_due(0) is None
        frontier.mark_silent(suspect)
        assert frontier.next_due(0) == 0
    assert urls(frontier.lease(1, 0)) == [url(3)]
    # Its host answers after all: until it is read, no other page is begun.
    frontier.process(suspect)
    assert (frontier.lease(1, 0), frontier.next_due(0)) == ([], None)
    frontier = runs.begin(slots=9)
    for lost in (1, 2):
        (suspect,) = frontier.lease(1, 0)
        assert suspect.lost == lost
        frontier.ack(suspect)


def test_a_page_that_kills_every_run_after_a_silence_fails(runs: Runs) -> None:
    frontier = runs.begin()
    frontier.push([link(1)])
    for _ in range(4):
        (lease,) = frontier.lease(1, 0)
        frontier.mark_silent(lease)
        frontier.process(lease)
        frontier = runs.begin()
    assert frontier.fatal_urls == [url(1)]


def test_closing_releases(runs: Runs) -> None:
    frontier = runs.begin()
    frontier.push([link(1)])
    frontier.lease(1, 0)
    frontier.close()
    frontier = runs.begin()
    assert frontier.recovered == 0
    (lease,) = frontier.lease(1, 0)
    assert lease.lost == 0


def test_keys_tell_urls_apart(frontier: Frontier) -> None:
    one = Candidate(key_of(b"GET"), url(1), "a.example")
    other = Candidate(key_of(b"POST"), url(1), "a.example")
    assert frontier.push([one, other, one]) == Pushed(2, 0, 1)
    states = frontier.known([one.key, other.key, 1])
    assert states == dict.fromkeys([one.key, other.key], State.WAITING)


def test_any_text_is_kept(frontier: Frontier) -> None:
    odd = "http://例子.中国/\0?q=\"';--\n"
    half = Candidate.of("http://a/\ud800", "a\ud800", 1.0, text="\ud800玉米")
    frontier.push([Candidate.of(odd, "例子.中国\0", 0.5), half])
    frontier.pause("a\ud800", 10)
    assert frontier.counts(["a\ud800"]).hosts["a\ud800"].waiting == 1
    first, second = take_all(frontier, 10)
    assert (first.url, first.host, first.payload) == ("http://a/?", "a?", {"text": "\ud800玉米"})
    assert (second.url, second.host) == (odd, "例子.中国\0")
