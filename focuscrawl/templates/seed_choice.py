"""Random choice among search results by rank and by the failures of those ranked before them.

Chen Duanbing et al. 2012 (patent), table 2: of n results the one at rank s is crawled with the
probability P = 1 - (s + f) / (2n), where f results before it were crawled without a record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from focuscrawl.items import Seed
from focuscrawl.pages.site_hosts import host_of

# Queue of seeds to be crawled, one at a time per site.


class SeedLine:
    """First-in, first-out queue; a seed waits for the earlier ones of its site.

    Of two crawled at once, each would miss the pages of their site that the other requests.
    """

    is_led = True
    """No other process chooses its seeds."""

    def __init__(self) -> None:
        self._ready: deque[Seed] = deque()
        self._behind: dict[str, deque[Seed]] = {}

    def add(self, seed: Seed) -> None:
        """Add a seed to the queue."""
        site = host_of(seed.url)
        if site in self._behind:
            self._behind[site].append(seed)
        else:
            self._behind[site] = deque()
            self._ready.append(seed)

    def next(self) -> Seed | None:
        """Return the next seed, None if none is ready; call :meth:`done` when it is crawled."""
        return self._ready.popleft() if self._ready else None

    def done(self, seed: Seed) -> None:
        """Release the next seed of its site."""
        site = host_of(seed.url)
        if self._behind[site]:
            self._ready.appendleft(self._behind[site].popleft())
        else:
            del self._behind[site]


_UNDECIDED, _SKIPPED, _PENDING, _USEFUL, _FAILED = range(5)


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision whether a seed is crawled. ``rank`` counts from 1.

    ``failures_before`` is the number of seeds before it known to have yielded nothing; it may still
    grow for a seed decided early, because the pending ones cannot change its decision.
    ``probability`` follows from it.
    """

    url: str
    rank: int
    failures_before: int
    probability: float
    is_chosen: bool


def probability(rank: int, failures_before: int, count: int) -> float:
    """Return the probability of crawling the seed at ``rank`` (from 1) of ``count``."""
    return 1 - (rank + failures_before) / (2 * count)


class SeedChoice:
    """Incremental choice of seeds: as early as possible, and independent of the order of completion.

    The seeds in ``first``, which the last window skipped, precede all others and are crawled
    without a draw, so that none is skipped twice in a row. Every other seed draws a number that
    depends on ``randomness`` (the random seed) and its URL only. ``everything`` crawls all seeds.
    While earlier seeds are pending, only bounds of f are known: a seed waits if they disagree.
    """

    def __init__(
        self,
        urls: Sequence[str],
        randomness: int,
        everything: bool = False,
        first: Container[str] = (),
    ) -> None:
        unique = list(dict.fromkeys(urls))
        self._urls = sorted(unique, key=lambda url: url not in first)
        self._places = {url: place for place, url in enumerate(self._urls)}
        self._states = np.full(len(unique), _UNDECIDED, dtype=np.int8)
        self._is_reported = np.zeros(len(unique), dtype=bool)
        self._is_certain = np.array([everything or url in first for url in self._urls], dtype=bool)
        # A seed is crawled if s + f is below 2n (1 - u).
        draws = np.array([_draw(randomness, url) for url in self._urls], dtype=float)
        self._limits = 2 * len(unique) * (1 - draws)

    @property
    def is_finished(self) -> bool:
        """Return whether every seed is decided, and every chosen one settled."""
        return not np.isin(self._states, (_UNDECIDED, _PENDING)).any()

    def ready(self) -> list[Decision]:
        """Return the decisions made since the last call, in order of rank."""
        self._decide()
        fresh = np.flatnonzero((self._states != _UNDECIDED) & ~self._is_reported)
        self._is_reported[fresh] = True
        failures = self._failures_before()
        return [self._decision(place, failures) for place in fresh.tolist()]

    def settle(self, url: str, gave_something: bool) -> None:
        """Record whether a crawled seed yielded a record; only the first call for a seed counts.

        An undecided seed counts as chosen: an earlier run of the same choice has crawled it.
        Raises KeyError for an unknown seed and ValueError for a skipped one.
        """
        place = self._places[url]
        state = self._states[place]
        if state == _SKIPPED:
            raise ValueError(f"seed {url} was skipped and cannot have given anything")
        if state == _UNDECIDED:
            self._is_reported[place] = True
        if state in (_UNDECIDED, _PENDING):
            self._states[place] = _USEFUL if gave_something else _FAILED

    def decisions(self) -> list[Decision]:
        """Return all decisions made, in order of rank; exact once the choice is finished."""
        self._decide()
        failures = self._failures_before()
        decided = np.flatnonzero(self._states != _UNDECIDED)
        return [self._decision(place, failures) for place in decided.tolist()]

    def _decide(self) -> None:
        """Make all possible decisions; a skipped seed narrows the bounds of later ones."""
        while True:
            is_open = self._states == _UNDECIDED
            fewest = self._sums()
            most = fewest + _before(np.isin(self._states, (_UNDECIDED, _PENDING)))
            chosen = is_open & (self._is_certain | (most < self._limits))
            skipped = is_open & ~self._is_certain & (fewest >= self._limits)
            self._states[chosen] = _PENDING
            self._states[skipped] = _SKIPPED
            if not skipped.any():
                return

    def _sums(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return s + f of each seed, with f as far as known."""
        return np.arange(1, len(self._urls) + 1) + self._failures_before()

    def _failures_before(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return _before(self._states == _FAILED)

    def _decision(
        self, place: int, failures: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> Decision:
        rank, before = place + 1, int(failures[place])
        is_certain = bool(self._is_certain[place])
        return Decision(
            url=self._urls[place],
            rank=rank,
            failures_before=before,
            probability=1.0 if is_certain else probability(rank, before, len(self._urls)),
            is_chosen=bool(self._states[place] != _SKIPPED),
        )


def _before(
    flags: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the number of set flags before each position."""
    return np.cumsum(flags) - flags


def _draw(randomness: int, url: str) -> float:
    digest = blake2b(f"{randomness} {url}".encode("utf-8", "replace"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
