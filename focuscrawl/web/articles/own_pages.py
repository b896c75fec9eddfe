"""Pages for what readers keep: likes, the reading list, saved searches and their feeds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from uuid import NAMESPACE_URL, UUID, uuid5

from sqlalchemy import Connection
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_results import WholeArticle
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.change_log import Author, log_change
from focuscrawl.web.addresses import with_query
from focuscrawl.web.articles import article_counts, article_lists, kept_articles, saved_searches
from focuscrawl.web.articles.article_lists import ListQuery
from focuscrawl.web.articles.article_pages import opened_article
from focuscrawl.web.atom_feed import FeedEntry, feed_response
from focuscrawl.web.error_pages import existing
from focuscrawl.web.message_catalogue import message
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.query_values import checked
from focuscrawl.web.web_site import origin_of, site_of

_ENTRIES = 30


async def like(request: Request) -> Response:
    """Like an article, or like it no longer."""
    return await _mark(request, _like)


def _like(connection: Connection, author: Author, article: WholeArticle, is_liked: bool) -> None:
    if article_counts.set_like(connection, author.name, article.url_md5, is_liked):
        action = "article.like" if is_liked else "article.unlike"
        log_change(connection, author, action, article.url)


async def keep(request: Request) -> Response:
    """Put an article on the reading list, or take it away."""
    return await _mark(request, _keep)


def _keep(connection: Connection, author: Author, article: WholeArticle, is_kept: bool) -> None:
    # Not in the log of changes: what somebody wants to read is nobody else's business.
    kept_articles.set_kept(connection, author.name, article.url_md5, is_kept)


async def _mark(request: Request, change: Callable[..., None]) -> Response:
    opened = await opened_article(request)
    form = await request.form()
    action = str(form.get("action"))
    if action not in ("add", "remove"):
        raise ArgumentError(f"action = {action!r}: add or remove")
    run, author = site_of(request).database.run, author_of(request)
    await run(change, author, opened.stored, action == "add")
    return RedirectResponse(f"/articles/{opened.stored.url_md5}", status_code=303)


async def own_page(request: Request) -> Response:
    """Show the reading list, the liked articles and the saved searches."""
    site, name = site_of(request), request.state.visitor.name
    kept, liked = await site.database.run(kept_articles.own_lists, name)
    values = {
        "kept": await article_lists.by_keys(site, kept),
        "liked": await article_lists.by_keys(site, liked),
        "searches": await site.database.run(saved_searches.searches_of, name),
        "base": origin_of(request),
    }
    return page(request, "articles/own.html", values)


async def save_search(request: Request) -> Response:
    """Save a search."""
    query = checked(ListQuery, {name: str(value) for name, value in (await request.form()).items()})
    if not query.kept:
        raise ArgumentError("there is nothing to save; give words, a site, a series, a tag or days")
    if query.words:
        # Refuses what no search would take.
        await article_lists.newest_of(site_of(request), query, 1)
    name = request.state.visitor.name
    await site_of(request).database.run(saved_searches.save_search, name, query.kept)
    return RedirectResponse("/mine#searches", status_code=303)


async def change_search(request: Request) -> Response:
    """Give a saved search another address, or delete it."""
    run, name = site_of(request).database.run, request.state.visitor.name
    number, action = request.path_params["number"], str((await request.form()).get("action"))
    if not await run(saved_searches.has_search, name, number):
        raise HTTPException(404)
    if action == "renew":
        await run(saved_searches.renew_address, name, number)
    elif action == "delete":
        await run(saved_searches.delete_search, name, number)
    else:
        raise ArgumentError(f"action = {action!r}: renew or delete")
    return RedirectResponse("/mine#searches", status_code=303)


async def feed(request: Request) -> Response:
    """Return a saved search as a feed; its address is the secret."""
    site = site_of(request)
    token = request.path_params["token"]
    search = existing(await site.database.run(saved_searches.search_at, token))
    query, base = checked(ListQuery, dict(search.query)), origin_of(request)
    listed = with_query(f"{base}/articles/search", **search.query)
    entries = [
        FeedEntry(
            key=UUID(one.url_md5),
            title=one.plain_title,
            summary=one.plain_summary,
            author=one.author or one.site,
            address=f"{base}{one.address}" if one.address else listed,
            updated=_updated(one.published, search.saved_at),
            tags=one.tags,
        )
        for one in await article_lists.newest_of(site, query, _ENTRIES)
    ]
    title = f"{' · '.join(search.query.values())} · {message('site.name', language_of(request))}"
    key = uuid5(NAMESPACE_URL, f"focuscrawl search {search.number} {search.saved_at}")
    return feed_response(key, title, listed, search.saved_at, entries)


def _updated(day: date | None, saved_at: datetime) -> datetime:
    return datetime.combine(day, time.min, UTC) if day else saved_at
