"""Pages about the pages of topical crawls."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.sqlite.frontier_reader import FrontierReader, read_frontier
from focuscrawl.items import Page, check_code
from focuscrawl.scheduling.page_keys import key_of_page
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.articles.read_texts import marked_read
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.web_site import site_of

# Chain of links that led a topical crawl from a seed to a page.

_log = logging.getLogger(__name__)
MOST_STEPS = 60
"""Steps that are shown; a tunnel has few, and a chain in a damaged file may have no end."""


@dataclass(frozen=True, slots=True)
class ChainStep:
    """A page of a chain, with the link to it: its words, and its score when it was found.

    ``via`` is the page that has the link, empty for a seed. ``has_link`` is False where the frontier
    does not know the link. ``key`` and ``title`` are those of a stored page, else empty.
    """

    url: str
    via: str
    has_link: bool = False
    anchor: str = ""
    before: str = ""
    after: str = ""
    score: float = 0.0
    key: str = ""
    title: str = ""
    is_relevant: bool | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """The steps from a seed to a page; ``is_whole`` if the first one is a seed.

    ``has_frontier`` is False where the file of the frontier is missing or cannot be read: the words
    of the links are unknown then.
    """

    steps: list[ChainStep]
    is_whole: bool
    has_frontier: bool


class PageLookup(Protocol):
    """A store of pages."""

    async def page_of(self, key: str) -> Page | None:
        """Return a page by its key."""


def frontier_of(data: Path, topic: str) -> Path | None:
    """Return the file of the frontier of a topic, None if its name is none of a file."""
    name = f"frontier-tunnel-{topic}.sqlite"
    is_plain = Path(name).name == name and "\0" not in name and len(name.encode()) < 256
    return data / name if is_plain else None


async def chain_to(page: Page, store: PageLookup, frontier: Path | None) -> Chain:
    """Return the chain to a stored page: from the frontier, and where it has none, from the store."""
    has_frontier = frontier is not None and await asyncio.to_thread(_is_readable, frontier)
    steps: list[ChainStep] = []
    seen: set[str] = set()
    url, stored = page.url, page
    while url and url not in seen and len(steps) < MOST_STEPS:
        part = await asyncio.to_thread(_walk, frontier, url) if frontier and has_frontier else []
        if not part:
            found = stored if url == page.url else await _stored(store, page.topic, url)
            if found is None:
                break
            part = [ChainStep(url, found.via)]
        fresh = []
        for step in part:
            if step.url in seen:
                break
            seen.add(step.url)
            fresh.append(await _named(step, store, page.topic))
        steps += fresh
        url = steps[-1].via
    steps = steps[:MOST_STEPS]
    is_whole = bool(steps) and not steps[-1].via
    return Chain(steps[::-1], is_whole, has_frontier)


async def _stored(store: PageLookup, topic: str, url: str) -> Page | None:
    return await store.page_of(check_code(f"{topic} {url}"))


async def _named(step: ChainStep, store: PageLookup, topic: str) -> ChainStep:
    found = await _stored(store, topic, step.url)
    if found is None:
        return step
    return replace(step, key=found.key, title=found.title, is_relevant=found.is_relevant)


def _is_readable(frontier: Path) -> bool:
    try:
        with read_frontier(frontier):
            return True
    except FrontierError as error:
        _log.info("%s", error)
        return False


def _walk(frontier: Path, url: str) -> list[ChainStep]:
    """Return the steps from a page towards its seed, as far as the frontier knows them."""
    steps: list[ChainStep] = []
    try:
        with read_frontier(frontier) as reader:
            while len(steps) < MOST_STEPS and (step := _step(reader, url)):
                steps.append(step)
                if not step.via:
                    break
                url = step.via
    except FrontierError as error:
        _log.info("%s", error)
    return steps


def _step(reader: FrontierReader, url: str) -> ChainStep | None:
    try:
        known = reader.explain(key_of_page(url))
    except ValueError:
        # A URL that cannot be written in canonical form was never pushed.
        return None
    trail = _trail(known.payload) if known else None
    if known is None or trail is None:
        return None
    via, anchor, before, after = trail
    return ChainStep(url, via, bool(via), anchor, before, after, known.score)


def _trail(payload: dict[str, Any]) -> list[str] | None:
    meta = payload.get("meta")
    trail = meta.get("trail") if isinstance(meta, dict) else None
    if isinstance(trail, list) and len(trail) > 3 and all(isinstance(t, str) for t in trail[:4]):
        return trail[:4]
    return None


_KEY = re.compile("[0-9a-f]{32}").fullmatch


async def fetched_page(request: Request) -> Response:
    """Show a page: its text, and the chain of links that led to it."""
    key, site = request.path_params["key"], site_of(request)
    found = existing(await site.store.page_of(key) if _KEY(key) else None)
    chain = await chain_to(found, site.store, frontier_of(site.data, found.topic))
    response = page(request, "topics/page.html", {"found": found, "chain": chain})
    return marked_read(request, response, key)


ROUTES = (PageRoute("/pages/{key}", fetched_page, Permission.READ),)
