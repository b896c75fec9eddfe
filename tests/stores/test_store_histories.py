"""Earlier versions of articles, verdicts on prices and runs of crawls, alike in all stores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from focuscrawl.items import Article
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.records.price_verdicts import REFUSED
from focuscrawl.stores.store_protocol import Written
from tests.stores.record_examples import (
    NOW,
    article,
    crawl_run,
    everything,
    gone,
    incomplete,
    price_decision,
    quote,
)

DAY = timedelta(days=1)
Opener = Callable[[], Awaitable[Database]]


def later(days: int, **fields: Any) -> Article:
    return article(fetched_at=NOW + days * DAY, **fields)


async def test_each_change_of_a_site_leaves_the_version_before(
    store: Database, opened: Opener
) -> None:
    first = article()
    second = later(1, text="寿光0.9元/斤", quotes=[quote(price_low=Decimal("0.9"))])
    # The first text again: its second stay is a version of its own.
    batch = [first, second, later(2), later(3, title="新标题", quotes=[])]
    for entry in batch:
        await store.write([entry])
    versions = await (await opened()).revisions([first.url_md5, article(2).url_md5])
    assert [version.replaced_at for version in versions] == [NOW + n * DAY for n in (1, 2, 3)]
    assert [(v.title, v.text, v.published, v.quotes) for v in versions] == [
        (entry.title, entry.text, entry.published, entry.quotes) for entry in batch[:3]
    ]
    assert await store.revised() == [first.url_md5]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (article(), later(1)),
        (article(), later(1, quotes=[])),
        (article(), later(1, stamp="2026-03-06", published=None)),
        (article(), gone()),
        (incomplete(text="half"), later(1)),
        (article(), incomplete(text="half", fetched_at=NOW + DAY)),
    ],
    ids=["same", "read again", "stamp", "gone", "completed", "incomplete"],
)
async def test_other_changes_leave_none(store: Database, before: Any, after: Any) -> None:
    await store.write([before])
    await store.write([after])
    assert await store.revised() == []


async def test_two_versions_in_one_batch_and_a_huge_one(store: Database) -> None:
    text = "".join(chr(0x4E00 + n * n % 20_011) for n in range(1_500_000))
    await store.write([article(1), article(2, text=text)])
    batch = [later(1, text="a"), later(2, text="b")]
    batch += [replace(article(2), fetched_at=NOW + DAY)]
    await store.write(batch)
    keys = [article(number).url_md5 for number in (1, 2)]
    (version,) = await store.revisions(keys)
    assert (version.article_md5, version.text) == (keys[0], article(1).text)


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


@pytest.mark.parametrize(
    "other",
    [{"price_low": Decimal("0.8")}, {"entity": "潍坊"}, {"span": "x"}, {"url": article(2).url}],
    ids=lambda other: next(iter(other)),
)
async def test_a_verdict_is_about_one_quote_only(store: Database, other: dict[str, Any]) -> None:
    await store.write([article(quotes=[quote(flag="odd")])])
    await store.write([price_decision(**other)])
    await store.write([later(1, text="neu", quotes=[quote(flag="odd")])])
    assert await flags(store) == ["odd"]


async def test_a_verdict_and_its_article_in_one_batch(store: Database) -> None:
    await store.write([price_decision(verdict="refused"), article(quotes=[quote(flag="odd")])])
    assert await flags(store) == [REFUSED]


async def test_confirmed_quotes_say_so(store: Database) -> None:
    await store.write([article(quotes=[quote(flag="odd"), quote(entity="潍坊")]), article(2)])
    for verdict, confirmed in (("confirmed", [True, False]), ("refused", [False, False])):
        await store.write([price_decision(verdict=verdict)])
        found = [
            one for one in await everything(store.quotes()) if one.article_url == article().url
        ]
        assert [one.is_confirmed for one in found] == confirmed
        assert [one.seq for one in found] == [0, 1]


async def test_runs_are_listed_by_time_and_replaced(store: Database, opened: Opener) -> None:
    ended = crawl_run(1, ended_at=NOW + 2 * DAY, reason="finished", exit_code=3, details={"n": 1})
    for entry in (crawl_run(1), crawl_run(3), crawl_run(2, crawl="article-demo"), ended):
        await store.write_run(entry)
    again = await opened()
    assert await again.runs() == [crawl_run(3), crawl_run(2, crawl="article-demo"), ended]
    assert await again.runs("maize-demo", limit=1) == [crawl_run(3)]
    assert await again.run(crawl_run(1).key) == ended
    assert await again.run("0") is None
