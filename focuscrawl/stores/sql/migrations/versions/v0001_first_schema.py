"""The first schema, from before databases held a version.

Such a database is recognised by its tables; those that it lacks are created before this revision.
"""

from __future__ import annotations

revision = "0001"
down_revision = None

COLUMNS = {
    "articles": (
        "url_md5, url, site, title, published, stamp, pages, page_urls, missing_urls, "
        "is_complete, text, content_md5, record_md5, validators, first_seen, fetched_at, "
        "gone_at"
    ),
    "quotes": (
        "article_md5, seq, date, commodity, mention, entity, entity_is_known, region, "
        "price_low, price_high, unit, price_yuan_per_ton_low, price_yuan_per_ton_high, "
        "moisture, is_primary, span, flag"
    ),
    "pages": (
        "key, url, site, topic, title, text, score, relevance, is_relevant, steps, via, "
        "content_md5, first_seen, fetched_at"
    ),
    "numbered_articles": (
        "url_md5, url, site, series, number, title, description, tags, author, published, "
        "body_html, body_text, extra, terms_title, terms_tags, terms_description, terms_body, "
        "content_md5, record_md5, first_seen, fetched_at"
    ),
    "missing_numbers": (
        "url_md5, url, site, series, number, reason, tries, tried_at, due_at, found_at, first_seen"
    ),
    "template_records": (
        "key, crawl, template, url, site, seed, title, window, fields, region_md5, "
        "record_md5, first_seen, fetched_at, gone_at"
    ),
    "seeds": "key, crawl, url, title, engine, query, rank, window, state, first_seen, listed_at",
    "crawl_state": "key, value",
}
"""Comma-separated columns by table; a table of the same name without one of them is another program's.

Without the columns that later revisions rename, since a database may lose the mark of its version.
"""


def upgrade() -> None:
    """Change nothing: the tables are checked before a copy is made and before any is created."""
