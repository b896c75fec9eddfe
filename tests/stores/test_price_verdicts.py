"""Verdicts on prices, alike in all stores."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from focuscrawl.items import Article
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.records.price_verdicts import REFUSED
from focuscrawl.stores.store_protocol import Written
from tests.stores.record_examples import (
    NOW,
    article,
    everything,
    price_decision,
    quote,
)

DAY = timedelta(days=1)


def later(days: int, **fields: Any) -> Article:
    return article(fetched_at=NOW + days * DAY, **fields)


async def flags(store: Database) -> list[str]:
    return [entry.quote.flag for entry in await everything(store.quotes())]


async def test_a_verdict_holds_for_what_is_stored_and_what_comes_again(store: Database) -> None:
    doubtful = [quote(flag="odd"), quote(entity="潍坊")]
    await store.write([article(quotes=doubtful)])
    assert await store.write([price_decision()]) == Written(new=1)
    assert await store.write([price_decision()]) == Written(unchanged=1)
    assert await flags(store) == ["", ""]
    # As read, it is the stored one: the verdict makes no change of the site out of it.
    assert await store.write([later(1, quotes=doubtful)]) == Written(unchanged=1)
    assert await store.write([later(2, text="neu", quotes=doubtful)]) == Written(changed=1)
    assert await flags(store) == ["", ""]
    assert await store.write([price_decision(verdict="refused")]) == Written(changed=1)
    assert await flags(store) == [REFUSED, ""]
    assert await store.write([price_decision(verdict="open")]) == Written(changed=1)
    assert await flags(store) == ["odd", ""]
    assert [found.verdict for found in await everything(store.decisions())] == ["open"]
    (only,) = await everything(store.decisions())
    assert only == price_decision(verdict="open")


async def test_a_verdict_is_about_one_quote_only(store: Database) -> None:
    await store.write([article(quotes=[quote(flag="odd")])])
    others: list[dict[str, Any]] = [
        {"price_low": Decimal("0.8")},
        {"entity": "潍坊"},
        {"span": "x"},
        {"url": article(2).url},
    ]
    for days, other in enumerate(others, 1):
        await store.write([price_decision(**other)])
        await store.write([later(days, text=f"neu {days}", quotes=[quote(flag="odd")])])
        assert await flags(store) == ["odd"], other


async def test_confirmed_quotes_say_so(store: Database) -> None:
    """A verdict and its article may come in one batch."""
    odd = article(quotes=[quote(flag="odd"), quote(entity="潍坊")])
    await store.write([price_decision(verdict="refused"), odd, article(2)])
    assert REFUSED in await flags(store)
    for verdict, confirmed in (("confirmed", [True, False]), ("refused", [False, False])):
        await store.write([price_decision(verdict=verdict)])
        found = [one for one in await everything(store.quotes()) if one.article_url == odd.url]
        assert [one.is_confirmed for one in found] == confirmed
        assert [one.seq for one in found] == [0, 1]
