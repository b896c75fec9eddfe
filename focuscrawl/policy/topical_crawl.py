"""Decisions of a topical crawl, without the network: the links of a judged page to follow, with scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from focuscrawl.frontier.frontier_entries import Ended, State
from focuscrawl.pages.link import Link, ScoredLink
from focuscrawl.pages.registered_domains import registered_domain
from focuscrawl.policy.crawl_state import CrawlState
from focuscrawl.policy.link_orders import Order
from focuscrawl.policy.online_statistics import OnlineStatistics, Trail, site_of
from focuscrawl.policy.sparse_tunnel import SITE_QUOTA, Tunnel, steps_of

RELEVANT = "relevant"
IRRELEVANT = "irrelevant"
BLACKLIST = "blacklist"
# Unknown sites of one registered domain that a page may lead to: host names cost nothing.
MOST_SITES = 50
_WAITING = State.WAITING


class JudgedPage(NamedTuple):
    """A fetched page. ``steps`` are those of its parent; the ``trail`` of a seed has an empty ``via``.

    Without ``text``, it is no page of a calendar.
    """

    url: str
    trail: Trail
    steps: int
    depth: int
    is_relevant: bool
    links: Sequence[ScoredLink]
    text: str = ""


class Followed(NamedTuple):
    """A link to be followed: its score, and the steps of the page it was found on."""

    link: Link
    score: float
    steps: int


class LinkChoices(NamedTuple):
    """Chosen and refused links of a page; with ``is_site_given_up``, drop its site's waiting URLs.

    Also drop those with the pattern ``calendar``, if there is one.
    """

    followed: list[Followed]
    refused: list[tuple[str, str]]
    """(URL, reason) of each link to a new URL that is not followed."""
    is_site_given_up: bool
    calendar: str = ""


class TopicalCrawl:
    """Decides by order, tunnel and traps; its state can be restored from a frontier.

    ``is_blacklisted`` tells whether a URL must not be requested.
    """

    def __init__(
        self,
        tunnel: Tunnel,
        order: Order,
        statistics: OnlineStatistics | None,
        is_blacklisted: Callable[[str], bool],
    ) -> None:
        self.tunnel = tunnel
        self.statistics = statistics
        self.state = CrawlState(tunnel, statistics)
        self._order = order
        self._is_blacklisted = is_blacklisted

    def remember(self, ended: Iterable[Ended], trail_of: Callable[[Ended], Trail]) -> None:
        """Restore the state of earlier runs from the pages that a frontier has ended."""
        for page in ended:
            if page.outcome.state is State.FAILED:
                self.failed(page.url, trail_of(page))
            elif page.outcome.reason in (RELEVANT, IRRELEVANT):
                self.state.judged(page.url, trail_of(page), page.outcome.reason == RELEVANT)

    def failed(self, url: str, trail: Trail) -> None:
        """Learn that the page behind a link could not be fetched."""
        self.state.failed(url, trail)

    def choose_links(
        self,
        page: JudgedPage,
        known: Callable[[Sequence[str]], Mapping[str, State]],
        waiting: Callable[[Sequence[str]], Mapping[str, int]],
    ) -> LinkChoices:
        """Learn from a page and choose among its links, best first.

        ``known`` returns the states of the URLs that are in the frontier already: the score of
        waiting ones may rise if the tunnel allows it, at no cost to their site's quota; the others
        are skipped. ``waiting`` returns the number of URLs of each site that wait there.
        """
        is_given_up = self.state.judged(page.url, page.trail, page.is_relevant)
        urls = [link.link.url for link in page.links]
        calendar = page.text and self.state.traps.calendars.visited(page.url, page.text, urls)
        steps = steps_of(page.steps, page.is_relevant)
        states = known(urls)
        links, refused = self._without_refused(page, states)
        sites = {site_of(link.link.url) for link in links}
        entered = Counter(waiting([site for site in sites if self.tunnel.is_rationed(site)]))
        unknown: defaultdict[str, set[str]] = defaultdict(set)
        scores = self._order.scores(page.url, page.is_relevant, links)
        followed = []
        for score, (link, _, _) in sorted(
            zip(scores, links, strict=True), key=lambda pair: -pair[0]
        ):
            is_new = link.url not in states
            site = site_of(link.url)
            reason = self.tunnel.refusal(site, steps, entered[site] if is_new else 0)
            if not reason and is_new and self.tunnel.is_rationed(site):
                reason = _admit(site, unknown[registered_domain(site)])
            if not reason:
                entered[site] += is_new
                followed.append(Followed(link, score, steps))
            elif is_new:
                refused.append((link.url, reason))
        return LinkChoices(followed, refused, is_given_up, calendar)

    def refusal_of_redirect(self, url: str) -> str:
        """Return the reason why a redirect to ``url`` is not followed, ``""`` if it may be."""
        return self.tunnel.refusal(site_of(url), 0, 0)

    def _without_refused(
        self, page: JudgedPage, states: Mapping[str, State]
    ) -> tuple[list[ScoredLink], list[tuple[str, str]]]:
        """Return the links to new or waiting URLs, and the new URLs refused whatever their score."""
        links, refused = [], []
        for scored in page.links:
            url = scored.link.url
            if url not in states and (reason := self._refusal(url, page.depth + 1)):
                refused.append((url, reason))
            elif states.get(url, _WAITING) is _WAITING:
                links.append(scored)
        return links, refused

    def _refusal(self, url: str, depth: int) -> str:
        return BLACKLIST if self._is_blacklisted(url) else self.state.traps.refusal(url, depth)


def _admit(site: str, others: set[str]) -> str:
    """Add a site to the others of its domain; return the reason why not, ``""`` if there was room."""
    if len(others) >= MOST_SITES and site not in others:
        return SITE_QUOTA
    others.add(site)
    return ""
