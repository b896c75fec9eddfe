"""One search over all stored texts: articles, pages of topics, records and own items, by day."""

from __future__ import annotations

import asyncio
import logging
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import groupby
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.errors import FocuscrawlError
from focuscrawl.search.dated_index import FACETS, Hit, Wanted
from focuscrawl.search.search_query import Query, read_query
from focuscrawl.stores.sql.sql_store import SQLStore
from focuscrawl.stores.text_sync import EDITED, Rewording, read_hits
from focuscrawl.web.accounts.permissions import Permission, Visitor
from focuscrawl.web.articles import article_edits, read_texts
from focuscrawl.web.articles.article_edits import NONE
from focuscrawl.web.articles.article_lists import for_readers
from focuscrawl.web.articles.shown_articles import (
    LONGEST_TAG,
    ShownArticle,
    from_found,
)
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute, redirected
from focuscrawl.web.prices.bulletin_moves import BulletinMove, largest_moves
from focuscrawl.web.prices.price_texts import change_span, price_text
from focuscrawl.web.query_values import query_of, with_query
from focuscrawl.web.record_pages import RecordChoice, each_record
from focuscrawl.web.web_site import WebSite, site_of

PER_PAGE = 50
_SHOWN, _MOST_RECORDS = 10, 20_000
_log = logging.getLogger(__name__)


class SearchQuery(RecordChoice):
    """What is searched for; the address of the page is its query.

    ``new`` is a time in milliseconds since 1970 that texts arrived after; ``unread`` leaves out what the
    user has read; ``before`` is the place that continues a list. The choices of records restrict a search of the kind ``record``.
    """

    q: str = ""
    kind: Literal["", "article", "numbered", "page", "record", "item"] = ""
    site: str = Field("", max_length=255)
    series: str = Field("", max_length=700)
    tag: str = Field("", max_length=LONGEST_TAG)
    since: date | None = None
    until: date | None = None
    least: float = Field(0.0, ge=0.0, le=1.0)
    new: int | None = Field(None, ge=0, lt=2**53)
    unread: bool = False
    before: int | None = Field(None, ge=0, lt=2**62)

    @property
    def kept(self) -> dict[str, str]:
        """The values that a saved search keeps."""
        left_out = {"before", "new", "unread"}
        own = self.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
        return {name: text for name, value in own.items() if (text := str(value).strip())}

    @property
    def of_records(self) -> dict[str, Any]:
        """The choices of records that are made."""
        own = {*RecordChoice.model_fields} - {"crawl"}
        return self.model_dump(mode="json", include=own, exclude_defaults=True)


async def search_page(request: Request) -> Response:
    """Show the texts that a query asks for by day, and their numbers by kind, site, tag and day."""
    query, site, visitor = query_of(request, SearchQuery), site_of(request), request.state.visitor
    is_editor = visitor.may(Permission.EDIT)
    await site.texts.current(site.store, partial(_rewordings, site))
    wanted = await _wanted(site, query, is_editor)
    if query.unread:
        read = await site.database.run(read_texts.read_among, visitor.name, None)
        wanted = replace(wanted, hidden=wanted.hidden | read)
    index = site.texts.index
    hits = await asyncio.to_thread(index.find, wanted, query.before, PER_PAGE + 1)
    counts = await asyncio.to_thread(index.counts, wanted, _SHOWN)
    shown = await _shown(site, hits[:PER_PAGE], wanted.query, is_editor)
    values = {
        "query": query,
        "days": [(day, list(own)) for day, own in groupby(shown, key=lambda one: one.published)],
        "counts": counts,
        "spans": {label: _span(label) for label in counts.days},
        "facets": [(name, getattr(counts, name)) for name in FACETS],
        "next": hits[PER_PAGE - 1].place if len(hits) > PER_PAGE else None,
        "moves": await _moves(site, [one.url_md5 for one in shown if one.kind == "article"]),
        "texts": {"change": change_span, "price": price_text},
        **await _of_visitor(site, wanted, visitor, shown),
    }
    return page(request, "search.html", values)


def _span(label: str) -> dict[str, str]:
    """Return the days of a day, a month or a year."""
    first = date.fromisoformat(f"{label}-01-01"[:10])
    last = {10: first, 7: first.replace(day=monthrange(first.year, first.month)[1])}
    return {
        "since": str(first),
        "until": str(last.get(len(label), first.replace(month=12, day=31))),
    }


async def _of_visitor(
    site: WebSite, wanted: Wanted, visitor: Visitor, shown: Sequence[ShownArticle]
) -> dict[str, Any]:
    """Return what a page shows to one visitor: what was read, what is new, what an editor may correct."""
    own = [one.url_md5 for one in shown if one.kind in EDITED and visitor.may(Permission.EDIT)]
    states, read, visit = await site.database.run(_marks, visitor.name, shown, own)
    new = replace(wanted, arrived=visit) if visit else None
    number = await asyncio.to_thread(site.texts.index.number, new) if new else 0
    return {"states": states, "read": read, "visit": visit, "new": number}


def _marks(
    connection: Connection, name: str, shown: Sequence[ShownArticle], own: Sequence[str]
) -> tuple[dict[str, str], set[str], int | None]:
    corrections = article_edits.corrections_of(connection, own)
    states = {key: corrections.get(key, NONE).state for key in own}
    read = read_texts.read_among(connection, name, [one.url_md5 for one in shown])
    return states, read, read_texts.last_visit(connection, name) if name else None


async def newest_of(site: WebSite, query: SearchQuery, limit: int) -> list[ShownArticle]:
    """Return the newest of the texts that a query asks for, as readers see them."""
    await site.texts.current(site.store, partial(_rewordings, site))
    wanted = await _wanted(site, query, is_editor=False)
    hits = await asyncio.to_thread(site.texts.index.find, wanted, None, limit)
    return await _shown(site, hits, wanted.query, is_editor=False)


async def _wanted(site: WebSite, query: SearchQuery, is_editor: bool) -> Wanted:
    hidden = [] if is_editor else await site.database.run(article_edits.all_hidden)
    is_chosen = query.kind == "record" and query.of_records
    return Wanted(
        query=read_query(query.q) if query.q.strip() else None,
        kind=query.kind,
        site=query.site.strip(),
        series=query.series.strip(),
        tag=query.tag.strip(),
        since=query.since,
        until=query.until,
        least=query.least,
        arrived=query.new,
        keys=await _records(site.store, query) if is_chosen else None,
        hidden=frozenset(hidden),
    )


async def _records(store: SQLStore, query: SearchQuery) -> frozenset[str]:
    """Return the keys of the records that the choices take, of the first 20,000 looked through."""
    groups = [query.series] if query.series else [one.crawl for one in await store.record_groups()]
    found: set[str] = set()
    seen = 0
    for crawl in dict.fromkeys(groups):
        async for kept in each_record(store, crawl):
            seen += 1
            if seen > _MOST_RECORDS:
                return frozenset(found)
            if query.takes(kept):
                found.add(kept.key)
    return frozenset(found)


async def _shown(
    site: WebSite, hits: Sequence[Hit], query: Query | None, is_editor: bool
) -> list[ShownArticle]:
    found = await read_hits(site.store, hits, query, await _rewordings(site))
    listed = [
        replace(
            from_found(one),
            tags=hit.tags,
            published=date.fromisoformat(hit.day) if hit.day else None,
        )
        for hit, one in found
    ]
    return await for_readers(site, listed, query, is_editor=is_editor)


async def _moves(site: WebSite, keys: Sequence[str]) -> dict[str, BulletinMove]:
    table = None if site.prices.is_empty else site.prices.table
    return await asyncio.to_thread(largest_moves, table, keys) if table and keys else {}


async def keep_texts(site: WebSite) -> None:
    """Keep the index current until cancelled, so that it knows when a text arrived."""
    while True:
        await asyncio.sleep(site.tick_seconds)
        try:
            await site.texts.current(site.store, partial(_rewordings, site))
        except (FocuscrawlError, OSError) as error:
            _log.warning("the index of the search: %s", error)


async def reword(site: WebSite, keys: Sequence[str]) -> None:
    """Let a search find what editors have made of articles, at once."""
    await site.texts.reword(site.store, keys, await _rewordings(site))


async def _rewordings(site: WebSite) -> dict[str, Rewording]:
    worded = await site.database.run(article_edits.worded_by_editors)
    return {
        key: Rewording(
            one.state, f"{one.title or ''} {one.summary or ''} {' '.join(one.tags or ())}", one.tags
        )
        for key, one in worded.items()
    }


# The addresses that lists had before.

_KINDS = {"/records": "record", "/pages": "page"}
_NAMES = {"crawl": "series", "topic": "series"}


async def moved(request: Request) -> Response:
    """Lead from the address of an earlier list to the search, with its parameters."""
    asked = {_NAMES.get(name, name): text for name, text in request.query_params.items()}
    known = {name: text for name, text in asked.items() if name in SearchQuery.model_fields}
    kind = _KINDS.get(request.url.path, "")
    return redirected(request, with_query("/search", **({"kind": kind} | known)))


ROUTES = (
    PageRoute("/search", search_page, Permission.READ),
    *(PageRoute(path, moved, Permission.READ) for path in ("/articles/search", *_KINDS)),
)
