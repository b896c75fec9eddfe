"""What the workers of a crawl share beside its URLs: counts, the budget of pages, best scores, what was learned."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.frontier_entries import PagesLeft
from focuscrawl.workers.crawl_keys import CrawlKeys
from focuscrawl.workers.redis_calls import Beside, Call, RedisCalls, Reply

if TYPE_CHECKING:
    from focuscrawl.policy.crawl_state import CrawlState
    from focuscrawl.policy.shared_learner import SharedLearner
    from focuscrawl.policy.shared_learning import Changed
    from focuscrawl.workers.worker_learning import WorkerLearning

Attempt = Callable[[Callable[[], list[Reply]]], list[Reply]]
"""Makes a call of the server that may be repeated after an error."""


class SharedState:
    """The state that the workers of a crawl share, whichever of them changes it."""

    def __init__(self, calls: RedisCalls, keys: CrawlKeys, attempt: Attempt) -> None:
        self._calls = calls
        self._keys = keys
        self._attempt = attempt

    def shared_counts(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Add counts to those of all workers by name, and return the sums; also once the frontier is closed."""
        key = self._keys.of_all("counts")
        added = [Call(key, ("HINCRBY", key, name, number)) for name, number in counts.items()]
        *_, sums = self._calls.run([*added, Call(key, ("HGETALL", key))])
        return {name.decode(): int(number) for name, number in sums.items()}

    def page_counter(self, most: int) -> SharedPageCounter:
        """Return the counter of a budget of ``most`` pages, which waits for the server."""
        return SharedPageCounter(self._calls, self._keys, most, self._attempt)

    def learning(
        self, state: CrawlState, learner: SharedLearner, changed: Callable[[Changed], None]
    ) -> WorkerLearning:
        """Return the exchange of what a spider learns by the log of the crawl."""
        # Imported here: other spiders do not learn.
        from focuscrawl.workers.worker_learning import WorkerLearning

        log = RedisLearningLog(self._calls, self._keys)
        return WorkerLearning(log, state, learner, changed)


class SharedPageCounter:
    """Counter of the pages that the workers may still fetch, of ``most`` in all.

    Calls run in threads of the event loop. ``attempt`` makes those that may be repeated after an error;
    pages that are taken by a call without a reply are fetched by nobody.
    """

    def __init__(self, calls: RedisCalls, keys: CrawlKeys, most: int, attempt: Attempt) -> None:
        self._calls = calls
        self._most = most
        self._key = keys.of_all("pages")
        self._workers = keys.workers
        self._attempt = attempt

    async def left(self) -> PagesLeft:
        """Return what is left; another worker may take it before this one does."""
        calls = [Call(self._key, ("GET", self._key)), Call(self._key, ("ZCARD", self._workers))]
        taken, workers = await self._run(calls)
        return PagesLeft(self._most - int(taken or 0), workers)

    async def take(self, count: int) -> int:
        """Take up to ``count`` pages; return how many that were, 0 if none is left."""
        (granted,) = await self._run([Call.of("take_pages", self._key, count, self._most)])
        return int(granted)

    async def give_back(self, count: int) -> None:
        """Return pages that were taken and not fetched."""
        await asyncio.to_thread(self._calls.one, self._key, "DECRBY", self._key, count)

    async def _run(self, calls: list[Call]) -> list[Reply]:
        return await asyncio.to_thread(self._attempt, partial(self._calls.run, calls))


# In seconds: a worker that is stopped holds the others back no longer than that. A worker that is held
# back looks again after the other time, and for so long it knows the scores of the others.
_COUNTS_FOR = 2.0
LOOKS_AGAIN = 0.05


class BestScores:
    """The scores of the best URLs that workers may lease now.

    Workers that fill all their slots whatever the others have fetch pages that one worker would not
    choose: four of them reach .72 of its harvest after 1,000 recorded pages, and .98 or more if each
    leases only what is as good as the best of the others (``scrapy lab --workers``).
    """

    def __init__(self, keys: CrawlKeys, worker: str) -> None:
        self._key = keys.of_all("best")
        self._worker = worker
        self.of_others = -inf
        """The best of the scores that the others had published at the last publication."""
        self._known_until = -inf
        self._has_published = True  # perhaps by an earlier run of the same name

    @property
    def limit(self) -> float:
        """The least score that may be leased, infinite while the scores of the others are not known."""
        return self.of_others if monotonic() < self._known_until else inf

    def has_nothing_to_tell(self, score: float | None) -> bool:
        """Return whether this worker has no URL, and the others know: there is nothing to ask, either."""
        return score is None and not self._has_published

    def publication(self, score: float | None) -> Beside:
        """Return the call that publishes the score of this worker's next URL, None if there is none."""
        # A call without a reply may have been executed.
        self._has_published = True
        text = "" if score is None else repr(float(score))
        call = Call.of("publish_score", self._key, self._worker, text, _COUNTS_FOR)
        return call, partial(self._read, has_published=score is not None)

    def _read(self, reply: Reply, *, has_published: bool) -> None:
        self.of_others = float(reply) if reply else -inf
        self._has_published = has_published
        # Without a URL, this worker will not ask again before it has one.
        self._known_until = monotonic() + LOOKS_AGAIN if has_published else -inf


# Counts by name shrink to a third; better compression takes longer than it saves.
_LEVEL = 1


class RedisLearningLog:
    """The log of :class:`focuscrawl.policy.learning_log.LearningLog` as a stream of compressed texts.

    Its methods may be called in another thread than those of the frontier.
    """

    def __init__(self, calls: RedisCalls, keys: CrawlKeys) -> None:
        self._calls = calls
        self._key = keys.of_all("learned")

    def append(self, text: str) -> str:
        """Append a text; return its id."""
        packed = zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)
        return _text(self._run("XADD", self._key, "*", "text", packed))

    def read(self, after: str, most: int) -> Sequence[tuple[str, str]]:
        """Return ids and texts after an id, in order, at most that many."""
        first = f"({after}" if after else "-"
        found = self._run("XRANGE", self._key, first, "+", "COUNT", most)
        return [(_text(id), self._unpacked(fields)) for id, fields in found]

    def trim(self, last: str) -> None:
        """Delete the texts up to an id, including it."""
        milliseconds, _, number = last.partition("-")
        self._run("XTRIM", self._key, "MINID", f"{milliseconds}-{int(number) + 1}")

    def _run(self, *words: object) -> Reply:
        return self._calls.one(self._key, *words)

    def _unpacked(self, fields: Reply) -> str:
        try:
            return zlib.decompress(fields[b"text"]).decode("utf-8", "surrogatepass")
        except (KeyError, zlib.error, UnicodeDecodeError):
            raise FrontierError(
                f"the key {self._key} on {self._calls.address} is damaged; "
                "delete it, and the crawl learns again from its next pages"
            ) from None


def _text(id: bytes) -> str:
    return id.decode()
