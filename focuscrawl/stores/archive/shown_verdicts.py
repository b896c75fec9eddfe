"""Verdicts on prices that a workbook shows: editors decide between two runs of a crawl."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from focuscrawl.items import check_code
from focuscrawl.reports.crawl_workbook import CrawlWorkbook
from focuscrawl.stores.archive.store_writer import ArchivableStore, SpillingStore


async def finish_workbook(book: CrawlWorkbook, store: SpillingStore) -> None:
    """Render a workbook if this run has changed its database, or if verdicts have changed since.

    None is made of a database without records. The database keeps the digest of the verdicts that the
    workbook shows. Raises as :meth:`~focuscrawl.reports.crawl_workbook.CrawlWorkbook.finish` does.
    """
    if not store.counts.touched and not book.path.exists() and any(await store.ask(_is_empty)):
        book.skip()
        return
    key = f"verdicts {check_code(str(book.path))}"
    # Before the rendering, which may miss what is decided meanwhile.
    (now,) = await store.ask(_digest) or [""]
    (shown,) = await store.ask(lambda one: one.get_state(key)) or [None]
    is_outdated = now != (shown or {}).get("digest", "")
    await book.finish(is_changed=store.counts.touched > 0 or is_outdated)
    if is_outdated and book.is_current:
        await store.ask(lambda one: one.set_state(key, {"digest": now}))


async def _is_empty(store: ArchivableStore) -> bool:
    found = [store.summaries(), store.pages(), store.numbered(bodies=False), store.items()]
    for records in (*found, store.template_records(), store.template_records(gone=True)):
        async with aclosing(cast("AsyncGenerator[object]", records)) as stream:
            async for _ in stream:
                return False
    return True


async def _digest(store: ArchivableStore) -> str:
    """Return an MD5 of all verdicts, ``""`` where there are none."""
    verdicts = [f"{one.key} {one.verdict}" async for one in store.decisions()]
    whole = "\n".join(sorted(verdicts)).encode()
    return hashlib.md5(whole, usedforsecurity=False).hexdigest() if verdicts else ""
