"""Online statistics of a crawl by site, path and neighbours, and the rank that they give to waiting links.

The words of a link tell little where they name no topic (Friends, 下一页). What its neighbours led to
tells more: Aggarwal, Al-Garawi & Yu 2001, *Intelligent crawling on the World Wide Web with arbitrary
predicates*, learn from siblings and URLs while they crawl; here they are joined with the link
classifier's log-odds. The weights are few, round and the same for every topic: chosen on the recorded
blogs, where figures change little when any of them is doubled or halved.
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.pages.link import Link
from focuscrawl.pages.registered_domains import domains_of

# Before anything of a site is known, so many of its pages are taken to be relevant, and that weighs
# as much as two pages.
_PRIOR_RATE = 0.15
_PRIOR_PAGES = 2.0
_LINK, _SITE, _PATH, _SIBLINGS = 0.5, 0.7, 0.5, 0.5
# The best links of a site go first: those that are left are worse than its rate says.
_PER_LOG_PAGE = -0.3
# One page tells a lot of a site of which nothing is known: it comes before all but the surest.
_UNKNOWN_SITE = 6.0
# Host names cost nothing: after so many sites below a domain without anything relevant, that domain
# tells what to expect of the next. A milestone, see is_milestone.
_ENOUGH_SITES = 18
# What a page of links to other sites is worth in relevant pages, and how soon that wears off.
_LEADS_OUT = 0.1
_WEARS_OFF = 2.0
_MOST = 0.9999

# The links of a page stand on other pages, too, and are scored again while they wait.
_REMEMBERED = 20_000
_SITES = 200_000
_PATHS = 200_000
_SIBLING_PAGES = 50_000

_OUTWARD = re.compile(
    r"友链|友情|友人|链接|邻居|小伙伴|朋友|导航|友鏈|鏈接|朋友圈|friend|\blinks?\b|/f?links?\b|blogroll",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")


class Trail(NamedTuple):
    """What is remembered of a link that was followed, or waits: the link, and the page it stands on."""

    link: Link
    via: str


def leads_out(link: Link) -> bool:
    """Whether the words of a link promise a page of links to other sites.

    >>> leads_out(Link("http://a.test/about/", "友情链接")), leads_out(Link("http://a.test/linker", "x"))
    (True, False)
    """
    return _speaks_of_links(link.anchor) or _path_speaks_of_links(link.url)


@lru_cache(_REMEMBERED)
def _speaks_of_links(text: str) -> bool:
    return bool(_OUTWARD.search(text))


@lru_cache(_REMEMBERED)
def _path_speaks_of_links(url: str) -> bool:
    address = url.partition("?")[0]
    path = address.find("/", len("https://"))
    return path > 0 and bool(_OUTWARD.search(address, path))


class Rates:
    """Relevant pages among those fetched, by name; the names not seen for longest are forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[object, tuple[int, int]] = {}

    def add(self, name: object, is_relevant: bool, *, is_new: bool = True) -> int:
        """Count a page; return how many there are. One that is not new may have become relevant."""
        pages, relevant = self._counts.pop(name, (0, 0))
        self._counts[name] = (pages + is_new, relevant + is_relevant)
        if len(self._counts) > self._most:
            del self._counts[next(iter(self._counts))]
        return pages + is_new

    def pages(self, name: object) -> int:
        """Return how many pages there are."""
        return self._counts.get(name, (0, 0))[0]

    def relevant(self, name: object) -> int:
        """Return how many relevant pages there are."""
        return self._counts.get(name, (0, 0))[1]

    def rate(self, name: object, prior: float) -> float:
        """Return the share of relevant pages, drawn towards ``prior`` where there are few."""
        pages, relevant = self._counts.get(name, (0, 0))
        return (relevant + _PRIOR_PAGES * prior) / (pages + _PRIOR_PAGES)


class Experience:
    """Ranks links by classifier, site, path and siblings; each judged page changes what it knows.

    The order in which pages are judged makes no difference but for what is forgotten.
    """

    def __init__(self) -> None:
        self._sites = Rates(_SITES)
        self._paths = Rates(_PATHS)
        self._siblings = Rates(_SIBLING_PAGES)
        self._outward = Rates(_SITES)
        # In place of pages: the sites below a domain, and those with a relevant page.
        self._domains = Rates(_SITES)
        # Domains whose waiting sites have been scored as barren. To look up the domains of every
        # unknown site costs a hundredth of a crawl: mostly there is no barren one.
        self._barren: set[str] = set()

    def judged(self, url: str, trail: Trail, is_relevant: bool) -> None:
        """Learn from a fetched page; ``trail`` is that of the link which led to it."""
        self._add_to_site(site_of(url), is_relevant)
        self._paths.add(path_pattern(url), is_relevant)
        if trail.via:
            self._siblings.add(trail.via, is_relevant)
        if leads_out(trail.link):
            self._outward.add(site_of(url), is_relevant)

    def is_due(self, site: str) -> bool:
        """Whether so much more is known of a site that its waiting links should be scored anew."""
        return is_milestone(self._sites.pages(site))

    def changed_domain(self, site: str) -> str:
        """Return the widest domain of a site whose waiting links should be scored again.

        A page of the site has told that nothing is to be expected of the domain's other sites, or
        that something is to be expected again; an empty string if there is no such domain.
        """
        for domain in domains_of(site) if self._barren else ():
            if domain not in self._barren:
                continue
            if not self._is_barren(domain):
                self._barren.remove(domain)
                return domain
            if self._sites.pages(site) == 1 and is_milestone(self._domains.pages(domain)):
                return domain
        return ""

    def score(self, trail: Trail, probability: float) -> float:
        """Return the log-odds that a link is worth following.

        ``probability``: the link classifier's, that its target is relevant.
        """
        url = trail.link.url
        site = site_of(url)
        pages = self._sites.pages(site)
        rate, bonus = self._sites.rate(site, _PRIOR_RATE), 0.0
        if not pages:
            rate, bonus = self._unknown_site(site)
        of_site = _logit(rate)
        total = (
            _LINK * _logit(probability)
            + _SITE * of_site
            + _PATH * (_logit(self._paths.rate(path_pattern(url), rate)) - of_site)
            + _SIBLINGS * (_logit(self._siblings.rate(trail.via, rate)) - of_site)
            + _PER_LOG_PAGE * math.log1p(pages)
            + bonus
        )
        if not leads_out(trail.link):
            return total
        worth = 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))
        worth += _LEADS_OUT / (1 + _WEARS_OFF * self._outward.pages(site))
        return max(total, _logit(min(worth, _MOST)))

    def _add_to_site(self, site: str, is_relevant: bool) -> None:
        was_relevant = self._sites.relevant(site) > 0
        is_new = self._sites.add(site, is_relevant) == 1
        if is_new or (is_relevant and not was_relevant):
            for domain in domains_of(site):
                self._domains.add(domain, is_relevant, is_new=is_new)
                if self._is_barren(domain):
                    self._barren.add(domain)

    def _unknown_site(self, site: str) -> tuple[float, float]:
        """Return the rate to expect of a site, and what one page of it would tell."""
        barren = next(filter(self._is_barren, domains_of(site)), "") if self._barren else ""
        if barren:
            return self._domains.rate(barren, _PRIOR_RATE), 0.0
        return _PRIOR_RATE, _UNKNOWN_SITE

    def _is_barren(self, domain: str) -> bool:
        is_known = self._domains.pages(domain) >= _ENOUGH_SITES
        return is_known and self._domains.rate(domain, _PRIOR_RATE) < _PRIOR_RATE


def is_milestone(count: int) -> bool:
    """Whether a count has grown by about a quarter: what is due then is done log(count) times.

    >>> [count for count in range(30) if is_milestone(count)]
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27]
    """
    return count in _milestones()


@lru_cache(_REMEMBERED)
def site_of(url: str) -> str:
    """Return the site of a canonical URL: its host, as the frontier names it.

    >>> site_of("http://a.test:8080/b")
    'a.test'
    """
    return urlsplit(url).hostname or ""


@lru_cache(_REMEMBERED)
def path_pattern(url: str) -> str:
    """Return what the pages of a section have in common: host, first two folders, depth.

    Numbers are all alike.

    >>> path_pattern("http://a.test/posts/2019/07/word2vec/")
    'a.test/posts/#/4'
    """
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    folders = [_NUMBER.sub("#", segment) for segment in segments[:-1]][:2]
    return "/".join([parts.netloc, *folders, str(len(segments))])


@cache
def _milestones() -> frozenset[int]:
    found = [1]
    while found[-1] < 10**10:
        found.append(found[-1] + max(1, found[-1] // 4))
    return frozenset(found)


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))
