"""The confidence of quotes, empty in old rows until ``scrapy reread`` fills it."""

from __future__ import annotations

from sqlalchemy import Column

from focuscrawl.stores.records.quote_field_names import CONFIDENCE
from focuscrawl.stores.sql.migrations.repeatable_steps import add_column
from focuscrawl.stores.sql.sql_tables import Price

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    add_column("quotes", Column(CONFIDENCE, Price))
