"""Pages of a quote and of its article with marks, decisions on quotes, and the list of those that wait for one."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from pydantic import BaseModel, Field
from sqlalchemy import Connection
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from focuscrawl.items import PriceDecision, Verdict
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.change_log import Author, log_change, newest_changes
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.database.web_database import locked
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import checked, query_of, with_query
from focuscrawl.web.quotations import quote_facts
from focuscrawl.web.quotations.doubtful_quotes import Doubt
from focuscrawl.web.quotations.quote_facts import (
    ACTIONS,
    QuoteView,
    decided,
    decision_key,
    logged,
    shown_state,
)
from focuscrawl.web.quotations.quote_lookup import (
    decisions_by_key,
    hidden_from,
    kept_article,
    quote_view,
    views_of,
)
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
        "done": await _done(request),
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


# Decisions of editors on prices, and the list of prices that wait for one.

_ROWS = 20
_LONGEST_NOTE = 500
_SEARCH_SECONDS = 5


class DecisionForm(BaseModel):
    """A verdict, its reason, and the state that the form has shown."""

    verdict: Verdict
    note: str = Field("", max_length=_LONGEST_NOTE)
    shown: str = Field(max_length=200)
    list: str = ""


async def decide(request: Request) -> Response:
    """Write a decision on a quote; another decision, or another quote, since then is an error 409."""
    form = checked(DecisionForm, dict(await request.form()))
    site = site_of(request)
    # The store may be another database, whose transaction cannot compare and log.
    async with locked(site.database, request.url.path):
        try:
            view = await quote_view(request)
        except HTTPException as error:
            raise HTTPException(409) from error
        if shown_state(view) != form.shown or (form.verdict == "open" and view.verdict == "open"):
            raise HTTPException(409)
        author = author_of(request)
        now = datetime.now(UTC)
        decision = decided(view, form.verdict, author.name, now, form.note.strip())
        await site.store.write([decision])
        await site.database.run(_log, author, view, decision)
    site.doubts.decisions += 1
    _, following = site.doubts.around(view.kept.article.url_md5, view.seq)
    change = site.doubts.restore if form.verdict == "open" else site.doubts.remove
    change(view.kept.article.url_md5, view.seq)
    return RedirectResponse(_next_page(view, form, following), status_code=303)


def _next_page(view: QuoteView, form: DecisionForm, following: Doubt | None) -> str:
    if form.list != "doubts":
        return view.path
    if form.verdict == "open":
        return with_query(view.path, list="doubts")
    path = with_query(_path_of(following), list="doubts") if following else "/prices/doubts"
    return with_query(path, done=f"{view.kept.article.url_md5}-{view.seq}")


async def _done(request: Request) -> QuoteView | None:
    """Return the quote that the address names as just decided on, if the decision stands."""
    key, _, seq = request.query_params.get("done", "").partition("-")
    with suppress(HTTPException):  # None is named, or it is gone or hidden meanwhile.
        view = await quote_view(request, key or "-", seq or "-")
        return view if view.verdict != "open" else None
    return None


def _path_of(doubt: Doubt) -> str:
    return f"/prices/quotes/{doubt.article_md5}/{doubt.seq}"


def _log(connection: Connection, author: Author, view: QuoteView, decision: PriceDecision) -> None:
    before, after = logged(view, view.decision), logged(view, decision)
    log_change(connection, author, ACTIONS[decision.verdict], decision.key, before, after)


class DoubtQuery(BaseModel):
    """The place in the list behind which a page of it begins."""

    after: str = Field("", max_length=60)


class ListedDoubt(NamedTuple):
    """A doubt with its quote."""

    doubt: Doubt
    view: QuoteView


async def doubts_page(request: Request) -> Response:
    """Show the prices that wait for a decision, newest first."""
    after = query_of(request, DoubtQuery).after
    site = site_of(request)
    await site.doubts.refresh(site.store_url)
    waiting = site.doubts.after(after)
    shown = waiting[:_ROWS]
    time = site.doubts.found_at
    values = {
        "entries": await still_open(request, shown),
        "facts": quote_facts,
        "done": await _done(request),
        "count": len(site.doubts),
        "found_at": datetime.fromtimestamp(time, UTC) if time else None,
        "after": after,
        "next": shown[-1].key if len(waiting) > _ROWS else "",
    }
    response = page(request, "quotations/doubts.html", values)
    if not time:
        response.headers["Refresh"] = str(_SEARCH_SECONDS)
    return response


async def still_open(request: Request, doubts: list[Doubt]) -> list[ListedDoubt]:
    """Return the doubts with their quotes, without those decided on or changed since."""
    md5s = list({doubt.article_md5 for doubt in doubts})
    articles = await site_of(request).store.articles_of(md5s)
    decisions = await decisions_by_key(request, md5s)
    hidden = await hidden_from(request, md5s)
    found = []
    for doubt in doubts:
        kept = articles.get(doubt.article_md5)
        quotes = (kept.article.quotes or []) if kept else []
        if kept is None or doubt.article_md5 in hidden or doubt.seq >= len(quotes):
            continue
        quote = quotes[doubt.seq]
        decision = decisions.get(decision_key(kept.article.url, quote))
        view = QuoteView(kept, doubt.seq, quote, decision)
        if view.verdict == "open" and (doubt.kind == "jump" or quote.flag == doubt.flag):
            found.append(ListedDoubt(doubt, view))
    return found


ROUTES = (
    PageRoute(f"{PATH}.json", quotation_json, Permission.READ),
    PageRoute(PATH, quotation_page, Permission.READ),
    PageRoute("/prices/articles/{article_md5}", article_page, Permission.READ),
    PageRoute(PATH, decide, Permission.EDIT, ("POST",)),
    PageRoute("/prices/doubts", doubts_page, Permission.READ),
)
