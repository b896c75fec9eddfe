"""What is known of one quote, for its page and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from focuscrawl.exports.flat_records import quote_row
from focuscrawl.exports.row_files import json_value
from focuscrawl.items import PriceDecision, Quote
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
    stored = StoredQuote(
        quote=view.quote,
        article_url=article.url,
        article_title=article.title,
        site=article.site,
        seq=view.seq,
    )
    decision = view.decision
    return {name: json_value(value) for name, value in quote_row(stored).items()} | {
        "article_md5": article.url_md5,
        "seq": view.seq,
        "sentence": "".join(view.sentence),
        "published": json_value(article.published),
        "first_seen": json_value(view.kept.first_seen),
        "fetched_at": json_value(article.fetched_at),
        "gone_at": json_value(view.kept.gone_at),
        "verdict": view.verdict,
        "verdict_note": decision.note if decision else "",
        "decided_at": json_value(decision.decided_at) if decision else None,
    }
