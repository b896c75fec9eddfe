"""Single records, and lists of them page by page, alike in SQL databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from focuscrawl.items import GoneRecord, Page
from focuscrawl.stored_records import (
    KeptRecord,
    RecordGroup,
    RevisedArticle,
    TopicGroup,
)
from focuscrawl.stores.database_urls import Database
from tests.stores.conftest import SQL
from tests.stores.record_examples import (
    NOW,
    article,
    everything,
    page,
    price_decision,
    seed,
    template_record,
)

STORE_KINDS = SQL
DAY = timedelta(days=1)


async def test_decisions_are_found_by_their_articles(store: Database) -> None:
    decisions = [price_decision(url=article(number).url) for number in (1, 2)]
    other = price_decision(entity="潍坊", note="见 <b>电话</b>")
    await store.write([article(1), *decisions, other])
    found = await store.decisions_on([article(1).url_md5])
    assert found == sorted([decisions[0], other], key=lambda one: one.key)
    assert await store.decisions_on([]) == []


async def test_revised_articles_are_listed_by_their_last_change(store: Database) -> None:
    for day, number in enumerate((1, 2, 3, 1, 2)):
        await store.write([article(number, text=f"第{day}天", fetched_at=NOW + day * DAY)])
    one, two = (
        RevisedArticle(article(number).url_md5, NOW + day * DAY) for number, day in ((1, 3), (2, 4))
    )
    assert await store.last_revised(9) == [two, one]
    assert await store.last_revised(1) == [two]
    assert await store.last_revised(9, two.article_md5) == [one]
    assert await store.last_revised(9, article(3).url_md5) == []


async def test_records_are_listed_by_key_with_those_that_are_gone(store: Database) -> None:
    records = [template_record(number) for number in range(5)]
    other = template_record(1, crawl="template-x", template="x", title="\u202ex<script>")
    lost = GoneRecord(crawl=records[0].crawl, url=records[0].url, gone_at=NOW + DAY)
    await store.write([*records, other])
    await store.write([lost])
    kept = [
        KeptRecord(
            key=one.key,
            record=one,
            first_seen=NOW,
            gone_at=NOW + DAY if one.key == lost.key else None,
        )
        for one in sorted(records, key=lambda one: one.key)
    ]
    crawl = records[0].crawl
    assert await store.records_after(crawl, 9) == kept
    assert await store.records_after(crawl, 2) == kept[:2]
    assert await store.records_after(crawl, 2, kept[1].record.key) == kept[2:4]
    assert await store.record_of(kept[3].record.key) == kept[3]
    assert await store.record_of("0" * 32) is None
    begun = (NOW - DAY).isoformat()
    await store.set_state("window template-x", {"window": 2, "begun": begun})
    await store.write([replace(other, window=2)])
    found = await store.record_of(other.key)
    assert found is not None
    assert found.record.change == "new"
    assert await store.record_groups() == [
        RecordGroup(crawl, "contacts", 4),
        RecordGroup("template-x", "x", 1),
    ]


async def test_seeds_and_pages_are_found_by_their_keys(store: Database) -> None:
    await store.write([seed(1), seed(2), *PAGES])
    assert await store.seed_of(seed(2).key) == seed(2)
    assert await store.seed_of("0" * 32) is None
    assert await store.page_of(PAGES[3].key) == PAGES[3]
    assert await store.page_of("0" * 32) is None
    assert await store.topic_groups() == [TopicGroup("money", 6, 4), TopicGroup("绿色", 5, 3)]


PAGES = [
    page(number, relevance=number % 3 / 2, is_relevant=number % 3 > 0, score=number // 4,
        topic="绿色" if number % 2 else "money", site=f"{number % 2}.example")
    for number in range(11)
]  # fmt: skip


CHOICES = [
    ({"topic": "绿色"}, lambda one: one.topic == "绿色"),
    ({"site": "0.example"}, lambda one: one.site == "0.example"),
    ({"least": 0.5}, lambda one: one.relevance >= 0.5),
    ({"topic": "绿色", "least": 1.0}, lambda one: one.topic == "绿色" and one.relevance == 1),
]  # fmt: skip


async def test_pages_are_listed_and_chosen_in_the_order_of_their_worth(store: Database) -> None:
    """What is listed has no text."""
    await store.write(PAGES)
    whole = [replace(one, text="") for one in await everything(store.pages())]
    assert await store.best_pages(99) == whole
    found: list[Page] = []
    while part := await store.best_pages(2, found[-1].key if found else None):
        found += part
    assert found == whole
    assert await store.best_pages(9, "0" * 32) == []
    for given, fits in CHOICES:
        first = await store.best_pages(1, **given)
        rest = await store.best_pages(99, first[0].key, **given)
        assert first + rest == [one for one in whole if fits(one)], given
