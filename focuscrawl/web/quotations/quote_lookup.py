"""Articles and quotes that a path names."""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.exceptions import HTTPException
from starlette.requests import Request

from focuscrawl.items import PriceDecision
from focuscrawl.stored_records import KeptArticle
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.articles.article_edits import hidden_among
from focuscrawl.web.quotations.quote_facts import QuoteView, decision_key
from focuscrawl.web.web_site import site_of

_MD5 = re.compile("[0-9a-f]{32}").fullmatch
_SEQ = re.compile("[0-9]{1,9}", re.ASCII).fullmatch


async def kept_article(request: Request, key: str = "") -> KeptArticle:
    """Return an article, or that of the path; raises HTTPException 404 for an unknown or a hidden one."""
    key = key or request.path_params["article_md5"]
    found = await site_of(request).store.articles_of([key]) if _MD5(key) else {}
    if key not in found or await hidden_from(request, [key]):
        raise HTTPException(404)
    return found[key]


async def hidden_from(request: Request, url_md5s: Collection[str]) -> set[str]:
    """Return those of some articles that editors have hidden from a visitor."""
    if request.state.visitor.may(Permission.EDIT):
        return set()
    return await site_of(request).database.run(hidden_among, list(url_md5s))


async def decisions_by_key(request: Request, url_md5s: list[str]) -> dict[str, PriceDecision]:
    """Return the decisions on prices of some articles, by key."""
    found = await site_of(request).store.decisions_on(url_md5s)
    return {decision.key: decision for decision in found}


async def views_of(request: Request, kept: KeptArticle) -> list[QuoteView]:
    """Return all quotes of an article, in its order."""
    article = kept.article
    decisions = await decisions_by_key(request, [article.url_md5])
    return [
        QuoteView(kept, seq, quote, decisions.get(decision_key(article.url, quote)))
        for seq, quote in enumerate(article.quotes or ())
    ]


async def quote_view(request: Request, key: str = "", seq: str = "") -> QuoteView:
    """Return a quote, or that of the path; raises HTTPException 404 for an unknown one."""
    seq = seq or request.path_params["seq"]
    if not _SEQ(seq):
        raise HTTPException(404)
    views = await views_of(request, await kept_article(request, key))
    if int(seq) >= len(views):
        raise HTTPException(404)
    return views[int(seq)]
