"""Decisions of editors on quotes: their identity, and the state that a form has shown."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from focuscrawl.items import PriceDecision, Quote, Verdict
from focuscrawl.web.quotations.quote_facts import QuoteView, price_range

ACTIONS: dict[Verdict, str] = {
    "confirmed": "price.confirm",
    "refused": "price.refuse",
    "open": "price.withdraw",
}
"""Names of the actions in the log of changes."""
_NOBODY = datetime.min


def decision_key(url: str, quote: Quote) -> str:
    """Return the key of decisions on a quote of the article at ``url``."""
    return _decision(url, quote, "open", "", "", _NOBODY, "").key


def decided(view: QuoteView, verdict: Verdict, by: str, at: datetime, note: str) -> PriceDecision:
    """Return a decision on a quote; the flag of its reading is that of the first one."""
    earlier = view.decision
    flag = earlier.reader_flag if earlier else view.quote.flag
    return _decision(view.kept.article.url, view.quote, verdict, flag, by, at, note)


def _decision(
    url: str, quote: Quote, verdict: Verdict, flag: str, by: str, at: datetime, note: str
) -> PriceDecision:
    return PriceDecision(
        url=url,
        commodity=quote.commodity,
        entity=quote.entity,
        price_low=quote.price_low,
        price_high=quote.price_high,
        unit=quote.unit,
        span=quote.span,
        reader_flag=flag,
        verdict=verdict,
        decided_by=by,
        decided_at=at,
        note=note,
    )


def shown_state(view: QuoteView) -> str:
    """Return what a form has shown: which quote, and the last decision on it."""
    key = decision_key(view.kept.article.url, view.quote)
    last = view.decision
    return f"{key} {last.verdict} {last.decided_at.isoformat()}" if last else key


def logged(view: QuoteView, decision: PriceDecision | None) -> dict[str, Any] | None:
    """Return a decision as the log of changes has it, None for none."""
    if decision is None:
        return None
    price = price_range(decision.price_low, decision.price_high)
    return {
        "verdict": decision.verdict,
        "note": decision.note,
        "quote": f"{decision.entity} {price} {decision.unit}",
        "page": view.path,
    }
