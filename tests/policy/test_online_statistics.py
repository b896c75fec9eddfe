"""Statistics of sites, paths, siblings and outward links, and their effect on scores."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.pages.link import Link
from focuscrawl.policy.online_statistics import (
    OnlineStatistics,
    Rates,
    Trail,
    leads_out,
    path_pattern,
    site_of,
)

ODD_URLS = (
    "http://[::1]:8080/a/b?c=1",
    "http://[2001:db8::1]/",
    "http://127.0.0.1:81/%E6%9C%BA/",
    "http://user:pass%40@a.test:8080//x//y/",
    "http://a.test./;p?q",
    "http://例子.中国/机器学习/2019/07/",
    "http://a.test/%5B%00%7F",
    "https://a.test/?#",
    "http://a_b.test/\u202e/x",
)
PROBABILITIES = st.floats(0, 1)
VERDICTS = st.lists(st.booleans(), max_size=30)


def link(url: str = "http://a.test/posts/x", anchor: str = "") -> Link:
    return Link(url, anchor)


def trail(
    url: str = "http://a.test/posts/x", via: str = "http://z.test/", anchor: str = ""
) -> Trail:
    return Trail(link(url, anchor), via)


def learned(*pages: tuple[str, str, bool]) -> OnlineStatistics:
    """Return the statistics of pages: URL, the page that led to it, relevance."""
    statistics = OnlineStatistics()
    for url, via, is_relevant in pages:
        statistics.judged(url, trail(url, via), is_relevant)
    return statistics


def chance_of(score: float) -> float:
    return 1 / (1 + math.exp(-score))


def test_a_rate_starts_at_the_prior_and_converges_to_the_observed_share() -> None:
    rates = Rates(10)
    assert rates.rate("a", 0.15) == pytest.approx(0.15)
    assert [rates.add("a", verdict) for verdict in (True, False)] == [1, 2]
    assert rates.rate("a", 0.15) == pytest.approx((1 + 2 * 0.15) / 4)
    assert rates.rate("b", 0.15) == pytest.approx(0.15)
    for _ in range(998):
        rates.add("a", True)
    assert rates.pages("a") == 1000
    assert rates.rate("a", 0.15) == pytest.approx(0.999, abs=0.002)


def test_the_least_recently_updated_name_is_evicted() -> None:
    rates = Rates(3)
    for name in "abcab":
        rates.add(name, True)
    rates.add("d", True)
    assert [rates.pages(name) for name in "abcd"] == [2, 2, 0, 1]
    rates.rate("a", 0.1)
    rates.add("e", False)
    assert [rates.pages(name) for name in "abde"] == [0, 2, 1, 1]


@given(st.sampled_from(ODD_URLS), PROBABILITIES, VERDICTS)
def test_any_url_and_probability_has_a_finite_score(
    url: str, probability: float, verdicts: list[bool]
) -> None:
    canonical = canonical_url(url)
    statistics = OnlineStatistics()
    for verdict in verdicts:
        statistics.judged(canonical, trail(canonical), verdict)
    assert math.isfinite(statistics.score(trail(canonical), probability))
    assert site_of(canonical)
    assert path_pattern(canonical)


@given(PROBABILITIES, PROBABILITIES, VERDICTS, st.sampled_from(["", "友情链接"]))
def test_a_better_link_never_scores_lower(
    one: float, other: float, verdicts: list[bool], anchor: str
) -> None:
    statistics = learned(*(("http://a.test/posts/y", "http://z.test/", v) for v in verdicts))
    low, high = sorted([one, other])
    requested = trail(anchor=anchor)
    assert statistics.score(requested, low) <= statistics.score(requested, high)


ELSEWHERE = "http://elsewhere.test/"


@pytest.mark.parametrize(
    ("url", "via"),
    [
        ("http://a.test/posts/y", ELSEWHERE),
        ("http://a.test/", ELSEWHERE),
        ("http://b.test/", "http://z.test/"),
    ],
    ids=["path", "site", "siblings"],
)
def test_relevant_neighbours_raise_and_irrelevant_ones_lower_a_score(url: str, via: str) -> None:
    known = [("http://a.test/about/", ELSEWHERE, False)]
    scores = {True: [], False: []}
    for verdict, found in scores.items():
        for count in range(6):
            statistics = learned(*known, *[(url, via, verdict)] * count)
            found.append(statistics.score(trail(), 0.5))
    assert scores[True] == sorted(scores[True])
    assert scores[False] == sorted(scores[False], reverse=True)
    assert scores[False][-1] < scores[False][0] < scores[True][-1]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["http://a.test/posts/y", "http://a.test/", "http://b.test/links/"]),
            st.sampled_from(["http://z.test/", "http://a.test/", ""]),
            st.booleans(),
        ),
        max_size=20,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_judged_pages_makes_no_difference(
    pages: list[tuple[str, str, bool]], chance: random.Random
) -> None:
    one, other = learned(*pages), learned(*chance.sample(pages, len(pages)))
    for requested in (trail(), trail("http://b.test/friends/"), trail("http://c.test/")):
        assert one.score(requested, 0.3) == other.score(requested, 0.3)


def test_an_unknown_site_precedes_all_but_the_most_certain_links() -> None:
    statistics = learned(
        *[("http://good.test/posts/x", "http://good.test/", True)] * 30,
        *[("http://bad.test/posts/x", "http://bad.test/", False)] * 30,
        *[("http://fair.test/posts/x", "http://fair.test/", bool(n % 2)) for n in range(30)],
    )

    def score(site: str, probability: float) -> float:
        return statistics.score(trail(f"http://{site}/posts/y", f"http://{site}/"), probability)

    unknown = score("new.test", 0.1)
    assert score("bad.test", 0.99) < score("fair.test", 0.5) < unknown < score("good.test", 0.99)
    assert unknown < score("new.test", 0.3)


def test_the_home_page_of_a_site_entered_elsewhere_is_still_to_be_explored() -> None:
    statistics = learned(("http://a.test/posts/x", ELSEWHERE, False))
    home, other = trail("http://a.test/"), trail("http://a.test/posts/y")
    assert statistics.score(home, 0.1) == statistics.score(trail("http://new.test/"), 0.1)
    assert statistics.score(trail("http://a.test/?p=7"), 0.1) < statistics.score(home, 0.1)
    statistics.judged("http://a.test/", home, False)
    assert statistics.score(home, 0.1) < statistics.score(other, 0.1) + 1
    assert statistics.score(trail("http://new.test/"), 0.1) > statistics.score(home, 0.1) + 1


def test_an_unknown_site_is_worth_less_the_more_of_those_entered_had_nothing() -> None:
    statistics = OnlineStatistics()
    new = trail("http://new.test/", "http://y.test/")
    scores = [statistics.score(new, 0.1)]
    grown = []
    for number in range(20):
        url = f"http://s{number}.test/"
        statistics.failed(f"{url}0", trail(f"{url}0"))
        assert statistics.score(new, 0.1) == scores[-1]
        statistics.judged(url, trail(url), False)
        scores.append(statistics.score(new, 0.1))
        if statistics.has_more_sites():
            grown.append(number + 1)
        inside = trail(f"{url}x", url)
        statistics.judged(f"{url}x", inside, False)
        assert not statistics.has_more_sites()
    assert scores == sorted(scores, reverse=True)
    assert scores[0] - 2 < scores[-1] < scores[0] - 1
    assert grown == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18]
    worker = OnlineStatistics()
    worker.add_counts(statistics.counts())
    assert worker.score(new, 0.1) == scores[-1]
    assert [worker.has_more_sites() for _ in range(2)] == [True, False]
    for number in range(4):
        url = f"http://s{number}.test/"
        statistics.judged(f"{url}y", trail(f"{url}y", url), True)
    assert statistics.score(new, 0.1) > scores[3]


def test_seeds_are_no_tries() -> None:
    seeds = [f"http://s{number}.test/" for number in range(9)]
    inside = [(f"{url}x", url, False) for url in seeds]
    statistics = learned(*[(url, "", False) for url in seeds], *inside)
    new = trail("http://new.test/", "http://y.test/")
    assert statistics.score(new, 0.1) == OnlineStatistics().score(new, 0.1)


def test_an_unknown_site_is_worth_what_other_links_out_of_the_same_site_led_to() -> None:
    pages = [
        (f"http://{name}{number}.test/", f"http://{name}.test/links/", name == "good")
        for name in ("good", "bad")
        for number in range(4)
    ]
    statistics = learned(*pages, ("http://bad.test/posts/", "http://bad.test/", True))
    alike = OnlineStatistics()
    alike.add_counts(statistics.counts())
    for known in (statistics, alike):
        of_good, of_other, of_bad = (
            known.score(trail("http://new.test/", f"http://{name}.test/links/2/"), 0.1)
            for name in ("good", "other", "bad")
        )
        assert of_good - 0.5 > of_other > of_bad + 0.3
    failed = learned()
    failed.failed("http://dead.test/", trail("http://dead.test/", "http://other.test/"))
    new = trail("http://new.test/", "http://other.test/links/")
    assert failed.score(new, 0.1) == learned().score(new, 0.1)


def test_a_site_of_nothing_but_relevant_pages_is_not_certain() -> None:
    pages = [("http://a.test/posts/x", "http://a.test/", True)]
    few, many = learned(*pages * 50), learned(*pages * 5000)
    scores = [
        chance_of(known.score(trail("http://a.test/posts/y", "http://a.test/"), 0.5))
        for known in (few, many)
    ]
    assert scores[1] < scores[0] < 0.9


def test_unknown_sites_wait_while_the_known_ones_have_relevant_pages() -> None:
    pages = [("http://a.test/posts/x", "http://a.test/", n < 20) for n in range(40)]
    good, mixed = learned(*pages[:20]), learned(*pages)
    new, old = trail("http://new.test/"), trail("http://a.test/posts/y", "http://a.test/")
    assert good.score(old, 0.9) > good.score(new, 0.1)
    assert mixed.score(old, 0.9) < mixed.score(new, 0.1)
    assert good.is_unknown("new.test")
    assert not good.is_unknown("a.test")


def test_a_redirect_tells_of_the_site_that_was_asked_and_of_the_one_that_answered() -> None:
    statistics = learned()
    for number in range(3):
        asked = trail(f"http://short.test/{number}/")
        statistics.judged(f"http://long.test/{number}/", asked, False)
    new = statistics.score(trail("http://new.test/posts/y"), 0.1)
    scores = {statistics.score(trail(f"http://{site}.test/7/"), 0.1) for site in ("short", "long")}
    assert len(scores) == 1
    assert scores.pop() < new - 2


def test_the_value_of_a_page_of_links_decays() -> None:
    plain, out = trail("http://a.test/one/two/"), trail("http://a.test/friends/two/")
    gains = []
    statistics = learned(*[("http://a.test/about/", "", False)] * 5)
    for _ in range(5):
        gains.append(
            chance_of(statistics.score(out, 0.2)) - chance_of(statistics.score(plain, 0.2))
        )
        statistics.judged("http://b.test/x", trail("http://b.test/x", "", anchor="友链"), False)
        statistics.judged("http://a.test/links/", trail("http://a.test/links/", ""), False)
    assert gains[0] == pytest.approx(0.1, abs=0.001)
    assert gains[1] == pytest.approx(0.1 / 3, abs=0.001)
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] > 0


@pytest.mark.parametrize(
    ("url", "anchor", "expected"),
    [
        ("http://a.test/", "友情链接", True),
        ("http://a.test/", "My Friends", True),
        ("http://a.test/links.html", "", True),
        ("http://a.test/flink/", "", True),
        ("http://friend.test/", "首页", False),
        ("http://a.test/?links", "首页", False),
        ("http://a.test/linked-list/", "链表", False),
        ("http://a.test/posts/symlink/", "symlinks", False),
    ],
)
def test_detection_of_links_to_pages_of_links(url: str, anchor: str, expected: bool) -> None:
    assert leads_out(link(url, anchor)) is expected


def test_sites_are_rescored_at_milestones() -> None:
    statistics = OnlineStatistics()
    due = []
    for count in range(1, 20):
        statistics.judged("http://a.test/", trail("http://a.test/"), False)
        if statistics.is_due("a.test"):
            due.append(count)
    assert due == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18]
    assert not statistics.is_due("b.test")


def test_endless_subdomains_of_a_barren_domain_score_below_an_unknown_site() -> None:
    statistics = learned(("http://good.test/posts/x", "http://good.test/", True))
    unknown = statistics.score(trail("http://n99.trap.test/", "http://trap.test/"), 0.1)
    due = []
    for number in range(60):
        site = f"n{number}.x.trap.test"
        statistics.judged(f"http://{site}/", trail(f"http://{site}/", f"http://{site}/a"), False)
        if statistics.changed_domain(site):
            due.append(number + 1)

    def score(site: str) -> float:
        return statistics.score(trail(f"http://{site}/posts/y", "http://z.test/"), 0.1)

    assert score("n99.trap.test") < score("good.test") < score("new.test") < unknown + 1
    assert due == [18, 22, 27, 33, 41, 51]
    statistics.judged("http://n1.x.trap.test/2", trail("http://n1.x.trap.test/2"), False)
    assert not statistics.changed_domain("n1.x.trap.test")


def test_a_domain_that_is_no_longer_barren_is_rescored() -> None:
    statistics = OnlineStatistics()
    waiting = trail("http://waits.blogs.test/", "http://from.test/")
    other = trail("http://waits.other.test/", "http://from.test/")
    changes = []
    for number in range(200):
        url = f"http://n{number}.blogs.test/"
        statistics.judged(url, trail(url), number >= 18)
        if statistics.changed_domain(f"n{number}.blogs.test"):
            is_as_others = statistics.score(waiting, 0.5) == statistics.score(other, 0.5)
            changes.append((number + 1, is_as_others))
    first, (_, is_as_others) = changes
    assert first == (18, False)
    assert is_as_others


def test_a_domain_with_relevant_sites_is_still_explored() -> None:
    statistics = OnlineStatistics()
    for number in range(60):
        url = f"http://n{number}.hosting.test/"
        statistics.judged(url, trail(url), False)
        statistics.judged(url, trail(url), number % 4 == 0)
    one_more, other = trail("http://n60.hosting.test/"), trail("http://new.test/")
    assert statistics.score(one_more, 0.1) == statistics.score(other, 0.1)


def test_endless_subdomains_of_a_domain_with_relevant_sites() -> None:
    statistics = OnlineStatistics()
    due = []
    for number in range(40):
        good, trap = f"n{number}.hosting.test", f"n{number}.x.hosting.test"
        for site, is_relevant in ((good, number % 2 == 0), (trap, False)):
            statistics.judged(f"http://{site}/", trail(f"http://{site}/"), is_relevant)
            due.append(statistics.changed_domain(site))

    def score(site: str) -> float:
        return statistics.score(trail(f"http://{site}/", "http://z.test/"), 0.1)

    assert set(due) == {"", "x.hosting.test"}
    assert score("n99.x.hosting.test") < score("n99.hosting.test") == score("new.test")
