"""Views over the quotes that answer an analyst's questions: prices by day, and the latest ones."""

from __future__ import annotations

from sqlalchemy import Connection, inspect

from focuscrawl.stores.sql.sql_upgrade import check_columns

COLUMNS = (
    "date commodity province city county entity entity_type price price_low price_high move"
    " previous_date quotes article_url"
).split()
"""Columns of both views. Prices are in yuan per ton; ``move`` is the change since ``previous_date``."""

_LISTED = ", ".join(COLUMNS)
# Articles are joined by the groups, of which there are fewer than quotes.
_DAILY = """
    SELECT daily.date, daily.commodity, daily.province, daily.city, daily.county, daily.entity,
        daily.entity_type, daily.price, daily.price_low, daily.price_high,
        ROUND(daily.price - LAG(daily.price) OVER history, 2) AS move,
        LAG(daily.date) OVER history AS previous_date,
        daily.quotes, articles.url AS article_url
    FROM (
        SELECT date, commodity, province, MAX(city) AS city, MAX(county) AS county, entity,
            MAX(entity_type) AS entity_type,
            ROUND(AVG((price_yuan_per_ton_low + price_yuan_per_ton_high) / 2), 2) AS price,
            MIN(price_yuan_per_ton_low) AS price_low, MAX(price_yuan_per_ton_high) AS price_high,
            COUNT(*) AS quotes, MIN(article_md5) AS article_md5
        FROM quotes
        WHERE is_primary = 1 AND flag = '' AND entity <> '' AND date IS NOT NULL
            AND article_md5 NOT IN (SELECT url_md5 FROM articles WHERE gone_at IS NOT NULL)
        GROUP BY date, commodity, province, entity
    ) AS daily
    JOIN articles ON articles.url_md5 = daily.article_md5
    WINDOW history AS (
        PARTITION BY daily.commodity, daily.province, daily.entity ORDER BY daily.date
    )
"""
_LATEST = f"""
    SELECT {_LISTED}
    FROM (
        SELECT {_LISTED}, ROW_NUMBER() OVER (
            PARTITION BY commodity, province, entity ORDER BY date DESC
        ) AS age
        FROM daily_prices
    ) AS aged
    WHERE age = 1
"""  # noqa: S608 - the names of columns above
VIEWS = {"daily_prices": _DAILY, "latest_prices": _LATEST}
"""Queries of the views, by name, in the order in which they build on each other."""


def are_there(connection: Connection) -> bool:
    """Return whether a database has the views."""
    return {*inspect(connection).get_view_names()} >= VIEWS.keys()


def create(connection: Connection, name: str) -> None:
    """Create or replace the views; ``name`` is that of the database in errors.

    Raises StoreError if another program has a table or a view of the same name.
    """
    check_columns(connection, name, dict.fromkeys(VIEWS, COLUMNS))
    for view, query in VIEWS.items():
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"DROP VIEW IF EXISTS {view}")
            connection.exec_driver_sql(f"CREATE VIEW {view} AS {query}")
        else:
            connection.exec_driver_sql(f"CREATE OR REPLACE VIEW {view} AS {query}")
