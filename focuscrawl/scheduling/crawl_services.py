"""Services of a crawl that several workers share, beside its URLs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from focuscrawl.items import Seed

if TYPE_CHECKING:
    from focuscrawl.policy.crawl_state import CrawlState
    from focuscrawl.policy.page_budget import PageCounter
    from focuscrawl.policy.shared_learner import SharedLearner
    from focuscrawl.policy.shared_learning import Changed


class CrawlLearning(Protocol):
    """Exchange of what a spider learns with the other workers."""

    async def begin(self) -> None:
        """Learn what the workers of the crawl have learned so far."""

    def page_judged(self) -> None:
        """Begin to share what was learned, if it is time."""

    async def close(self) -> None:
        """Tell the others the rest."""


class SharedPages(Protocol):
    """What workers that crawl the pages of one frontier share."""

    def shared_counts(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Add counts to those of the crawl, and return the sums; also once the frontier is closed."""

    def page_counter(self, most: int) -> PageCounter:
        """Return the counter of a budget of ``most`` pages."""

    def learning(
        self, state: CrawlState, learner: SharedLearner, changed: Callable[[Changed], None]
    ) -> CrawlLearning:
        """Return the exchange of what ``state`` and ``learner`` learn.

        ``changed`` is called in the event loop's thread, after something of others was learned.
        """


class CrawlSeeds(Protocol):
    """Seeds that one worker chooses, the leader, and that each worker crawls if it owns their site."""

    @property
    def is_led(self) -> bool:
        """Whether this worker is the leader."""

    @property
    def is_over(self) -> bool:
        """Whether no seed waits or is being crawled, and the leader has ended the crawl."""

    def add(self, seed: Seed) -> None:
        """Add a chosen seed; one that an earlier leader has added stays as it is."""

    def next(self) -> Seed | None:
        """Lease a seed, None if none of this worker's sites waits."""

    def lost(self) -> list[str]:
        """Return the URLs of leased seeds that other workers have by now, once."""

    def drop(self, seed: Seed) -> None:
        """End the lease of a seed of an earlier window, which nobody waits for."""

    async def ended(self) -> list[Seed]:
        """Return the added seeds that have ended and are not settled, with their states."""

    def done(self, seed: Seed) -> None:
        """Record that an added seed is settled."""

    def notify(self) -> None:
        """End the wait of :meth:`news`."""

    async def news(self) -> None:
        """Wait until something may have changed, for a second at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlServices:
    """Services of a crawl that several workers share; a crawl of one process has none.

    ``pages`` are those of a spider whose URLs are shared, ``seeds`` those of one whose seeds are. A
    spider that is walked by one worker at a time has neither.
    """

    pages: SharedPages | None = None
    seeds: CrawlSeeds | None = None
