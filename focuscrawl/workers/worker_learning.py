"""Exchange of what a spider learns with the other workers of its crawl, beside the crawl itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import monotonic
from uuid import uuid4

from focuscrawl.errors import FocuscrawlError
from focuscrawl.policy.crawl_state import CrawlState
from focuscrawl.policy.learning_log import LearningExchange, LearningLog
from focuscrawl.policy.shared_learner import SharedLearner
from focuscrawl.policy.shared_learning import Changed, SharedLearning

_PAGES = 64
_SECONDS = 5.0
_logger = logging.getLogger(__name__)


class WorkerLearning:
    """Shares what was learned every 64 pages, and with the first page after 5 seconds.

    The log is read and written in another thread. ``changed`` is called in the event loop's, after
    the deltas of others were added. A server that is away costs nothing but time: deltas wait for it.
    """

    def __init__(
        self,
        log: LearningLog,
        state: CrawlState,
        learner: SharedLearner,
        changed: Callable[[Changed], None],
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        # Another name than that of any other worker, or of an earlier run of this one.
        worker = uuid4().hex[:12]
        self._exchange = LearningExchange(log, worker)
        self._learning = SharedLearning(worker, state, learner)
        self._changed = changed
        self._clock = clock
        self._pages = 0
        self._shared_at = clock()
        self._task: asyncio.Future[None] | None = None

    async def begin(self) -> None:
        """Learn what the workers of the crawl have learned so far."""
        self._learning.add_deltas(await asyncio.to_thread(self._exchange.round))

    def page_judged(self) -> None:
        """Begin to share what was learned, if it is time."""
        self._pages += 1
        is_due = self._pages >= _PAGES or self._clock() - self._shared_at >= _SECONDS
        if is_due and (self._task is None or self._task.done()):
            self._task = asyncio.ensure_future(self._share())

    async def close(self) -> None:
        """Tell the others the rest."""
        if self._task:
            await self._task
        await self._round()

    async def _share(self) -> None:
        self._changed(await self._round())

    async def _round(self) -> Changed:
        self._pages, self._shared_at = 0, self._clock()
        try:
            entries = await asyncio.to_thread(self._exchange.round, self._learning.take_delta())
        except FocuscrawlError as error:
            _logger.warning("what was learned is shared later: %s", error)
            entries = []
        return self._learning.add_deltas(entries, self._exchange.waiting)
