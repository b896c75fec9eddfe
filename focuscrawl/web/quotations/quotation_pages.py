"""Pages of a quote and of its article with marks."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from focuscrawl.web.accounts.change_log import newest_changes
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.addresses import with_query
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import query_of
from focuscrawl.web.quotations import quote_facts
from focuscrawl.web.quotations.quote_decisions import decision_key, shown_state
from focuscrawl.web.quotations.quote_facts import QuoteView
from focuscrawl.web.quotations.quote_lookup import kept_article, quote_view, views_of
from focuscrawl.web.quotations.text_marks import marked_pieces
from focuscrawl.web.quotations.version_pages import ArticleVersion, version_on
from focuscrawl.web.web_site import site_of

_HISTORY = 50
PATH = "/prices/quotes/{article_md5}/{seq}"


class KnownOn(BaseModel):
    """A day on whose evening something was known, or none."""

    known_on: date | None = None


async def quotation_page(request: Request) -> Response:
    """Show a quote: its sentence, its facts, its article, and the decisions on it.

    With ``known_on``, lead to its article as known on that day: positions of quotes are those of one
    version only.
    """
    if known_on := query_of(request, KnownOn).known_on:
        path = f"/prices/articles/{request.path_params['article_md5']}"
        return RedirectResponse(with_query(path, known_on=known_on), status_code=303)
    view = await quote_view(request)
    site, article = site_of(request), view.kept.article
    quotes = article.quotes or []
    is_in_list = request.query_params.get("list") == "doubts"
    if is_in_list:
        await site.doubts.refresh(site.store_url)
    values: dict[str, Any] = {
        "view": view,
        "facts": quote_facts,
        "pieces": marked_pieces(article.text, quotes, view.seq),
        "shown": shown_state(view),
        "history": await site.database.run(
            newest_changes, _HISTORY, None, decision_key(article.url, view.quote)
        ),
        "versions": len(await site.store.revisions([article.url_md5])),
        "is_in_list": is_in_list,
        "doubt": site.doubts.at(article.url_md5, view.seq),
        "around": site.doubts.around(article.url_md5, view.seq) if is_in_list else (None, None),
    }
    return page(request, "quotations/quote.html", values)


async def quotation_json(request: Request) -> Response:
    """Return a quote as JSON."""
    return JSONResponse(quote_facts.as_json(await quote_view(request)))


async def article_page(request: Request) -> Response:
    """Show an article with all its quotes; ``known_on`` chooses the version of a day."""
    known_on = query_of(request, KnownOn).known_on
    kept = await kept_article(request)
    revisions = await site_of(request).store.revisions([kept.article.url_md5])
    version = version_on(kept, revisions, known_on)
    values = {
        "kept": kept,
        "facts": quote_facts,
        "version": version,
        "versions": len(revisions),
        "known_on": known_on,
        "pieces": marked_pieces(version.text, version.quotes) if version else [],
        "views": await _views(request, version) if version else [],
    }
    return page(request, "quotations/article.html", values)


async def _views(request: Request, version: ArticleVersion) -> list[QuoteView]:
    """Return the quotes of a version; decisions and pages have those of the newest one only."""
    if version.is_newest:
        return await views_of(request, version.kept)
    return [QuoteView(version.kept, seq, quote, None) for seq, quote in enumerate(version.quotes)]


ROUTES = (
    PageRoute(f"{PATH}.json", quotation_json, Permission.READ),
    PageRoute(PATH, quotation_page, Permission.READ),
    PageRoute("/prices/articles/{article_md5}", article_page, Permission.READ),
)
