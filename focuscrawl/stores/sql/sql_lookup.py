"""Single records of a SQL database, and lists of them page by page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, and_, cast, false, func, select, true

from focuscrawl.items import Page, PriceDecision, Quote, Seed
from focuscrawl.stored_records import (
    KeptArticle,
    KeptRecord,
    RecordGroup,
    RevisedArticle,
    TopicGroup,
)
from focuscrawl.stores.records.batch_changes import state_key
from focuscrawl.stores.records.canonical_records import (
    stored_article,
    stored_decision,
    stored_page,
    stored_quote,
)
from focuscrawl.stores.records.price_verdicts import IDENTITY, identity_of
from focuscrawl.stores.records.template_rows import stored_record, stored_seed
from focuscrawl.stores.records.window_changes import WindowChanges
from focuscrawl.stores.sql import sql_reader
from focuscrawl.stores.sql.sql_reader import Rows, SQLReader, ranges_after
from focuscrawl.stores.sql.sql_tables import (
    article_revisions,
    articles,
    crawl_state,
    metadata,
    pages,
    price_decisions,
    quotes,
    seeds,
    template_records,
)

_WORTH = [pages.c.is_relevant, pages.c.relevance, pages.c.score, pages.c.key]
_SHOWN = [column for column in pages.c if column.name != "text"]
_KEYS_AT_ONCE = 20_000


class SQLLookup(SQLReader):
    """Single records of a SQL database, and lists of them."""

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object stored under ``key``, or None."""
        rows = await self._fetch(select(crawl_state).where(crawl_state.c.key == state_key(key)))
        return rows[0]["value"] if rows else None

    async def articles_of(self, url_md5s: Sequence[str]) -> dict[str, KeptArticle]:
        """Return the stored ones of the given articles with text and quotes, by MD5."""
        found: dict[str, KeptArticle] = {}
        for start in range(0, len(url_md5s), sql_reader.TEXTS):
            part = list(url_md5s[start : start + sql_reader.TEXTS])
            rows = await self._fetch(select(articles).where(articles.c.url_md5.in_(part)))
            belonging = await self._quotes_of(part)
            found |= {row["url_md5"]: _kept_article(row, belonging) for row in rows}
        return found

    async def _quotes_of(self, url_md5s: list[str]) -> dict[str, list[Quote]]:
        query = select(quotes).where(quotes.c.article_md5.in_(url_md5s))
        belonging = defaultdict(list)
        for row in await self._fetch(query.order_by(quotes.c.article_md5, quotes.c.seq)):
            belonging[row["article_md5"]].append(stored_quote(row))
        return belonging

    async def decisions_on(self, url_md5s: Sequence[str]) -> list[PriceDecision]:
        """Return the verdicts on prices of the given articles, by key."""
        key = price_decisions.c.article_md5
        found = await self._fetch_by(select(price_decisions), key, url_md5s)
        return [stored_decision(row) for row in sorted(found, key=lambda row: str(row["key"]))]

    async def _confirmed(self) -> set[tuple[str, ...]]:
        """Return the identities of the confirmed quotes."""
        columns = price_decisions.c
        query = select(*(columns[name] for name in IDENTITY))
        rows = await self._fetch(query.where(columns.verdict == "confirmed"))
        return set(map(identity_of, rows))

    async def last_revised(self, limit: int, after: str | None = None) -> list[RevisedArticle]:
        """Return the articles with earlier versions, the last changed first."""
        columns = article_revisions.c
        last = func.max(columns.replaced_at).label("replaced_at")
        each = select(columns.article_md5, last).group_by(columns.article_md5).subquery()
        order = [each.c.replaced_at, each.c.article_md5]
        of_key = None if after is None else each.c.article_md5 == after
        rows = await self._following(select(each), order, of_key, limit)
        return [RevisedArticle(row["article_md5"], row["replaced_at"]) for row in rows]

    async def record_groups(self) -> list[RecordGroup]:
        """Return the crawls with template records, by crawl and template."""
        columns = template_records.c
        names = columns.crawl, columns.template
        number = func.count().label("records")
        query = select(*names, number).where(columns.gone_at.is_(None)).group_by(*names)
        rows = await self._fetch(query.order_by(*names))
        return [RecordGroup(row["crawl"], row["template"], row["records"]) for row in rows]

    async def records_after(
        self, crawl: str, limit: int, after: str | None = None
    ) -> list[KeptRecord]:
        """Return template records of a crawl by key, those with keys above ``after``."""
        columns = template_records.c
        above = true() if after is None else columns.key > after
        query = select(template_records).where(columns.crawl == crawl, above)
        return await self._records(query.order_by(columns.key).limit(limit))

    async def record_of(self, key: str) -> KeptRecord | None:
        """Return a template record, None if there is none with this key."""
        found = await self._records(select(template_records).where(template_records.c.key == key))
        return found[0] if found else None

    async def _records(self, query: Select[Any]) -> list[KeptRecord]:
        changes = WindowChanges(self.get_state)
        return [
            KeptRecord(
                key=row["key"],
                record=stored_record(row, await changes.of(row)),
                first_seen=row["first_seen"],
                gone_at=row["gone_at"],
            )
            for row in await self._fetch(query)
        ]

    async def seed_of(self, key: str) -> Seed | None:
        """Return a seed, None if there is none with this key."""
        rows = await self._fetch(select(seeds).where(seeds.c.key == key))
        return stored_seed(rows[0]) if rows else None

    async def topic_groups(self) -> list[TopicGroup]:
        """Return the topics with stored pages, by name."""
        number = func.count().label("pages")
        relevant = func.sum(cast(pages.c.is_relevant, Integer)).label("relevant")
        query = select(pages.c.topic, number, relevant).group_by(pages.c.topic)
        rows = await self._fetch(query.order_by(pages.c.topic))
        return [TopicGroup(row["topic"], row["pages"], int(row["relevant"])) for row in rows]

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
        wanted = {pages.c.topic: topic, pages.c.site: site}
        where = [column == value for column, value in wanted.items() if value is not None]
        if least > 0:
            where.append(pages.c.relevance >= least)
        of_key = None if after is None else pages.c.key == after
        query = select(*_SHOWN).where(and_(true(), *where))
        rows = await self._following(query, _WORTH, of_key, limit)
        return [stored_page({**row, "text": ""}) for row in rows]

    async def page_keys(self, topic: str) -> list[str]:
        """Return the keys of the pages of a topic."""
        rows = await self._fetch(select(pages.c.key).where(pages.c.topic == topic))
        return [row["key"] for row in rows]

    async def keys_of(self, table: str) -> AsyncIterator[list[str]]:
        """Stream the keys of the rows of a table, from an index alone."""
        (key,) = metadata.tables[table].primary_key
        async for rows in self._paged(select(key), [key], _KEYS_AT_ONCE):
            yield [row[0] for row in rows]

    async def partial_keys(self) -> list[str]:
        """Return the keys of the incomplete articles."""
        incomplete = select(articles.c.url_md5).where(articles.c.is_complete == false())
        return [row["url_md5"] for row in await self._fetch(incomplete)]

    async def owners_of(self, table: str, owner: str, keys: Sequence[str]) -> dict[str, str]:
        """Return a column of the rows of a table that have the given keys, by key."""
        (key,) = metadata.tables[table].primary_key
        rows = await self._fetch_by(select(key, metadata.tables[table].c[owner]), key, keys)
        return {row[key.name]: row[owner] for row in rows}

    async def page_of(self, key: str) -> Page | None:
        """Return a page with its text, None if there is none with this key."""
        rows = await self._fetch(select(pages).where(pages.c.key == key))
        return stored_page(rows[0]) if rows else None

    async def _following(
        self,
        query: Select[Any],
        order: Sequence[ColumnElement[Any]],
        of_key: ColumnElement[bool] | None,
        limit: int,
    ) -> Rows:
        """Return the rows of a query, descending; those after the row ``of_key``, if it is given."""
        ranges: list[ColumnElement[bool]] = [true()]
        if of_key is not None:
            last = await self._fetch(select(*order).where(of_key))
            if not last:
                return []
            values = [last[0][str(key.key)] for key in order]
            ranges = ranges_after(order, values, is_descending=True)
        found: Rows = []
        part = query.order_by(*(key.desc() for key in order))
        for one in ranges:
            if len(found) < limit:
                found += await self._fetch(part.where(one).limit(limit - len(found)))
        return found


def _kept_article(row: Mapping[str, Any], belonging: Mapping[str, list[Quote]]) -> KeptArticle:
    return KeptArticle(
        article=stored_article(row, belonging.get(row["url_md5"], [])),
        first_seen=row["first_seen"],
        gone_at=row["gone_at"],
    )
