"""Verdicts of people on pages, alike in all stores."""

from __future__ import annotations

from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import Written
from tests.stores.record_examples import everything, page_verdict


async def test_a_verdict_replaces_that_of_the_same_person_only(store: Database) -> None:
    first, other = page_verdict(), page_verdict(judge="王", verdict="irrelevant")
    elsewhere = page_verdict(topic="机器学习")
    assert await store.write([first, other, elsewhere]) == Written(new=3)
    assert await store.write([first]) == Written(unchanged=1)
    assert await store.write([page_verdict(verdict="unsure")]) == Written(changed=1)
    found = await everything(store.page_verdicts("money"))
    assert {(one.judge, one.verdict) for one in found} == {("李", "unsure"), ("王", "irrelevant")}
    assert await everything(store.page_verdicts("机器学习")) == [elsewhere]
    assert len(await everything(store.page_verdicts())) == 3
