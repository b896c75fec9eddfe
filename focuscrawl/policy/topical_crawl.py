"""A topical crawl without the network: which links of a judged page are followed, and how good they are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from focuscrawl.frontier.frontier_entries import Ended, State
from focuscrawl.pages.link import Link, ScoredLink
from focuscrawl.pages.registered_domains import registered_domain
from focuscrawl.policy.crawler_traps import Traps
from focuscrawl.policy.link_orders import Order
from focuscrawl.policy.online_statistics import Experience, Trail, site_of
from focuscrawl.policy.sparse_tunnel import SITE_QUOTA, Tunnel, steps_of

RELEVANT = "relevant"
IRRELEVANT = "irrelevant"
BLACKLIST = "blacklist"
# Of one registered domain, unknown sites that a page may lead to: names of hosts cost nothing.
MOST_SITES = 50
_WAITING = State.WAITING


class JudgedPage(NamedTuple):
    """A fetched page. ``steps`` are its parent's; a seed's ``trail`` comes from nowhere."""

    url: str
    trail: Trail
    steps: int
    depth: int
    is_relevant: bool
    links: Sequence[ScoredLink]


class Followed(NamedTuple):
    """A link to be followed: its score, and the steps of the page that it stands on."""

    link: Link
    score: float
    steps: int


class Course(NamedTuple):
    """What comes of a page. ``is_site_given_up``: what waits of its site should be dropped."""

    followed: list[Followed]
    refused: list[tuple[str, str]]
    """URL and reason of each link to a new URL that is not followed."""
    is_site_given_up: bool


class TopicalCrawl:
    """Decides by order, tunnel and traps; what it learns can be told it again from a frontier.

    ``is_blacklisted`` says of a URL whether it must not be asked for.
    """

    def __init__(
        self,
        tunnel: Tunnel,
        order: Order,
        experience: Experience | None,
        is_blacklisted: Callable[[str], bool],
    ) -> None:
        self.tunnel = tunnel
        self.experience = experience
        self._order = order
        self._traps = Traps()
        self._is_blacklisted = is_blacklisted

    def remember(self, ended: Iterable[Ended], trail_of: Callable[[Ended], Trail]) -> None:
        """Take up what earlier runs of the crawl have learned."""
        for page in ended:
            if page.outcome.state is State.FAILED:
                self.failed(page.url, trail_of(page))
            elif page.outcome.reason in (RELEVANT, IRRELEVANT):
                self._learn(page.url, trail_of(page), page.outcome.reason == RELEVANT)

    def failed(self, url: str, trail: Trail) -> None:
        """Learn that nothing is behind a link."""
        if self.experience:
            self.experience.judged(url, trail, False)

    def course(
        self,
        page: JudgedPage,
        known: Callable[[Sequence[str]], Mapping[str, State]],
        waiting: Callable[[Sequence[str]], Mapping[str, int]],
    ) -> Course:
        """Learn from a page and choose among its links, best first.

        ``known`` returns the states of the URLs that are in the frontier already: those that wait
        may rise, if the tunnel goes so far, and cost their site nothing; the others are passed
        over. ``waiting`` returns how many URLs of each site wait there.
        """
        is_given_up = self._learn(page.url, page.trail, page.is_relevant)
        steps = steps_of(page.steps, page.is_relevant)
        states = known([link.link.url for link in page.links])
        links = [link for link in page.links if states.get(link.link.url, _WAITING) is _WAITING]
        sites = {site_of(link.link.url) for link in links}
        entered = Counter(waiting([site for site in sites if self.tunnel.is_rationed(site)]))
        unknown: defaultdict[str, set[str]] = defaultdict(set)
        scores = self._order.scores(page.url, page.is_relevant, links)
        followed, refused = [], []
        for score, (link, _, _) in sorted(
            zip(scores, links, strict=True), key=lambda pair: -pair[0]
        ):
            is_new = link.url not in states
            site = site_of(link.url)
            reason = self._refusal(link.url, page.depth + 1) if is_new else ""
            reason = reason or self.tunnel.refusal(site, steps, entered[site] if is_new else 0)
            if not reason and is_new and self.tunnel.is_rationed(site):
                reason = _admit(site, unknown[registered_domain(site)])
            if not reason:
                entered[site] += is_new
                followed.append(Followed(link, score, steps))
            elif is_new:
                refused.append((link.url, reason))
        return Course(followed, refused, is_given_up)

    def refusal_of_redirect(self, url: str) -> str:
        """Return why the tunnel does not go where a redirect leads, an empty string if it does."""
        return self.tunnel.refusal(site_of(url), 0, 0)

    def _refusal(self, url: str, depth: int) -> str:
        return BLACKLIST if self._is_blacklisted(url) else self._traps.refusal(url, depth)

    def _learn(self, url: str, trail: Trail, is_relevant: bool) -> bool:
        self._traps.judged(url, is_relevant=is_relevant)
        if self.experience:
            self.experience.judged(url, trail, is_relevant)
        return self.tunnel.judged(site_of(url), is_relevant)


def _admit(site: str, others: set[str]) -> str:
    """Add a site to the others of its domain; return why not, an empty string if there is room."""
    if len(others) >= MOST_SITES and site not in others:
        return SITE_QUOTA
    others.add(site)
    return ""
