"""Choice of the links of a judged page, and the state of a resumed crawl."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from focuscrawl.frontier import Candidate, Ended, Outcome, SqliteFrontier, State, failed, key_of
from focuscrawl.pages.link import Link, ScoredLink
from focuscrawl.policy.crawler_traps import (
    BARREN_PATH,
    DEFAULT_RULES,
    REPEATED_PATH,
    TOO_DEEP,
)
from focuscrawl.policy.link_orders import ByClassifier, ByStatistics
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail, site_of
from focuscrawl.policy.sparse_tunnel import (
    IRRELEVANT_SITE,
    SITE_QUOTA,
    TOO_LONG,
    Mode,
    Tunnel,
    TunnelRules,
)
from focuscrawl.policy.topical_crawl import (
    BLACKLIST,
    IRRELEVANT,
    MOST_SITES,
    RELEVANT,
    JudgedPage,
    LinkChoices,
    TopicalCrawl,
)

HERE = "http://here.test/"
SPARSE = TunnelRules(Mode.SPARSE_TUNNEL, length=3, entries=3, patience=2)


def begin(rules: TunnelRules = SPARSE, statistics: OnlineStatistics | None = None) -> TopicalCrawl:
    order = ByStatistics(statistics) if statistics else ByClassifier()
    return TopicalCrawl(Tunnel(rules), order, statistics, lambda url: "black.test" in url)


def scored(url: str, score: float = 0.0) -> ScoredLink:
    return ScoredLink(Link(url), score, 0.5)


def judged(
    links: Iterable[ScoredLink] = (),
    *,
    url: str = HERE,
    steps: int = 0,
    depth: int = 0,
    is_relevant: bool = False,
) -> JudgedPage:
    return JudgedPage(url, Trail(Link(url), ""), steps, depth, is_relevant, list(links))


def choose(
    crawl: TopicalCrawl,
    page: JudgedPage,
    known: Mapping[str, State] | None = None,
    waiting: Mapping[str, int] | None = None,
) -> LinkChoices:
    return crawl.choose_links(
        page,
        lambda urls: {url: (known or {})[url] for url in urls if url in (known or {})},
        lambda sites: {site: (waiting or {}).get(site, 0) for site in sites},
    )


def urls(found: LinkChoices) -> list[str]:
    return [link.url for link, _, _ in found.followed]


def test_links_are_followed_best_first_with_the_steps_of_their_page() -> None:
    links = [scored("http://a.test/", -1), scored("http://b.test/", 3), scored("http://c.test/", 1)]
    found = choose(begin(), judged(links, steps=1))
    assert [(link.url, score, steps) for link, score, steps in found.followed] == [
        ("http://b.test/", 3, 2),
        ("http://c.test/", 1, 2),
        ("http://a.test/", -1, 2),
    ]
    assert (found.refused, found.is_site_given_up) == ([], False)
    relevant = choose(begin(), judged(links, steps=3, is_relevant=True))
    assert {steps for _, _, steps in relevant.followed} == {0}


def test_the_best_links_get_the_quota_r_of_a_site() -> None:
    links = [scored(f"http://new.test/{n}", n) for n in (2, 5, 1, 4, 3)]
    found = choose(begin(), judged(links), waiting={"new.test": 1})
    assert urls(found) == ["http://new.test/5", "http://new.test/4"]
    assert found.refused == [(f"http://new.test/{n}", SITE_QUOTA) for n in (3, 2, 1)]


def test_waiting_urls_may_rise_at_no_cost_and_final_ones_are_skipped() -> None:
    others = [state for state in State if state is not State.WAITING]
    known = {f"http://new.test/{state}": state for state in State}
    links = [scored(url, 9) for url in known]
    links += [scored(f"http://new.test/{n}", -n) for n in range(4)]
    found = choose(begin(), judged(links), known, {"new.test": 1})
    assert urls(found) == [
        f"http://new.test/{State.WAITING}",
        "http://new.test/0",
        "http://new.test/1",
    ]
    assert found.refused == [(f"http://new.test/{n}", SITE_QUOTA) for n in (2, 3)]
    assert not {f"http://new.test/{state}" for state in others} & set(urls(found))
    full = choose(begin(), judged(links, url="http://b.test/"), known, {"new.test": 3})
    assert urls(full) == [f"http://new.test/{State.WAITING}"]


def test_a_waiting_url_does_not_rise_by_a_link_beyond_the_end_of_a_tunnel() -> None:
    known = {"http://new.test/": State.WAITING}
    links = [scored("http://new.test/", 9)]
    assert urls(choose(begin(), judged(links, steps=1), known)) == ["http://new.test/"]
    for steps in (3, 9):
        assert choose(begin(), judged(links, steps=steps), known) == LinkChoices([], [], False)
    endless = SPARSE._replace(mode=Mode.BEST_FIRST)
    assert choose(begin(endless), judged(links, steps=99), known).followed


def test_a_link_is_one_deeper_than_its_page() -> None:
    deepest = DEFAULT_RULES.depth
    links = [scored("http://new.test/")]
    assert choose(begin(), judged(links, depth=deepest - 1)).followed
    assert choose(begin(), judged(links, depth=deepest)).refused == [("http://new.test/", TOO_DEEP)]


def test_every_refusal_has_its_reason() -> None:
    crawl = begin()
    for n in range(3):
        choose(crawl, judged(url=f"http://bad.test/{n}"))
    links = [
        scored("http://black.test/x", 9),
        scored("http://bad.test/x", 8),
        scored("http://a.test/x", 7),
        scored("http://a.test/y/y/y/", 6),
    ]
    found = choose(crawl, judged(links, depth=3))
    assert urls(found) == ["http://a.test/x"]
    assert dict(found.refused) == {
        "http://black.test/x": BLACKLIST,
        "http://bad.test/x": IRRELEVANT_SITE,
        "http://a.test/y/y/y/": REPEATED_PATH,
    }
    too_long = choose(crawl, judged(links, steps=3))
    assert Counter(reason for _, reason in too_long.refused) == {
        BLACKLIST: 1,
        TOO_LONG: 2,
        REPEATED_PATH: 1,
    }
    deep = choose(crawl, judged(links, depth=100_000, is_relevant=True))
    assert {reason for _, reason in deep.refused} == {BLACKLIST, TOO_DEEP}
    assert deep.followed == []


def test_a_redirect_to_a_given_up_site_is_refused() -> None:
    crawl = begin()
    for number in range(SPARSE.patience + 1):
        assert not crawl.refusal_of_redirect("http://bad.test/other")
        choose(crawl, judged(url=f"http://bad.test/{number}"))
    assert crawl.refusal_of_redirect("http://bad.test/other") == IRRELEVANT_SITE
    assert not crawl.refusal_of_redirect("http://new.test/")


def test_equal_scores_keep_the_order_of_the_page() -> None:
    links = [scored(f"http://{name}.test/") for name in "dacb"]
    assert urls(choose(begin(), judged(links))) == [link.link.url for link in links]


def test_a_site_is_given_up_with_the_page_that_exhausts_patience() -> None:
    crawl = begin()
    links = [scored("http://bad.test/next"), scored("http://a.test/")]
    given_up = [
        choose(crawl, judged(links, url=f"http://bad.test/{n}")).is_site_given_up for n in range(3)
    ]
    assert given_up == [False, False, True]
    last = choose(crawl, judged(links, url="http://bad.test/3"))
    assert urls(last) == ["http://a.test/"]
    assert last.refused == [("http://bad.test/next", IRRELEVANT_SITE)]


def test_waiting_urls_are_counted_only_for_rationed_sites() -> None:
    crawl = begin()
    choose(crawl, judged(url="http://good.test/", is_relevant=True))
    requested: list[str] = []

    def waiting(sites: Sequence[str]) -> dict[str, int]:
        requested.extend(sites)
        return dict.fromkeys(sites, 0)

    links = [scored("http://good.test/1"), scored("http://new.test/1"), scored("http://new.test/2")]
    crawl.choose_links(judged(links), lambda urls: {}, waiting)
    assert requested == ["new.test"]


class Web:
    """Random sites of random pages; some are relevant, some pages fail."""

    def __init__(self, chance: random.Random) -> None:
        self.pages = {
            f"http://s{site}.test/p{number % 3}/{number}": (
                chance.random() < (0.5 if site % 3 == 0 else 0.02),
                chance.random() < 0.1,
            )
            for site in range(9)
            for number in range(14)
        }
        self.links = {
            url: [
                ScoredLink(
                    Link(to, chance.choice(["友链", "x"])), chance.gauss(0, 2), chance.random()
                )
                for to in chance.sample(list(self.pages), 12)
            ]
            for url in self.pages
        }


def crawled(web: Web, crawl: TopicalCrawl, frontier: SqliteFrontier, most: int) -> int:
    """Simulate a crawl; return its number of pages."""
    first = next(iter(web.pages))
    frontier.push([candidate(first, 0.0, Trail(Link(first), ""), 0)])
    for page in range(most):
        leases = frontier.lease(1, 0)
        if not leases:
            return page
        (lease,) = leases
        trail = trail_of(lease.url, lease.payload)
        is_relevant, has_failed = web.pages[lease.url]
        if has_failed:
            crawl.failed(lease.url, trail)
            frontier.ack(lease, [], failed("404"))
            continue
        steps = lease.payload["steps"]
        now = JudgedPage(lease.url, trail, steps, 0, is_relevant, web.links[lease.url])
        found = crawl.choose_links(
            now,
            lambda urls: {
                url: state for url in urls for state in frontier.known([key_of(url)]).values()
            },
            lambda sites: {s: n.waiting for s, n in frontier.counts(sites).hosts.items()},
        )
        if found.is_site_given_up:
            frontier.drop_host(site_of(lease.url), IRRELEVANT_SITE)
        links = [
            candidate(link.url, score, Trail(link, lease.url), steps)
            for link, score, steps in found.followed
        ]
        verdict = RELEVANT if is_relevant else IRRELEVANT
        frontier.ack(lease, links, Outcome(State.DONE, verdict))
    return most


def candidate(url: str, score: float, trail: Trail, steps: int) -> Candidate:
    words = [trail.link.anchor, trail.via]
    return Candidate.of(url, site_of(url), score, trail=words, steps=steps)


def trail_of(url: str, payload: Mapping[str, object]) -> Trail:
    anchor, via = payload["trail"]  # type: ignore[misc]
    return Trail(Link(url, anchor), via)


def remembered(ended: Ended) -> Trail:
    return trail_of(ended.url, ended.payload)


@pytest.mark.parametrize("seed", range(4))
def test_a_resumed_crawl_has_the_state_of_the_interrupted_one(tmp_path: Path, seed: int) -> None:
    web = Web(random.Random(seed))
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    lived = begin(SPARSE._replace(length=9), OnlineStatistics())
    pages = crawled(web, lived, frontier, 60)
    assert pages > 20
    told = begin(lived.tunnel.rules, OnlineStatistics())
    told.remember(frontier.each_ended(), remembered)
    assert told.tunnel.sites() == lived.tunnel.sites()
    assert lived.statistics
    assert told.statistics
    for url, links in web.links.items():
        site = site_of(url)
        for waiting in (0, 3):
            answer = told.tunnel.refusal(site, 9, waiting)
            assert answer == lived.tunnel.refusal(site, 9, waiting)
        for link, _, probability in links:
            trail = Trail(link, url)
            assert told.statistics.score(trail, probability) == lived.statistics.score(
                trail, probability
            )
    # Both continue identically, so no state that matters was lost.
    page = judged([link for links in web.links.values() for link in links], url="http://s1.test/z")
    assert choose(told, page) == choose(lived, page)


def test_barren_paths_are_remembered(tmp_path: Path) -> None:
    rules = SPARSE._replace(mode=Mode.BEST_FIRST)
    lived, frontier = begin(rules), SqliteFrontier(tmp_path / "frontier.sqlite")
    items = [f"http://shop.test/item/{n}" for n in range(250)]
    frontier.push([candidate(url, 0.0, Trail(Link(url), ""), 0) for url in items])
    while leases := frontier.lease(1, 0):
        choose(lived, judged(url=leases[0].url))
        frontier.ack(leases[0], [], Outcome(State.DONE, IRRELEVANT))
    told = begin(rules)
    told.remember(frontier.each_ended(), remembered)
    page = judged([scored("http://shop.test/item/999"), scored("http://shop.test/about")])
    assert choose(told, page) == choose(lived, page)
    assert choose(told, page).refused == [("http://shop.test/item/999", BARREN_PATH)]


def test_nothing_is_learned_from_pages_that_were_not_judged(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.sqlite")
    ends = [Outcome(State.DONE, reason) for reason in ("", "redirected", "no HTML")]
    ends.append(Outcome(State.DROPPED, "robots.txt"))
    frontier.push([candidate(f"{HERE}{n}", -n, Trail(Link(HERE), ""), 0) for n in range(len(ends))])
    for end in ends:
        (lease,) = frontier.lease(1, 0)
        frontier.ack(lease, [], end)
    told = begin(statistics=OnlineStatistics())
    told.remember(frontier.each_ended(), remembered)
    assert sum(told.tunnel.sites().values()) == 0
    requested = Trail(Link(HERE), HERE)
    assert told.statistics
    assert told.statistics.score(requested, 0.5) == OnlineStatistics().score(requested, 0.5)


def test_unknown_sites_per_page_and_domain_are_limited() -> None:
    names = [scored(f"http://n{n}.trap.test/{page}", -n) for n in range(99) for page in "ab"]
    blogs = [scored(f"http://n{n}.github.io/", -n) for n in range(99)]
    found = choose(begin(), judged([*names, *blogs, scored("http://other.test/", -200)]))
    followed = urls(found)
    assert {site_of(url) for url in followed if "trap" in url} == {
        f"n{n}.trap.test" for n in range(MOST_SITES)
    }
    assert len(followed) == 2 * MOST_SITES + 99 + 1
    assert ("http://n98.trap.test/a", SITE_QUOTA) in found.refused
