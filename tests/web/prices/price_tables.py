"""Tables of prices from invented rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from focuscrawl.items import CrawlRun, check_code
from focuscrawl.stores.sql.sql_prices import ArticleRow, QuoteRow
from focuscrawl.web.prices.price_table import PriceTable, PriceTableBuilder

TODAY = date(2026, 3, 31)
READ = datetime(2026, 3, 31, 8, tzinfo=UTC)


def article_row(name: str, published: date | None = None, **fields: Any) -> ArticleRow:
    """Return the row of an article; ``name`` stands in its address."""
    url = f"http://demo.example/{name}.htm"
    values = {"site": "demo", "is_complete": True, "gone_at": None, "seen": READ, "fetched": READ}
    site, is_complete, gone_at, seen, fetched = (values | fields).values()
    return check_code(url), url, site, published, is_complete, gone_at, seen, fetched


def quote_row(
    article: ArticleRow, seq: int, day: date | None, entity: str, price: float, **fields: Any
) -> QuoteRow:
    """Return the row of a quote of an article."""
    values = {"goods": "玉米", "place": ("山东", "潍坊", ""), "kind": "firm", "high": price}
    goods, place, kind, high = ({**values, **fields}[name] for name in values)
    tail = (fields.get("flag", ""), fields.get("is_primary", True), True)
    tail += (fields.get("moisture", ""), "")
    return article[0], seq, day, goods, entity, "", *place, kind, price, high, *tail


def table_of(
    articles: Sequence[ArticleRow], quotes: Sequence[QuoteRow], runs: Sequence[CrawlRun] = ()
) -> PriceTable:
    """Return the table of some rows."""
    builder = PriceTableBuilder()
    builder.add(articles, quotes)
    return builder.table(runs, TODAY, READ)


_days = st.integers(0, 450).map(lambda number: TODAY - timedelta(days=number))
_prices = st.integers(1500, 2500).map(lambda price: price / 2)
drawn_quotes = st.lists(
    st.tuples(
        _days, st.sampled_from(["甲", "乙", "丙"]), _prices, st.sampled_from([0, 0, 20]),
        st.sampled_from(["", "", "", "odd"]), st.sampled_from([True, True, True, False]),
    ),
    max_size=60,
)  # fmt: skip


def drawn_table(drawn: Sequence[tuple[date, str, float, int, str, bool]]) -> PriceTable:
    """Return a table of drawn quotes, all of one article."""
    article = article_row("drawn", TODAY)
    quotes = [
        quote_row(article, n, day, entity, price, high=price + more, flag=flag, is_primary=primary)
        for n, (day, entity, price, more, flag, primary) in enumerate(drawn)
    ]
    return table_of([article], quotes)
