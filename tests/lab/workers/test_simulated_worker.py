from __future__ import annotations

from math import inf

from focuscrawl.frontier import Candidate, Lease, State
from focuscrawl.lab.workers.recorded_responses import RecordedResponse
from focuscrawl.lab.workers.simulated_worker import SimulatedWorker
from tests.lab.workers.small_crawls import page, worker

HOME = "http://a.test/"


def started(patience: int = 20) -> tuple[SimulatedWorker, Lease]:
    one = worker(patience)
    one.accept(one.seed(HOME))
    return one, one.lease(0.0)


def found_elsewhere(url: str) -> Candidate:
    other = worker()
    other.accept(other.seed("http://z.test/"))
    (link,) = other.read(other.lease(0.0), page(url))
    return link


def test_the_links_of_a_page_wait_best_first() -> None:
    one, lease = started()
    assert one.best(0.0) == -inf
    links = one.read(lease, page(f"{HOME}1", "http://b.test/", relevant=True))
    for link in links:
        one.accept(link)
    assert one.best(0.0) == max(link.score for link in links) == one.best_of(links)
    assert one.lease(0.0).url == "http://b.test/"
    assert one.judged == [(one.judged[0][0], True)]


def test_a_redirect_is_followed_first_and_a_missing_page_counts_against_its_site() -> None:
    one, lease = started()
    (target,) = one.read(lease, RecordedResponse([], location=f"{HOME}new"))
    assert (target.url, target.score > lease.score) == (f"{HOME}new", True)
    one.accept(target)
    assert one.read(one.lease(0.0), None) == []
    assert one.statistics.is_due("a.test")
    assert not one.judged


def test_a_received_link_is_scored_by_what_the_owner_knows_of_its_site() -> None:
    one, lease = started()
    one.read(lease, page())
    stranger = found_elsewhere(f"{HOME}x")
    one.receive(stranger)
    assert one.best(0.0) < stranger.score - 1


def test_a_received_link_to_a_site_given_up_is_dropped() -> None:
    one, lease = started(patience=0)
    one.read(lease, page())
    stranger = found_elsewhere(f"{HOME}x")
    one.receive(stranger)
    assert one.best(0.0) == -inf
    one.accept(stranger)
    assert one.best(0.0) == stranger.score


def test_all_waiting_links_are_scored_again() -> None:
    one, lease = started()
    for link in one.read(lease, page(*(f"{HOME}{number}" for number in range(5)))):
        one.accept(link._replace(score=50.0))
    one.rescore()
    assert one.best(0.0) < 50


def test_states_are_those_of_its_own_shards() -> None:
    one, lease = started()
    links = one.read(lease, page(f"{HOME}1"))
    assert one.best_of(links) is None
    one.accept(links[0])
    assert one.best_of(links) == links[0].score
    (frontier,) = one.shards.values()
    assert frontier.known([lease.key])[lease.key] is State.DONE
