"""Single records of a MongoDB database, and lists of them page by page."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from focuscrawl.items import Page, PriceDecision, Seed
from focuscrawl.stored_records import (
    KeptArticle,
    KeptRecord,
    RecordGroup,
    RevisedArticle,
    TopicGroup,
)
from focuscrawl.stores.mongo.mongo_documents import row_of
from focuscrawl.stores.mongo.mongo_errors import translated
from focuscrawl.stores.mongo.mongo_reader import MongoReader
from focuscrawl.stores.mongo.mongo_setup import WORTH
from focuscrawl.stores.records.batch_changes import (
    DECISIONS,
    PAGES,
    RECORDS,
    REVISIONS,
    SEEDS,
    Row,
    state_key,
)
from focuscrawl.stores.records.canonical_records import (
    stored_article,
    stored_decision,
    stored_page,
    stored_quote,
)
from focuscrawl.stores.records.price_verdicts import identity_of
from focuscrawl.stores.records.template_rows import stored_record, stored_seed
from focuscrawl.stores.records.window_changes import WindowChanges


class MongoLookup(MongoReader):
    """Single records of a MongoDB database, and lists of them."""

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object stored under ``key``, or None."""
        with translated(self._label):
            document = await self._collection("crawl_state").find_one({"key": state_key(key)})
        state: dict[str, Any] | None = document and json.loads(document["value"])
        return state

    async def articles_of(self, url_md5s: Sequence[str]) -> dict[str, KeptArticle]:
        """Return the stored ones of the given articles with text and quotes, by MD5."""
        keys, kept = list(url_md5s), {}
        quotes = await self._quotes_of(keys)
        found = self._collection("articles").find({"url_md5": {"$in": keys}})
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                row = row_of(document)
                own = [stored_quote(quote) for quote in quotes.get(row["url_md5"], [])]
                kept[row["url_md5"]] = KeptArticle(
                    article=stored_article(row, own),
                    first_seen=row["first_seen"],
                    gone_at=row["gone_at"],
                )
        return kept

    async def _quotes_of(self, url_md5s: list[str]) -> dict[str, list[Row]]:
        belonging: dict[str, list[Row]] = defaultdict(list)
        where = {"article_md5": {"$in": url_md5s}}
        with translated(self._label):
            rows = self._collection("quotes").find(where).sort([("article_md5", 1), ("seq", 1)])
            async for document in rows:
                belonging[document["article_md5"]].append(row_of(document))
        return belonging

    async def decisions_on(self, url_md5s: Sequence[str]) -> list[PriceDecision]:
        """Return the verdicts on prices of the given articles, by key."""
        found = self._collection(DECISIONS.table).find({"article_md5": {"$in": list(url_md5s)}})
        with translated(self._label):
            return [stored_decision(row_of(document)) async for document in found.sort("key", 1)]

    async def _confirmed(self) -> set[tuple[str, ...]]:
        """Return the identities of the confirmed quotes."""
        found = self._collection(DECISIONS.table).find({"verdict": "confirmed"})
        with translated(self._label):
            return {identity_of(document) async for document in found}

    async def last_revised(self, limit: int, after: str | None = None) -> list[RevisedArticle]:
        """Return the articles with earlier versions, the last changed first."""
        last: Row = {"_id": "$article_md5", "replaced_at": {"$max": "$replaced_at"}}
        steps: list[Row] = [{"$group": last}]
        if after is not None:
            own = await self._aggregate(
                REVISIONS.table, [{"$match": {"article_md5": after}}, {"$group": last}]
            )
            if not own:
                return []
            steps.append({"$match": _below(own[0], ["replaced_at", "_id"])})
        steps += [{"$sort": {"replaced_at": -1, "_id": -1}}, {"$limit": limit}]
        rows = map(row_of, await self._aggregate(REVISIONS.table, steps))
        return [RevisedArticle(row["_id"], row["replaced_at"]) for row in rows]

    async def record_groups(self) -> list[RecordGroup]:
        """Return the crawls with template records, by crawl and template."""
        names = {"crawl": "$crawl", "template": "$template"}
        rows = await self._aggregate(
            RECORDS.table,
            [{"$match": {"gone_at": None}}, {"$group": {"_id": names, "records": {"$sum": 1}}}],
        )
        groups = [RecordGroup(**row["_id"], records=row["records"]) for row in rows]
        return sorted(groups)

    async def records_after(
        self, crawl: str, limit: int, after: str | None = None
    ) -> list[KeptRecord]:
        """Return template records of a crawl by key, those with keys above ``after``."""
        where: Row = {"crawl": crawl} | ({} if after is None else {"key": {"$gt": after}})
        return await self._records(where, limit)

    async def record_of(self, key: str) -> KeptRecord | None:
        """Return a template record, None if there is none with this key."""
        found = await self._records({"key": key}, 1)
        return found[0] if found else None

    async def _records(self, where: Row, limit: int) -> list[KeptRecord]:
        changes = WindowChanges(self.get_state)
        kept = []
        found = self._collection(RECORDS.table).find(where).sort("key", 1).limit(limit)
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                row = row_of(document)
                kept.append(
                    KeptRecord(
                        key=row["key"],
                        record=stored_record(row, await changes.of(row)),
                        first_seen=row["first_seen"],
                        gone_at=row["gone_at"],
                    )
                )
        return kept

    async def seed_of(self, key: str) -> Seed | None:
        """Return a seed, None if there is none with this key."""
        document = await self._one(SEEDS.table, key)
        return stored_seed(row_of(document)) if document else None

    async def topic_groups(self) -> list[TopicGroup]:
        """Return the topics with stored pages, by name."""
        relevant = {"$sum": {"$cond": ["$is_relevant", 1, 0]}}
        group = {"_id": "$topic", "pages": {"$sum": 1}, "relevant": relevant}
        rows = await self._aggregate(PAGES.table, [{"$group": group}])
        return sorted(TopicGroup(row["_id"], row["pages"], row["relevant"]) for row in rows)

    async def best_pages(
        self,
        limit: int,
        after: str | None = None,
        *,
        topic: str | None = None,
        site: str | None = None,
        least: float = 0.0,
    ) -> list[Page]:
        """Return pages without their texts, relevant and best ones first."""
        given = {"topic": topic, "site": site}
        where: Row = {name: value for name, value in given.items() if value is not None}
        if least > 0:
            where["relevance"] = {"$gte": least}
        if after is not None:
            last = await self._one(PAGES.table, after, {"text": 0})
            if last is None:
                return []
            where = {"$and": [where, _below(last, WORTH)]}
        found = self._collection(PAGES.table).find(where, {"text": 0})
        found.sort([(name, -1) for name in WORTH]).limit(limit)
        with translated(self._label):
            return [stored_page(row_of(document) | {"text": ""}) async for document in found]

    async def page_of(self, key: str) -> Page | None:
        """Return a page with its text, None if there is none with this key."""
        document = await self._one(PAGES.table, key)
        return stored_page(row_of(await self._whole(document))) if document else None

    async def _one(self, table: str, key: str, shown: Row | None = None) -> Row | None:
        with translated(self._label):
            return await self._collection(table).find_one({"key": key}, shown)

    async def _aggregate(self, table: str, steps: list[Row]) -> list[Row]:
        with translated(self._label):
            found: Any = await self._collection(table).aggregate(steps)
            rows: list[Row] = await found.to_list()
            return rows


def _below(last: Row, names: Sequence[str]) -> Row:
    """Return the condition for the documents after one, in descending order of some fields."""
    ranges: list[Row] = [
        {name: last[name] for name in names[:place]} | {names[place]: {"$lt": last[names[place]]}}
        for place in range(len(names))
    ]
    return {"$or": ranges}
