"""Effect of editors' verdicts on the quotes of a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from focuscrawl.items import Verdict
from focuscrawl.stores.records.batch_changes import Prepared, Row

REFUSED = "人工剔除"
"""The flag of a quote that an editor has refused."""
IDENTITY = ("article_md5", "commodity", "entity", "price_low", "price_high", "unit", "span")
"""The columns of quotes and of decisions that say which quote a decision is about."""


def flag_after(verdict: Verdict, reader_flag: str) -> str:
    """Return the flag of a quote after a verdict on it."""
    return {"confirmed": "", "refused": REFUSED, "open": reader_flag}[verdict]


def apply_verdicts(entries: Iterable[Prepared], decisions: Iterable[Mapping[str, Any]]) -> None:
    """Set the flags of the quotes that are about to be written and on which there are verdicts."""
    by_quote = {identity_of(decision): decision for decision in decisions}
    if not by_quote:
        return
    for quote in (quote for entry in entries for quote in entry.parts):
        if decision := by_quote.get(identity_of(quote)):
            quote["flag"] = flag_after(decision["verdict"], quote["flag"])


def identity_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a quote and the decisions on it have in common, from the row of either."""
    # As text, since the decimals of MongoDB have no hash.
    return tuple(str(row[name]) for name in IDENTITY)


def marked_quotes(entry: Prepared) -> tuple[Row, Row]:
    """Return the columns that the quotes of a decision have, and those that it sets."""
    row = entry.row
    where = {name: row[name] for name in IDENTITY}
    return where, {"flag": flag_after(row["verdict"], row["reader_flag"])}
