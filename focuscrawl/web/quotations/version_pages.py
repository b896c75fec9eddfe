"""Pages of the earlier versions of articles, and of those whose prices changed."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import date, datetime
from itertools import islice, pairwise
from typing import NamedTuple

from pydantic import AwareDatetime, BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.stored_records import ArticleRevision, KeptArticle, RevisedArticle
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import query_of
from focuscrawl.web.quotations import quote_facts
from focuscrawl.web.quotations.article_versions import (
    PriceChange,
    Version,
    day_of,
    price_changes,
    version_on,
    versions_of,
)
from focuscrawl.web.quotations.quote_lookup import hidden_from, kept_article
from focuscrawl.web.quotations.text_differences import Line, differences
from focuscrawl.web.web_site import site_of

_CHANGES, _ROWS = 5, 20
_MOST_SEEN = 200
"""Revised articles that are looked through for a page, most of which may have no price changes."""


class Before(BaseModel):
    """The time before which changes are shown."""

    before: AwareDatetime | None = None


class ShownChange(NamedTuple):
    """What changed from one version to the next."""

    at: datetime
    titles: list[Line]
    lines: list[Line]
    prices: list[PriceChange]


async def versions_page(request: Request) -> Response:
    """Show what changed in an article, the newest changes first."""
    before = query_of(request, Before).before
    kept = await kept_article(request)
    revisions = await site_of(request).store.revisions([kept.article.url_md5])
    versions = versions_of(kept, revisions)
    pairs = [
        (one, other)
        for one, other in reversed(list(pairwise(versions)))
        if before is None or other.since < before
    ]
    shown = pairs[:_CHANGES]
    values = {
        "kept": kept,
        "facts": quote_facts,
        "versions": [(one, _only_day(one, kept, revisions)) for one in versions],
        "changes": await asyncio.to_thread(lambda: [_change(*pair) for pair in shown]),
        "next": shown[-1][1].since.isoformat() if len(pairs) > _CHANGES else "",
    }
    return page(request, "quotations/versions.html", values)


def _only_day(version: Version, kept: KeptArticle, revisions: list[ArticleRevision]) -> date | None:
    """Return a day on whose evening a version was the known one, None if it lived for less."""
    day = day_of(version.since)
    known = version_on(kept, revisions, day)
    return day if known and known.since == version.since else None


def _change(before: Version, after: Version) -> ShownChange:
    return ShownChange(
        after.since,
        differences(before.title, after.title),
        differences(before.text, after.text),
        price_changes(before.quotes, after.quotes),
    )


class RevisedQuery(BaseModel):
    """The article behind which a page of the list begins."""

    after: str = Field("", pattern="^(|[0-9a-f]{32})$")


class Revised(NamedTuple):
    """An article whose prices changed, with the changes of each time, the newest first."""

    kept: KeptArticle
    changes: list[tuple[datetime, list[PriceChange]]]


async def revised_page(request: Request) -> Response:
    """Show the articles whose prices changed after they were published, the latest changes first."""
    after = query_of(request, RevisedQuery).after
    store = site_of(request).store
    found: list[Revised] = []
    seen, last, is_end = 0, after or None, False
    while len(found) < _ROWS and seen < _MOST_SEEN and not is_end:
        listed = await store.last_revised(_ROWS, last)
        is_end = len(listed) < _ROWS
        seen += len(listed)
        found += await _with_changes(request, listed)
        last = listed[-1].article_md5 if listed else last
    values = {
        "entries": found,
        "facts": quote_facts,
        "after": after,
        "next": "" if is_end else last,
    }
    return page(request, "quotations/revised.html", values)


async def _with_changes(request: Request, listed: list[RevisedArticle]) -> list[Revised]:
    store, md5s = site_of(request).store, [one.article_md5 for one in listed]
    articles = await store.articles_of(md5s)
    revisions: dict[str, list[ArticleRevision]] = defaultdict(list)
    for revision in await store.revisions(md5s):
        revisions[revision.article_md5].append(revision)
    hidden = await hidden_from(request, md5s)
    found = []
    for md5 in md5s:
        # An article may be lost to a database that was copied by hand.
        if (kept := articles.get(md5)) and md5 not in hidden:
            pairs = reversed(list(pairwise(versions_of(kept, revisions[md5]))))
            changes = ((b.since, price_changes(a.quotes, b.quotes)) for a, b in pairs)
            if some := list(islice((one for one in changes if one[1]), _CHANGES)):
                found.append(Revised(kept, some))
    return found


ROUTES = (
    PageRoute("/prices/articles/{article_md5}/versions", versions_page, Permission.READ),
    PageRoute("/prices/revised", revised_page, Permission.READ),
)
