"""What is known of one quote, for its page and as JSON, and the decisions of editors on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from focuscrawl.exports.flat_records import quote_row
from focuscrawl.exports.row_files import json_value
from focuscrawl.items import PriceDecision, Quote, Verdict
from focuscrawl.stored_records import KeptArticle, StoredQuote
from focuscrawl.web.quotations.text_marks import Sentence, sentence_of

_JIN_A_TON = 2000


@dataclass(frozen=True, slots=True)
class QuoteView:
    """A quote of a stored article with the last decision on it."""

    kept: KeptArticle
    seq: int
    quote: Quote
    decision: PriceDecision | None

    @property
    def path(self) -> str:
        """The address of its page."""
        return f"/prices/quotes/{self.kept.article.url_md5}/{self.seq}"

    @property
    def sentence(self) -> Sentence:
        """The sentence that it was read from."""
        return sentence_of(self.kept.article.text, self.quote)

    @property
    def verdict(self) -> str:
        """The verdict on it, ``open`` if there is none."""
        return self.decision.verdict if self.decision else "open"


def price_range(low: Decimal, high: Decimal) -> str:
    """Return a price as people write it: one number, or the two ends of a range.

    >>> price_range(Decimal("0.815"), Decimal("0.83")), price_range(Decimal(1630), Decimal(1630))
    ('0.815–0.83', '1630')
    """
    return f"{low:f}" if low == high else f"{low:f}–{high:f}"


def per_ton(quote: Quote) -> str:
    """Return the price in yuan per metric ton."""
    return price_range(quote.price_yuan_per_ton_low, quote.price_yuan_per_ton_high)


def per_jin(quote: Quote) -> str:
    """Return the price in yuan per jin (half a kilogram)."""
    ends = (quote.price_yuan_per_ton_low, quote.price_yuan_per_ton_high)
    return price_range(*((end / _JIN_A_TON).normalize() for end in ends))


def change_range(quote: Quote) -> str:
    """Return the stated change with its sign, ``""`` if there is none."""
    low, high = quote.price_change, quote.price_change_high
    if low is None:
        return ""
    return f"{low:+f}" if high is None or high == low else f"{low:+f} – {high:+f}"


def as_json(view: QuoteView) -> dict[str, Any]:
    """Return a quote with its origin and the decision on it, as JSON values."""
    article = view.kept.article
    origin: dict[str, Any] = {
        "article_url": article.url,
        "article_title": article.title,
        "site": article.site,
    }
    stored, decision = StoredQuote(quote=view.quote, seq=view.seq, **origin), view.decision
    values = {
        **quote_row(stored),
        "article_md5": article.url_md5,
        "seq": view.seq,
        "sentence": "".join(view.sentence),
        "published": article.published,
        "first_seen": view.kept.first_seen,
        "fetched_at": article.fetched_at,
        "gone_at": view.kept.gone_at,
        "verdict": view.verdict,
        "verdict_note": decision.note if decision else "",
        "decided_at": decision.decided_at if decision else None,
    }
    return {name: json_value(value) for name, value in values.items()}


ACTIONS: dict[Verdict, str] = {
    "confirmed": "price.confirm",
    "refused": "price.refuse",
    "open": "price.withdraw",
}
"""Names of the actions in the log of changes."""


_NAMED_BY = "commodity", "entity", "price_low", "price_high", "unit", "span"


def decision_key(url: str, quote: Quote) -> str:
    """Return the key of decisions on a quote of the article at ``url``."""
    nothing = {"reader_flag": "", "decided_by": "", "decided_at": datetime.min}
    return _decision(url, quote, verdict="open", **nothing).key


def decided(view: QuoteView, verdict: Verdict, by: str, at: datetime, note: str) -> PriceDecision:
    """Return a decision on a quote; the flag of its reading is that of the first one."""
    earlier = view.decision
    flag = earlier.reader_flag if earlier else view.quote.flag
    made = {"verdict": verdict, "decided_by": by, "decided_at": at, "note": note}
    return _decision(view.kept.article.url, view.quote, reader_flag=flag, **made)


def _decision(url: str, quote: Quote, **made: Any) -> PriceDecision:
    return PriceDecision(url=url, **{name: getattr(quote, name) for name in _NAMED_BY}, **made)


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
