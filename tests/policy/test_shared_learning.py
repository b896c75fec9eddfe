"""Workers that share what they learn know what one worker would know that had judged all pages."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.policy.learning_log import Entry, read_entry
from focuscrawl.policy.online_learner import FIRST_BATCH, OnlineLearner
from tests.policy.shared_workers import (
    HOSTS,
    Judged,
    MemoryLearningLog,
    Worker,
    alone,
    crawl,
    known,
    page,
    some_pages,
)

PAGES = st.lists(
    st.builds(
        page,
        st.sampled_from(HOSTS),
        st.integers(0, 30),
        st.sampled_from(HOSTS),
        st.integers(0, 3),
        st.sampled_from([True, False, False, None]),
    ),
    max_size=40,
)


@given(PAGES, st.randoms(use_true_random=False), st.integers(1, 4), st.sampled_from([100, 10**6]))
def test_all_workers_know_what_one_would_know(
    pages: list[Judged], chance: random.Random, count: int, short: int
) -> None:
    log = MemoryLearningLog()
    workers = [Worker(f"w{number}", log, short) for number in range(count)]
    crawl(pages, workers, chance)
    for worker in [*workers, *workers]:
        worker.share()
    expected = known(alone(pages))
    late = Worker("late", log, short)
    late.share()
    for worker in [*workers, late]:
        assert known(worker) == expected


@given(PAGES, st.randoms(use_true_random=False))
def test_deltas_may_come_twice_and_in_any_order_of_the_workers(
    pages: list[Judged], chance: random.Random
) -> None:
    workers = [Worker(f"w{number}", MemoryLearningLog()) for number in range(3)]
    deltas: list[list[Entry]] = [[], [], []]
    for judged in pages:
        number = chance.randrange(3)
        workers[number].judge(judged)
        if chance.random() < 0.4 and (delta := workers[number].learning.take_delta()):
            deltas[number].append(delta)
    for worker, own in zip(workers, deltas, strict=True):
        own += filter(None, [worker.learning.take_delta()])
    order = chance.sample([n for n, own in enumerate(deltas) for _ in own], sum(map(len, deltas)))
    sources = [iter(own) for own in deltas]
    told = [next(sources[number]) for number in order]
    reader = Worker("reader", MemoryLearningLog())
    while told:
        cut = chance.randint(1, len(told))
        reader.learning.add_deltas(told[:cut])
        reader.learning.add_deltas([chance.choice(told[:cut])])
        told = told[cut:]
    assert known(reader) == known(alone(pages))


def test_weights_equal_those_of_training_link_by_link() -> None:
    judged = [each for each in some_pages(400) if each.verdict is not None][:FIRST_BATCH]
    shared, single = alone(judged), Worker("single", MemoryLearningLog())
    learner = OnlineLearner(single.scorer)
    trained = [learner.add(each.trail.link, bool(each.verdict)) for each in judged]
    assert trained == [False] * (FIRST_BATCH - 1) + [True]
    found, expected = shared.classifier.model, single.classifier.model
    assert found.bias == pytest.approx(expected.bias, rel=1e-12)
    assert found.weights == pytest.approx(expected.weights, rel=1e-9)


def test_a_worker_is_trained_when_the_links_of_all_have_doubled() -> None:
    log = MemoryLearningLog()
    one, other = Worker("one", log), Worker("other", log)
    judged = [each for each in some_pages(2_000) if each.verdict is not None]
    for each in judged[:100]:
        one.judge(each)
    one.share()
    moments = []
    for count, each in enumerate(judged[100:400], 1):
        if count == 10:
            changed = other.learning.add_deltas(other.exchange.round())
            assert not changed.is_trained
        if other.learner.add(each.trail.link, bool(each.verdict)):
            moments.append(count)
    assert moments == [28, 156]
    other.share()
    changed = one.learning.add_deltas(one.exchange.round())
    assert changed.is_trained


def test_domains_that_change_elsewhere_are_to_be_rescored_as_if_they_changed_here() -> None:
    log = MemoryLearningLog()
    here, elsewhere = Worker("here", log), Worker("elsewhere", log)
    assert here.state.statistics
    changes = []
    for number in range(200):
        here.judge(page(f"n{number}.trap.test", 1, "b.test", 1, number >= 40))
        here.share()
        changed = elsewhere.learning.add_deltas(elsewhere.exchange.round())
        domain = here.state.statistics.changed_domain(f"n{number}.trap.test")
        assert changed.domains == ({domain} if domain else set())
        changes += [number + 1] * bool(domain)
    assert changes == [18, 22, 27, 33, 41, 48]


def test_a_delta_is_a_small_json_object_and_empty_without_news() -> None:
    worker = Worker("one", MemoryLearningLog())
    assert worker.learning.take_delta() is None
    worker.judge(page("a.test", 1, "b.test", 0, True))
    delta = worker.learning.take_delta()
    assert delta
    assert worker.learning.take_delta() is None
    assert read_entry(delta.text()) == delta
    told = json.loads(delta.text())
    assert told["covers"] == {"one": 1}
    assert told["counts"]["sites"] == {"a.test": [1, 1]}
    assert told["counts"]["links"][""] == [0, 1]
    assert len(delta.text()) < 1_000


@pytest.mark.parametrize("seed", range(2))
def test_a_worker_that_was_away_for_long_begins_anew_and_loses_nothing(seed: int) -> None:
    chance, log = random.Random(seed), MemoryLearningLog()
    sleeper, *others = (Worker(f"w{number}", log, 500) for number in range(3))
    pages = some_pages(240, seed)
    crawl(pages[:40], [sleeper, *others], chance)
    sleeper.share()
    for judged in pages[40:60]:
        sleeper.judge(judged)
    taken = sleeper.learning.take_delta()
    for judged in pages[60:80]:
        sleeper.judge(judged)
    crawl(pages[80:], others, chance)
    first = int(log.read("", 1)[0][0])
    assert first > 10
    sleeper.learning.add_deltas(sleeper.exchange.round(taken), sleeper.exchange.waiting)
    for worker in (sleeper, *others, sleeper, *others):
        worker.share()
    expected = known(alone(pages))
    assert [known(worker) == expected for worker in (sleeper, *others)] == [True] * 3


def test_a_delta_of_many_sites_passes_a_milestone_of_their_domain() -> None:
    log = MemoryLearningLog()
    one, other = Worker("one", log), Worker("other", log)
    found = []
    for number in range(60):
        one.judge(page(f"n{number}.trap.test", 1, "b.test", 1, False))
        if number % 10 == 9:
            one.share()
            found.append(other.learning.add_deltas(other.exchange.round()).domains)
    assert found == [set(), *[{"trap.test"}] * 5]
