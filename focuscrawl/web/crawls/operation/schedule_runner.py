"""Work that goes on while the server runs: crawls that are due are started, ends are noted."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from focuscrawl.errors import FocuscrawlError
from focuscrawl.system.secret_masking import masked
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.crawls.operation import schedule_store
from focuscrawl.web.crawls.operation.crawl_processes import note_ends, start_crawl
from focuscrawl.web.web_site import WebSite

_log = logging.getLogger(__name__)
_LONGEST_NOTE = 500


async def run_schedules(site: WebSite) -> None:
    """Start what is due, forever; a database that is away is asked again."""
    while True:
        await asyncio.sleep(site.tick_seconds)
        try:
            await run_due(site, datetime.now(UTC))
        except FocuscrawlError as error:
            _log.warning("schedules: %s", error)
        except Exception:
            # The next turn may succeed, and the server has to go on.
            _log.exception("schedules")


async def run_due(site: WebSite, now: datetime) -> None:
    """Note which crawls have ended, then start those whose time has come."""
    await note_ends(site)
    while one := await site.database.run(schedule_store.take_due, now):
        author = Author(one.made_by, f"schedule {one.number}")
        try:
            await start_crawl(site, author, one.spider, one.arguments)
            note = ""
        except FocuscrawlError as error:
            note = masked(str(error))[:_LONGEST_NOTE]
            _log.warning("schedule %s: %s", one.number, note)
        await site.database.run(schedule_store.note_start, one.number, note)


BACKGROUND = (run_schedules,)
