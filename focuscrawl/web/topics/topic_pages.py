"""Pages about the pages of topical crawls."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import query_of
from focuscrawl.web.topics.page_chain import chain_to, frontier_of
from focuscrawl.web.web_site import site_of

_ROWS = 50
_KEY = re.compile("[0-9a-f]{32}").fullmatch


class PageChoice(BaseModel):
    """What a visitor asks for; the address of a page is its query."""

    topic: str = Field("", max_length=255)
    site: str = Field("", max_length=255)
    least: float = Field(0.0, ge=0.0, le=1.0)
    after: str = Field("", pattern="^(|[0-9a-f]{32})$")


async def pages_page(request: Request) -> Response:
    """Show pages, relevant and best ones first."""
    choice = query_of(request, PageChoice)
    store = site_of(request).store
    found = await store.best_pages(
        _ROWS + 1,
        choice.after or None,
        topic=choice.topic or None,
        site=choice.site.strip().lower() or None,
        least=choice.least,
    )
    values = {
        "choice": choice,
        "groups": await store.topic_groups(),
        "entries": found[:_ROWS],
        "next": found[_ROWS - 1].key if len(found) > _ROWS else "",
        "query": choice.model_dump(exclude={"after"}, exclude_defaults=True),
    }
    return page(request, "topics/list.html", values)


async def fetched_page(request: Request) -> Response:
    """Show a page: its text, and the chain of links that led to it."""
    key, site = request.path_params["key"], site_of(request)
    found = existing(await site.store.page_of(key) if _KEY(key) else None)
    chain = await chain_to(found, site.store, frontier_of(site.data, found.topic))
    return page(request, "topics/page.html", {"found": found, "chain": chain})


ROUTES = (
    PageRoute("/pages", pages_page, Permission.READ),
    PageRoute("/pages/{key}", fetched_page, Permission.READ),
)
