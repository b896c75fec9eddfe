"""Topical communities behind irrelevant ones, walked link by link."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html

from focuscrawl.demo import DemoWeb
from focuscrawl.demo.communities.community_web import Communities, PageKind, PageTruth
from focuscrawl.errors import ArgumentError

SMALL = {"seed": 11, "count": 24, "articles": 12, "longest_chain": 7}
DEAD = re.compile(r"http://(gone-\d+|blogware)\.demo\.test/")


def decoded(body: bytes) -> str:
    """Decode by the superset of what is declared: gb2312 pages hold characters of GB18030."""
    declared = re.search(rb"charset=\"?([\w-]+)", body[:200])
    assert declared
    return body.decode({"gb2312": "gb18030"}.get(declared[1].decode(), declared[1].decode()))


class Walk:
    """All pages that links lead to, from the first community on."""

    def __init__(self, communities: Communities) -> None:
        self.communities = communities
        self.pages: dict[str, html.HtmlElement] = {}
        self.targets: dict[str, list[str]] = {}
        self.redirects: dict[str, str] = {}
        self.others: Counter[str] = Counter()
        waiting = [communities.map.communities[0].home]
        while waiting:
            url = waiting.pop()
            if url not in self.pages and url not in self.redirects:
                waiting += self._visit(url)

    def _visit(self, url: str) -> Iterator[str]:
        parts = urlsplit(url)
        site = self.communities.get(parts.hostname or "")
        if site is None:
            assert DEAD.fullmatch(url), url
            self.others["dead host"] += 1
            return
        response = site.respond(parts.path, parts.query, {})
        if response.status == 301:
            self.redirects[url] = urljoin(url, response.headers["Location"])
            yield self.redirects[url]
        elif response.status == 200 and response.headers["Content-Type"] == "text/html":
            self.pages[url] = page = html.fromstring(decoded(response.body))
            page.make_links_absolute(url)
            self.targets[url] = [
                href for href in page.xpath("//a/@href") if href.startswith("http:")
            ]
            yield from self.targets[url]
        else:
            self.others[f"{response.status} {response.headers['Content-Type']}"] += 1


@pytest.fixture(scope="module")
def communities() -> Communities:
    return Communities(**SMALL)


@pytest.fixture(scope="module")
def walk(communities: Communities) -> Walk:
    return Walk(communities)


@pytest.fixture(scope="module")
def truth(communities: Communities) -> dict[str, PageTruth]:
    return {known.url: known for known in communities.truth()}


def page(communities: Communities, url: str) -> bytes:
    parts = urlsplit(url)
    return communities[parts.hostname or ""].respond(parts.path, "", {}).body


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(
    communities: Communities,
) -> None:
    urls = [known.url for known in communities.truth()][::17]
    again = Communities(**SMALL)
    other = Communities(**SMALL | {"seed": 12})
    assert all(page(communities, url) == page(again, url) for url in urls)
    assert sum(page(communities, url) == page(other, url) for url in urls) < len(urls) / 10


def test_links_lead_to_every_page_that_the_truth_names_and_to_no_other(
    truth: dict[str, PageTruth], walk: Walk
) -> None:
    assert set(walk.pages) == set(truth)
    others = {"dead host", "403 text/plain", "404 text/plain", "200 application/pdf"}
    assert set(walk.others) == others
    assert set(walk.redirects.values()) <= set(truth)


def test_a_hub_is_relevant_if_most_posts_it_lists_are(
    truth: dict[str, PageTruth], walk: Walk
) -> None:
    checked = Counter[bool]()
    for url, known in truth.items():
        # The archive and the lists of a category name posts only in their middle.
        if "/category/" not in url and "/archive/" not in url:
            continue
        middle = walk.pages[url].xpath("//main | //td[@class='content']")[0]
        posts = {urljoin(url, href) for href in middle.xpath(".//a/@href") if "/post/" in href}
        relevant = [truth[post].relevant for post in posts]
        assert posts or "/category/" in url
        if posts:
            assert known.relevant == (sum(relevant) > len(relevant) / 2)
            checked[known.relevant] += 1
    assert min(checked.values()) >= 10


def test_every_chain_is_as_long_as_it_says(
    communities: Communities, truth: dict[str, PageTruth], walk: Walk
) -> None:
    assert {chain.pages for chain in communities.map.chains} >= {1, 2, 3}
    for chain in communities.map.chains:
        start, end = (communities.map.communities[n].home for n in (chain.start, chain.end))
        assert irrelevant_pages_between(truth, walk, start, end) == chain.pages


def irrelevant_pages_between(truth: dict[str, PageTruth], walk: Walk, start: str, end: str) -> int:
    best = {start: 0}
    queue = [(0, start)]
    while queue:
        cost, url = heapq.heappop(queue)
        if url == end:
            return cost
        for target in walk.targets.get(url, ()):
            known = truth.get(walk.redirects.get(target, target))
            if known is None:
                continue
            total = cost + (not known.relevant)
            if total < best.get(known.url, 1 << 30):
                best[known.url] = total
                heapq.heappush(queue, (total, known.url))
    raise AssertionError(f"no way from {start} to {end}")


def test_relevant_pages_are_in_topical_communities_only(communities: Communities) -> None:
    topical = set(communities.hosts(topical=True))
    counts = Counter(
        (known.kind, known.relevant, urlsplit(known.url).hostname in topical)
        for known in communities.truth()
    )
    assert not counts[PageKind.POST, True, False] + counts[PageKind.HUB, True, False]
    # Also a topical community writes of other things.
    assert counts[PageKind.POST, False, True] > 0
    assert 0.05 < len(topical) / len(communities) < 0.5
    assert len(topical) + len(communities.hosts(topical=False)) == len(communities)


def test_pages_come_in_three_charsets_and_two_scripts(communities: Communities) -> None:
    found = Counter()
    for one in communities.map.communities:
        text = decoded(page(communities, one.home))
        assert f'charset="{one.charset}"' in text or f"charset={one.charset}" in text
        assert ("標籤" in text) == (one.charset == "big5")
        found[one.charset] += 1
    assert set(found) == {"utf-8", "gb2312", "big5"}


def test_the_demo_web_serves_them_beside_its_bulletins(communities: Communities) -> None:
    web = DemoWeb(seed=7, days=3, today=date(2026, 3, 5), more_sites=communities)
    home = communities.map.communities[5].home
    assert web.respond(home, {}).body == page(communities, home)
    assert web.respond("http://bulletins.demo.test/list/", {}).status == 200
    assert web.respond(home + "nothing", {}).status == 404
    assert web.respond(home + "page/99/", {}).status == 404
    assert b"Disallow: /admin/" in web.respond(home + "robots.txt", {}).body
    assert b"and 22 more" in web.respond("http://elsewhere.test/", {}).body


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"count": 0}, "communities=0"),
        ({"articles": 0}, "articles=0"),
        ({"longest_chain": 0}, "longest chain=0"),
        ({"theme": "gardening"}, "choose from finance, agriculture"),
    ],
)
def test_what_cannot_be_gets_a_sentence(changes: dict[str, object], part: str) -> None:
    with pytest.raises(ArgumentError, match=part):
        Communities(**SMALL | changes)
