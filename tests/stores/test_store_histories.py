"""Earlier versions of articles and runs of crawls, alike in SQL databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from focuscrawl.items import Article
from focuscrawl.stores.database_urls import Database
from tests.stores.conftest import SQL, Opener
from tests.stores.record_examples import (
    NOW,
    article,
    crawl_run,
    gone,
    incomplete,
    quote,
)

STORE_KINDS = SQL
DAY = timedelta(days=1)


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


async def test_other_changes_leave_none(store: Database) -> None:
    changes: dict[str, tuple[Any, Any]] = {
        "same": (article(), later(1)),
        "read again": (article(), later(1, quotes=[])),
        "stamp": (article(), later(1, stamp="2026-03-06", published=None)),
        "gone": (article(), gone()),
        "completed": (incomplete(text="half"), later(1)),
        "incomplete": (article(), incomplete(text="half", fetched_at=NOW + DAY)),
    }
    for name, both in changes.items():
        for record in both:
            await store.write([replace(record, url=f"http://demo.example/{name}")])
        assert await store.revised() == [], name


async def test_two_versions_in_one_batch_and_a_huge_one(store: Database) -> None:
    text = "".join(chr(0x4E00 + n * n % 20_011) for n in range(1_500_000))
    await store.write([article(1), article(2, text=text)])
    batch = [later(1, text="a"), later(2, text="b")]
    batch += [replace(article(2), fetched_at=NOW + DAY)]
    await store.write(batch)
    keys = [article(number).url_md5 for number in (1, 2)]
    (version,) = await store.revisions(keys)
    assert (version.article_md5, version.text) == (keys[0], article(1).text)


async def test_runs_are_listed_by_time_and_replaced(store: Database, opened: Opener) -> None:
    ended = crawl_run(1, ended_at=NOW + 2 * DAY, reason="finished", exit_code=3, details={"n": 1})
    for entry in (crawl_run(1), crawl_run(3), crawl_run(2, crawl="article-demo"), ended):
        await store.write_run(entry)
    again = await opened()
    assert await again.runs() == [crawl_run(3), crawl_run(2, crawl="article-demo"), ended]
    assert await again.runs("maize-demo", limit=1) == [crawl_run(3)]
    assert await again.run(crawl_run(1).key) == ended
    assert await again.run("0") is None
