"""Tables of prices from invented rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from focuscrawl.items import CrawlRun, check_code
from focuscrawl.stores.sql.price_columns import IS_KNOWN, IS_PRIMARY, PriceColumns
from focuscrawl.stores.sql.sql_prices import SEPARATOR, Columns
from focuscrawl.web.prices import price_table
from focuscrawl.web.prices.price_table import PriceTable

TODAY = date(2026, 3, 31)
READ = datetime(2026, 3, 31, 8, tzinfo=UTC)


Row = dict[str, Any]


def article_row(name: str, published: date | None = None, **fields: Any) -> Row:
    """Return the row of an article; ``name`` stands in its address."""
    url = f"http://demo.example/{name}.htm"
    seen = f"{READ:%Y-%m-%d %H:%M:%S.%f}"
    plain = {"url_md5": check_code(url), "record_md5": "0" * 32, "url": url, "site": "demo",
             "published": published, "is_complete": True, "gone_at": None, "first_seen": seen,
             "fetched_at": seen}  # fmt: skip
    return plain | fields


def quote_row(
    article: Row, seq: int, day: date | None, entity: str, price: float, **fields: Any
) -> Row:
    """Return the row of a quote of an article."""
    plain = {
        "goods": "玉米", "region": "", "place": ("山东", "潍坊", ""), "kind": "firm", "high": price,
        "flag": "", "moisture": "", "is_primary": True, "is_known": True,
    }  # fmt: skip
    own = plain | fields
    texts = (
        entity,
        own["goods"],
        own["region"],
        *own["place"],
        own["kind"],
        own["flag"],
        own["moisture"],
        "",
    )
    marks = IS_PRIMARY * own["is_primary"] + IS_KNOWN * own["is_known"]
    return {"article_md5": article["url_md5"], "seq": seq, "date": day, "texts": SEPARATOR.join(texts),
            "low": price, "high": own["high"], "marks": marks}  # fmt: skip


def table_of(
    articles: Sequence[Row],
    quotes: Sequence[Row],
    runs: Sequence[CrawlRun] = (),
    today: date = TODAY,
) -> PriceTable:
    """Return the table of some rows."""
    found = PriceColumns()
    found.add_articles(_columns(articles))
    if quotes:
        places = {row["url_md5"]: place for place, row in enumerate(articles)}
        found.add_quotes(places, _columns(quotes))
    return price_table.table_of(found, runs, today, READ)


def _columns(rows: Sequence[Row]) -> Columns:
    return {name: [row[name] for row in rows] for name in rows[0]}


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
