"""Online statistics of a crawl by site, path and sibling links, and link scores computed from them.

The text of a link says little if it names no topic (Friends, 下一页). The relevance of the pages behind
its siblings says more: Aggarwal, Al-Garawi & Yu 2001, *Intelligent crawling on the World Wide Web with
arbitrary predicates*, learn from siblings and URLs while they crawl; here this is combined with the
link classifier's log-odds. The weights are few, round and the same for every topic: chosen on the
published halves of the recorded webs, where the harvest of three topics changes little when any of them
changes by a third.

A redirect tells of both its ends: the site that was asked, or its links would look unexplored forever,
and the site that answered.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.pages.link import Link, Position
from focuscrawl.pages.registered_domains import domains_of
from focuscrawl.policy.learned_counts import Counts, Pairs

# Prior of a site's share of relevant pages, and its weight in pages.
_PRIOR_RATE = 0.15
_PRIOR_PAGES = 2.0
# Share of the pages judged relevant that are (page rule on three topics: .64 to .93). Without
# it, a few verdicts make a site look better than any other, and they may all be wrong alike.
_PRECISION = 0.9
_LINK, _SITE, _PATH, _SIBLINGS = 0.5, 0.45, 0.5, 0.5
# The best links of a site are followed first, so the remaining ones are worse than its rate.
_PER_LOG_PAGE = -0.3
# The first page of an unknown site is informative, and so is the home page of a site that was entered
# elsewhere: one page off the topic tells little, the home page lists what the site has.
_UNKNOWN_SITE = 4.5
# Less informative are unknown sites where those entered before had no relevant page, and they can wait
# while the known ones have many: so much less with nothing but relevant pages.
_WHILE_GOOD = 4.0
_FEW_PAGES = 5.0
_PRIOR_SITES = 6.0
# The links of one site to others lead to pages alike.
_SOURCE = 0.5
_PRIOR_LINKS = 4.0
_WEB = ""  # the name of all sites together
# End of the pattern of a home page.
_HOME = "/0"
# Host names cost nothing: after so many sites below a domain, the domain's rate is the prior of its
# next site. A milestone, see is_milestone.
_ENOUGH_SITES = 18
# Value of a page of links to other sites, in relevant pages, and how fast it decays with their number.
_LEADS_OUT = 0.1
_WEARS_OFF = 2.0
_MOST = 0.9999

# Size of caches: a link occurs on several pages, and is rescored while it waits.
_REMEMBERED = 20_000
SITES = 200_000
PATHS = 200_000
SIBLING_PAGES = 50_000

_OUTWARD = re.compile(
    r"友链|友情|友人|链接|邻居|小伙伴|朋友|导航|友鏈|鏈接|朋友圈|friend|\blinks?\b|/f?links?\b|blogroll",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")


class Trail(NamedTuple):
    """A link that was followed or is waiting, and ``via``, the URL of the page it was found on."""

    link: Link
    via: str

    @classmethod
    def read(cls, url: str, words: Sequence[str]) -> Trail:
        """Return the trail that :meth:`words` described."""
        via, anchor, before, after, position = words
        return cls(Link(url, anchor, before, after, position=Position(position)), via)

    def words(self) -> list[str]:
        """Return the trail without the URL of its link, as JSON stores it."""
        link = self.link
        return [self.via, link.anchor, link.before, link.after, link.position]


def leads_out(link: Link) -> bool:
    """Return whether anchor or path of a link announce a page of links to other sites.

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
    """Shares of relevant pages by name; keeps the ``most`` names that were updated last.

    ``precision`` is the share of the pages counted as relevant that are.
    """

    def __init__(self, most: int, precision: float = 1.0) -> None:
        self._most = most
        self._precision = precision
        self._counts: dict[str, tuple[int, int]] = {}

    def add(self, name: str, relevant: int, pages: int = 1) -> int:
        """Count pages, some of them relevant, and return the number of pages so far."""
        pages_before, relevant_before = self._counts.pop(name, (0, 0))
        self._counts[name] = (pages_before + pages, relevant_before + relevant)
        if len(self._counts) > self._most:
            del self._counts[next(iter(self._counts))]
        return pages_before + pages

    def pairs(self) -> Pairs:
        """Return the numbers of pages and of relevant ones by name."""
        return {name: [*pair] for name, pair in self._counts.items()}

    def add_pairs(self, pairs: Pairs) -> None:
        """Add numbers that :meth:`pairs` returned elsewhere."""
        for name, (pages, relevant) in pairs.items():
            self.add(name, relevant, pages)

    def clear(self) -> None:
        """Forget all names."""
        self._counts.clear()

    def pages(self, name: str) -> int:
        """Return the number of pages."""
        return self._counts.get(name, (0, 0))[0]

    def relevant(self, name: str) -> int:
        """Return the number of relevant pages."""
        return self._counts.get(name, (0, 0))[1]

    def rate(self, name: str, prior: float, weight: float = _PRIOR_PAGES) -> float:
        """Return the share of relevant pages, smoothed towards ``prior`` with a ``weight`` in pages."""
        pages, relevant = self._counts.get(name, (0, 0))
        return (self._precision * relevant + weight * prior) / (pages + weight)


class OnlineStatistics:
    """Scores links by classifier, site, path and siblings; every judged page updates the statistics.

    The order in which pages are judged matters only for the names that are evicted.
    """

    def __init__(self) -> None:
        self._sites = Rates(SITES, _PRECISION)
        self._paths = Rates(PATHS, _PRECISION)
        self._siblings = Rates(SIBLING_PAGES, _PRECISION)
        self._outward = Rates(SITES)
        self._entered = Rates(SITES)
        self._sources = Rates(SITES)
        self._pages = Rates(1)
        self._parts = {
            "sites": self._sites,
            "paths": self._paths,
            "siblings": self._siblings,
            "outward": self._outward,
            "entered": self._entered,
            "sources": self._sources,
            "pages": self._pages,
        }
        # Here the "pages" are the sites below a domain; relevant are those with a relevant page.
        self._domains = Rates(SITES)
        # Domains whose waiting sites have been scored as barren. Looking up the domains of every
        # unknown site would take a hundredth of a crawl, and mostly none is barren.
        self._barren: set[str] = set()
        self._sites_before = 0

    def judged(self, url: str, trail: Trail, is_relevant: bool) -> None:
        """Learn from a fetched page; ``trail`` is the link that led to it, before any redirects."""
        self._learn(url, trail, is_relevant)
        if _enters(url, trail):
            self._add_entered(site_of(url))
            self._sources.add(site_of(trail.via), is_relevant)

    def failed(self, url: str, trail: Trail) -> None:
        """Learn that a page could not be fetched, which tells nothing about other unknown sites."""
        self._learn(url, trail, False)

    def _learn(self, url: str, trail: Trail, is_relevant: bool) -> None:
        self._pages.add(_WEB, is_relevant)
        ends = url, trail.link.url
        for site in dict.fromkeys(map(site_of, ends)):
            self._add_to_site(site, is_relevant)
        for pattern in dict.fromkeys(map(path_pattern, ends)):
            self._paths.add(pattern, is_relevant)
        if trail.via:
            self._siblings.add(trail.via, is_relevant)
        if leads_out(trail.link):
            self._outward.add(site_of(url), is_relevant)

    def counts(self) -> Counts:
        """Return all numbers of pages; those of domains follow from those of their sites."""
        return {part: rates.pairs() for part, rates in self._parts.items()}

    def add_counts(self, counts: Counts) -> set[str]:
        """Learn the pages of other statistics from their :meth:`counts`.

        Returns the domains whose waiting links should be rescored, see :meth:`changed_domain`.
        """
        sites = counts.get("sites", {})
        before = {domain: self._domains.pages(domain) for domain in _domains_of_all(sites)}
        was_barren = self._barren & before.keys()
        for site, (pages, relevant) in sites.items():
            self._add_to_site(site, relevant, pages)
        for site, (pages, _) in counts.get("entered", {}).items():
            self._add_entered(site, pages)
        for part in self._parts.keys() - {"sites", "entered"}:
            self._parts[part].add_pairs(counts.get(part, {}))
        return {
            domain
            for domain in self._barren & before.keys()
            if self._has_changed(domain, before[domain], was_barren=domain in was_barren)
        }

    def clear(self) -> None:
        """Forget all pages."""
        for rates in (*self._parts.values(), self._domains):
            rates.clear()
        self._barren.clear()
        self._sites_before = 0

    def is_due(self, site: str) -> bool:
        """Return whether a site's statistics have grown enough to rescore its waiting links."""
        return is_milestone(self._sites.pages(site))

    def has_more_sites(self) -> bool:
        """Return whether the number of entered sites has passed a milestone since the last call.

        The waiting links to unknown sites should be rescored then.
        """
        before, self._sites_before = self._sites_before, self._domains.pages(_WEB)
        return passes_milestone(before, self._sites_before)

    def is_unknown(self, site: str) -> bool:
        """Return whether no page of a site has been requested."""
        return not self._sites.pages(site)

    def changed_domain(self, site: str) -> str:
        """Return the widest domain of a site whose waiting links should be rescored, ``""`` for none.

        That is a domain which a page of the site has made barren, or has made promising again.
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

        ``probability`` is the link classifier's estimate that its target is relevant.
        """
        url = trail.link.url
        site = site_of(url)
        pattern = path_pattern(url)
        pages = self._sites.pages(site)
        if not pages or (pattern.endswith(_HOME) and not self._paths.pages(pattern)):
            pages = 0
            rate, bonus = self._unknown_site(site)
            if _enters(url, trail):
                of_source = self._sources.rate(site_of(trail.via), _PRIOR_RATE, _PRIOR_LINKS)
                bonus += _SOURCE * (_logit(of_source) - _logit(_PRIOR_RATE))
        else:
            rate, bonus = self._sites.rate(site, _PRIOR_RATE), 0.0
        of_site = _logit(rate)
        total = (
            _LINK * _logit(probability)
            + _SITE * of_site
            + _PATH * (_logit(self._paths.rate(pattern, rate)) - of_site)
            + _SIBLINGS * (_logit(self._siblings.rate(trail.via, rate)) - of_site)
            + _PER_LOG_PAGE * math.log1p(pages)
            + bonus
        )
        if not leads_out(trail.link):
            return total
        worth = 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))
        worth += _LEADS_OUT / (1 + _WEARS_OFF * self._outward.pages(site))
        return max(total, _logit(min(worth, _MOST)))

    def _add_to_site(self, site: str, relevant: int, pages: int = 1) -> None:
        becomes_relevant = relevant > 0 and not self._sites.relevant(site)
        is_new = self._sites.add(site, relevant, pages) == pages
        if becomes_relevant and self._entered.pages(site):
            self._domains.add(_WEB, 1, 0)
        if is_new or becomes_relevant:
            for domain in domains_of(site):
                self._domains.add(domain, becomes_relevant, is_new)
                if self._is_barren(domain):
                    self._barren.add(domain)

    def _add_entered(self, site: str, pages: int = 1) -> None:
        if self._entered.add(site, 0, pages) == pages:
            self._domains.add(_WEB, self._sites.relevant(site) > 0)

    def _has_changed(self, domain: str, pages_before: int, *, was_barren: bool) -> bool:
        if not self._is_barren(domain):
            self._barren.remove(domain)
            return was_barren
        return not was_barren or passes_milestone(pages_before, self._domains.pages(domain))

    def _unknown_site(self, site: str) -> tuple[float, float]:
        """Return the expected rate of an unexplored site, and the bonus for exploring it."""
        success = min(self._domains.rate(_WEB, _PRIOR_RATE, _PRIOR_SITES), _PRIOR_RATE)
        harvest = self._pages.rate(_WEB, 0.0, _FEW_PAGES)
        bonus = _UNKNOWN_SITE + _logit(success) - _logit(_PRIOR_RATE) - _WHILE_GOOD * harvest
        barren = next(filter(self._is_barren, domains_of(site)), "") if self._barren else ""
        if barren:
            return self._domains.rate(barren, _PRIOR_RATE), min(bonus, 0.0)
        return _PRIOR_RATE, bonus

    def _is_barren(self, domain: str) -> bool:
        is_known = self._domains.pages(domain) >= _ENOUGH_SITES
        return is_known and self._domains.rate(domain, _PRIOR_RATE) < _PRIOR_RATE


def _enters(url: str, trail: Trail) -> bool:
    """Return whether a page was found on another site; seeds were not found."""
    return bool(trail.via) and site_of(trail.via) != site_of(url)


def is_milestone(count: int) -> bool:
    """Return whether a count has grown by about a quarter, so that work is done O(log count) times.

    >>> [count for count in range(30) if is_milestone(count)]
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27]
    """
    return count in _milestones()


def passes_milestone(before: int, after: int) -> bool:
    """Return whether a count that has grown from ``before`` to ``after`` has reached a milestone.

    >>> passes_milestone(8, 9), passes_milestone(8, 12)
    (False, True)
    """
    milestones = _sorted_milestones()
    return bisect_right(milestones, before) < bisect_right(milestones, after)


@lru_cache(_REMEMBERED)
def site_of(url: str) -> str:
    """Return the site of a canonical URL: its host, as the frontier names it.

    >>> site_of("http://a.test:8080/b")
    'a.test'
    """
    return urlsplit(url).hostname or ""


@lru_cache(_REMEMBERED)
def path_pattern(url: str) -> str:
    """Return the pattern shared by the pages of a section: host, first two folders, depth.

    All numbers become ``#``. A query shows as ``?``.

    >>> path_pattern("http://a.test/posts/2019/07/word2vec/"), path_pattern("http://a.test/?p=7")
    ('a.test/posts/#/4', 'a.test/0?')
    """
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    folders = [_NUMBER.sub("#", segment) for segment in segments[:-1]][:2]
    depth = f"{len(segments)}{'?' if parts.query else ''}"
    return "/".join([parts.netloc, *folders, depth])


def _domains_of_all(sites: Iterable[str]) -> set[str]:
    return {domain for site in sites for domain in domains_of(site)}


@cache
def _milestones() -> frozenset[int]:
    return frozenset(_sorted_milestones())


@cache
def _sorted_milestones() -> list[int]:
    found = [1]
    while found[-1] < 10**10:
        found.append(found[-1] + max(1, found[-1] // 4))
    return found


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))
