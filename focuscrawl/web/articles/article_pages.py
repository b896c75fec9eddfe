"""Pages of articles: the front page, lists and searches, one article, and its related ones."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from focuscrawl.errors import StoreError
from focuscrawl.search.search_results import WholeArticle
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.articles import article_counts, article_lists, kept_articles
from focuscrawl.web.articles.article_counts import Counts
from focuscrawl.web.articles.article_edits import NONE, Correction
from focuscrawl.web.articles.article_lists import ListQuery, page_of
from focuscrawl.web.articles.shown_articles import (
    LONGEST_SUMMARY,
    LONGEST_TEXT,
    LONGEST_TITLE,
    ShownArticle,
    corrected,
    from_listed,
    line,
    paragraphs,
)
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import page
from focuscrawl.web.query_values import query_of
from focuscrawl.web.web_site import site_of

_log = logging.getLogger(__name__)
_KEY = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class OpenedArticle:
    """An article as stored and as shown."""

    stored: WholeArticle
    correction: Correction
    shown: ShownArticle


async def front_page(request: Request) -> Response:
    """Show the newest, most read and most liked articles, and the sections."""
    site = site_of(request)
    lists = await article_lists.front_lists(site)
    return page(request, "articles/front.html", {"lists": lists, "sections": site.sections})


async def list_page(request: Request) -> Response:
    """Show the articles that a query asks for."""
    query, site = query_of(request, ListQuery), site_of(request)
    is_editor = request.state.visitor.may(Permission.EDIT)
    found = await page_of(site, query, is_editor=is_editor)
    sites, series = await article_lists.choices(site)
    values = {"query": query, "found": found, "sites": sites, "series": series}
    return page(request, "articles/list.html", values | {"most": article_lists.MOST})


async def article_page(request: Request) -> Response:
    """Show an article."""
    opened = await opened_article(request)
    site, visitor = site_of(request), request.state.visitor
    stored = opened.stored
    values = {
        "article": opened.shown,
        "stored": stored,
        "title": opened.correction.title or line(stored.title, LONGEST_TITLE),
        "summary": opened.correction.summary or _lead(stored),
        "paragraphs": paragraphs(stored.text),
        "is_cut": len(stored.text) > LONGEST_TEXT,
        "own": await site.database.run(kept_articles.own_marks, visitor.name, stored.url_md5),
        "related": await article_lists.known_related(site, stored.url) if stored.series else [],
        "has_prices": not stored.series and await site.store.has_quotes(stored.url_md5),
    }
    response = page(request, "articles/article.html", values)
    if request.method == "GET" and article_counts.is_reader(request.headers):
        response.background = BackgroundTask(_count_read, request, stored.url_md5)
    return response


def _lead(article: WholeArticle) -> str:
    """Return the summary, empty if it is the beginning of the text."""
    is_repeated = "".join(article.text.split()).startswith("".join(article.summary.split()))
    return "" if is_repeated else line(article.summary, LONGEST_SUMMARY)


async def related_page(request: Request) -> Response:
    """Show the articles related to one, and what they share with it."""
    opened = await opened_article(request)
    stored = opened.stored
    found = await article_lists.related(site_of(request), stored.url) if stored.series else []
    values = {"article": opened.shown, "related": found}
    return page(request, "articles/related.html", values)


async def opened_article(request: Request) -> OpenedArticle:
    """Return the article of an address; raises 404 if there is none, or none for this reader."""
    key, site = request.path_params["url_md5"], site_of(request)
    stored = existing(await site.store.whole(key) if _KEY.fullmatch(key) else None)
    corrections, counts = await site.database.run(article_lists.additions, [key])
    correction = corrections.get(key, NONE)
    if correction.is_hidden and not request.state.visitor.may(Permission.EDIT):
        raise HTTPException(404)
    shown = corrected(from_listed(stored), correction, counts.get(key, Counts()))
    return OpenedArticle(stored, correction, shown)


async def _count_read(request: Request, url_md5: str) -> None:
    site, name = site_of(request), request.state.visitor.name
    address = request.client.host if request.client else ""
    reader = f"user {name}" if name else f"{address} {request.headers.get('user-agent', '')}"
    try:
        await site.database.run(article_counts.count_read, url_md5, reader, site.key)
    except StoreError as error:
        # Whoever reads has the page already.
        _log.warning("a read was not counted: %s", error)
