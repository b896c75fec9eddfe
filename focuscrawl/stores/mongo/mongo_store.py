"""Records in MongoDB, through pymongo's asyncio client."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import bson
from bson.errors import BSONError
from pymongo import DeleteOne, ReplaceOne, UpdateOne
from pymongo.asynchronous.client_session import AsyncClientSession

from focuscrawl.errors import StoreError
from focuscrawl.items import (
    Article,
    CrawlRun,
    MissingNumber,
    NumberedArticle,
    OwnItem,
    Page,
    PageVerdict,
    PriceDecision,
    Record,
    Seed,
    TemplateRecord,
)
from focuscrawl.search.search_results import BODY, Scope, TextCandidate, latest_day
from focuscrawl.stored_records import ArticleSummary, KeptArticle, KnownArticle, StoredQuote
from focuscrawl.stores.mongo.mongo_documents import (
    LARGEST,
    NO_TERMS,
    document_of,
    files_of,
    from_day,
    midnight,
    move_large_texts,
    numbered_row,
    quote_of,
    row_of,
)
from focuscrawl.stores.mongo.mongo_errors import too_large, translated
from focuscrawl.stores.mongo.mongo_files import FILES, LargeTexts
from focuscrawl.stores.mongo.mongo_lock import records_locked
from focuscrawl.stores.mongo.mongo_reader import CHUNK, MongoReader
from focuscrawl.stores.mongo.mongo_setup import WORTH
from focuscrawl.stores.records.batch_changes import (
    ARTICLES,
    DECISIONS,
    NUMBERED,
    RECORD_REVISIONS,
    RECORDS,
    RUNS,
    VERDICTS,
    BatchPlan,
    Prepared,
    RecordKind,
    Row,
    by_kind,
    plan,
    settle,
    state_key,
)
from focuscrawl.stores.records.canonical_records import (
    known_article,
    prepare_all,
    stored_article,
    stored_decision,
    stored_page,
    stored_quote,
    stored_summary,
    stored_verdict,
)
from focuscrawl.stores.records.numbered_rows import TERMS, stored_missing, stored_numbered
from focuscrawl.stores.records.own_items import stored_item
from focuscrawl.stores.records.price_verdicts import apply_verdicts, identity_of, marked_quotes
from focuscrawl.stores.records.run_rows import run_row
from focuscrawl.stores.records.template_rows import stored_record, stored_seed
from focuscrawl.stores.records.window_changes import WindowChanges
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.stores.store_search import Searched, Sought, TextSource, stored_candidate

# Search in MongoDB: the documents that have given terms, and what ranking reads of them.


_FIELDS = [f"terms_{name}" for name in TERMS]
_HEADLINE = _FIELDS[:2]
_UNREAD = dict.fromkeys(("body_html", *_FIELDS), 0)
# How far documents with a term are counted, and of how many terms, to begin with the rarest.
_COUNTED, _TERMS_COUNTED = 4_000, 8
_MOST_AT_ONCE = 20_000
# Before they are sorted: a find() sorts whole documents, and soon on disk.
_SORTED_BY = {"_id": 0, "url_md5": 1, "published": 1}


class MongoSearch(Searched, MongoReader):
    """A MongoDB database whose numbered articles are searched."""

    async def matching(
        self,
        terms: Sequence[str],
        parts: Sequence[str],
        scope: Scope,
        limit: int,
        *,
        in_headline: bool,
    ) -> list[str]:
        """Return the keys of the documents with all terms and parts, the newest first."""
        fields = _HEADLINE if in_headline else _FIELDS
        with translated(self._label):
            return await self._newest(terms, parts, fields, within(scope), limit)

    async def _newest(
        self, terms: Sequence[str], parts: Sequence[str], fields: list[str], where: Row, limit: int
    ) -> list[str]:
        rarest = await self._rarest(terms)
        if terms and not rarest:
            return []
        if rarest:
            where["$text"] = {"$search": rarest}
        # Only a term's end needs to be told: with its mark it is no part of one that means less.
        others = [_in_any(_FIELDS, f"{term}(?: |$)") for term in terms if term != rarest]
        others += [_in_any(fields, re.escape(part)) for part in parts]
        # Those of the future last.
        is_future = {"$gt": ["$published", midnight(latest_day())]}
        order = {"is_future": 1, "published": -1, "url_md5": 1}
        newest: tuple[Row, ...] = ({"$set": {"is_future": is_future}}, {"$sort": order})
        if not others:
            return await self._keys(where, *newest, {"$limit": limit})
        return await self._first_with(await self._keys(where, *newest), others, limit)

    async def _rarest(self, terms: Sequence[str]) -> str:
        """Return the term that the fewest documents have, an empty string if one is in none.

        A text search is for any of its words, and looks for the rest in all that it finds: so it is
        given only this one. Terms are letters and digits, which are no operators of it.
        """
        counts: dict[str, int] = {}
        for term in terms[:_TERMS_COUNTED]:
            where = {"$text": {"$search": term}}
            collection = self._collection(NUMBERED.table)
            counts[term] = await collection.count_documents(where, limit=_COUNTED)
            if not counts[term]:
                return ""
        return min(counts, key=counts.__getitem__, default="")

    async def _first_with(
        self, keys: Sequence[str], conditions: Sequence[Row], limit: int
    ) -> list[str]:
        """Return the first ``limit`` keys of documents that meet all conditions.

        The documents are looked at in parts, for each look reads all its terms: of two words that
        many documents have, most of them need none.
        """
        first: list[str] = []
        start, size = 0, limit
        while start < len(keys) and len(first) < limit:
            part = keys[start : start + size]
            where = {"url_md5": {"$in": part}, "$and": conditions}
            have = {*await self._keys(where)}
            first += [key for key in part if key in have]
            start, size = start + size, min(2 * size, _MOST_AT_ONCE)
        return first[:limit]

    async def _keys(self, where: Row, *steps: Row) -> list[str]:
        all_steps = [{"$match": where}, {"$project": _SORTED_BY}, *steps]
        found = await self._collection(NUMBERED.table).aggregate(all_steps, allowDiskUse=True)
        return [document["url_md5"] for document in await found.to_list()]

    async def _read(self, texts: TextSource, fields: Sequence[str], sought: Sought) -> list[str]:
        spellings, scope, limit = sought
        names = [f"{name}.value" if name == "fields" else name for name in fields]
        key = texts.kind.key
        where = within(scope, key)
        if "site" in where and texts.name == "item":
            # Own items have only a URL.
            where["url"] = {"$regex": re.escape(where.pop("site"))}
        if texts.may_be_gone:
            where["gone_at"] = None
        where["$and"] = [_in_any(names, pattern) for pattern in spellings]
        steps: list[Row] = [{"$match": where}, {"$project": {"_id": 0, key: 1, texts.day: 1}}]
        steps += [{"$sort": {texts.day: -1, key: 1}}, {"$limit": limit}]
        with translated(self._label):
            found = await self._collection(texts.kind.table).aggregate(steps, allowDiskUse=True)
            return [document[key] for document in await found.to_list()]

    async def _read_rows(self, texts: TextSource, keys: Sequence[str]) -> list[Row]:
        where = {texts.kind.key: {"$in": list(keys)}}
        with translated(self._label):
            found = await self._collection(texts.kind.table).find(where).to_list()
        return [row_of(await self._whole(document)) for document in found]

    async def candidates(self, keys: Sequence[str]) -> list[TextCandidate]:
        """Return the articles with the given keys, their bodies cut."""
        where = {"url_md5": {"$in": list(keys)}}
        with translated(self._label):
            found = await self._collection(NUMBERED.table).find(where, _UNREAD).to_list()
        return [_candidate(document) for document in found]


def within(scope: Scope, key: str = NUMBERED.key) -> Row:
    """Return the condition for the articles of a scope; only numbered ones have series and tags."""
    wanted = {"site": scope.site, "series": scope.series, "tags": scope.tag}
    days = {
        name: midnight(day) for name, day in (("$gte", scope.since), ("$lte", scope.until)) if day
    }
    where: Row = {name: value for name, value in wanted.items() if value is not None}
    where |= {"published": days} if days else {}
    where |= {key: {"$in": sorted(scope.keys)}} if scope.keys is not None else {}
    return where | ({"relevance": {"$gte": scope.least}} if scope.least > 0 else {})


def _in_any(fields: Sequence[str], expression: str) -> Row:
    # The body first, where most is found.
    return {"$or": [{name: {"$regex": expression}} for name in reversed(fields)]}


def _candidate(document: Mapping[str, Any]) -> TextCandidate:
    row = numbered_row({name: value for name, value in document.items() if name != FILES})
    body = row["body_text"]
    is_whole = len(body) <= BODY and FILES not in document
    return stored_candidate(row, body[:BODY], is_whole=is_whole)


# Fields of an article while its quotes are replaced: if the program is killed meanwhile, the article is
# requested again unconditionally, and any response differs from what is stored.
HALF_WRITTEN = {
    "record_md5": "",
    "content_md5": "",
    "stamp": "",
    "is_complete": False,
    "validators": [],
}


def upserts(
    kind: RecordKind, todo: BatchPlan, held: Mapping[str, Row]
) -> list[UpdateOne | ReplaceOne[Row]]:
    """Return the operations that replace stored records, except for ``first_seen``.

    Files and additional fields of the stored records are removed.
    """
    return [
        _replacement(kind, key, entry, held.get(key, {}))
        if kind is NUMBERED
        else _upsert(kind, key, entry)
        for key, entry in todo.replaced.items()
    ]


def _upsert(kind: RecordKind, key: str, entry: Prepared) -> UpdateOne:
    given = {name: value for name, value in entry.row.items() if name != "first_seen"}
    change: Row = {"$set": given}
    if "first_seen" in entry.row:
        change["$setOnInsert"] = {"first_seen": entry.row["first_seen"]}
    if FILES not in given:
        change["$unset"] = {FILES: ""}
    return UpdateOne({kind.key: key}, change, upsert=True)


def _replacement(kind: RecordKind, key: str, entry: Prepared, before: Row) -> ReplaceOne[Row]:
    first = {"first_seen": before.get("first_seen", entry.row["first_seen"])}
    return ReplaceOne({kind.key: key}, entry.row | first, upsert=True)


def updates(kind: RecordKind, todo: BatchPlan) -> list[UpdateOne]:
    """Return the operations that set single columns of stored records."""
    return [UpdateOne({kind.key: key}, {"$set": columns}) for key, columns in todo.columns.items()]


def removals(kind: RecordKind, todo: BatchPlan) -> list[DeleteOne]:
    """Return the operations that delete records."""
    return [DeleteOne({kind.key: key}) for key in sorted(todo.erased)]


# Documents read at a time: whole texts are large, everything else is small.
_TEXTS, _NUMBERS = 32, 10_000
_SUMMARY: dict[str, Any] = {
    **dict.fromkeys(
        "url site title published page_urls missing_urls is_complete gone_at first_seen record_md5"
        " content_md5".split(),
        1,
    ),
    "has_text": {"$ne": ["$text", ""]},
}


class MongoStore(MongoSearch):
    """A :class:`~focuscrawl.stores.database_urls.Database` in MongoDB.

    A replica set writes a batch in one transaction. A single server has no transactions, so quotes
    are written before their article, which counts as known only when all its quotes are stored.
    """

    async def write(self, records: Sequence[Record]) -> Written:
        """Upsert the records; a repeat changes nothing, and completes what a crash interrupted."""
        results = await asyncio.to_thread(self._encode_all, list(records))
        good = [entry for entry in results if isinstance(entry, Prepared)]
        if good:
            with translated(self._label):
                await self._transact(good, partial(self._carry_out_all, good))
        return settle(results)

    def _encode_all(self, records: Sequence[Record]) -> list[Prepared | StoreError]:
        entries = prepare_all(records)
        return [e if isinstance(e, StoreError) else self._encode(e) for e in entries]

    def _encode(self, entry: Prepared) -> Prepared | StoreError:
        entry.row = document_of(entry.row)
        entry.parts = [document_of(row) for row in entry.parts]
        try:
            sizes = [move_large_texts(entry), *(len(bson.encode(row)) for row in entry.parts)]
        except (BSONError, OverflowError) as error:
            return StoreError(f"{entry.url} is refused by {self._label}: {error}")
        if max(sizes) > LARGEST:
            return too_large(entry.url, max(sizes), self._label)
        return entry

    async def _transact(
        self,
        batch: Sequence[Prepared],
        write: Callable[[AsyncClientSession | None], Awaitable[set[str]]],
    ) -> None:
        """Call ``write``, which writes a batch and returns the files of the replaced documents.

        Files are written before the documents that refer to them, and old files deleted after
        that: whenever the program is killed, every document has its files. No other program writes
        the same records meanwhile.
        """
        keys = {f"{entry.kind.table} {entry.key}" for entry in batch}
        async with records_locked(self._db, keys, self._label):
            files = LargeTexts(self._db)
            for entry in batch:
                await files.put(entry.files)
            if self._has_transactions:
                client = self._db.client
                async with client.start_session() as session, await session.start_transaction():
                    old = await write(session)
            else:
                old = await write(None)
            await files.remove(old - {name for entry in batch for name in entry.files})

    async def _carry_out_all(
        self, batch: Sequence[Prepared], session: AsyncClientSession | None
    ) -> set[str]:
        old: set[str] = set()
        for kind, entries in by_kind(batch):
            held = await self._held(kind, {entry.key for entry in entries}, session)
            todo = plan(entries, held)
            if kind is RECORDS and todo.erased:
                await self._forget_values(todo.erased, session)
            if kind is ARTICLES:
                await self._apply_verdicts(todo, session)
            await self._carry_out(kind, todo, held, session)
            if kind is DECISIONS:
                await self._mark_quotes(entries, session)
            old |= files_of(held[key] for key in todo.replaced if key in held)
        return old

    async def _forget_values(
        self, record_keys: Collection[str], session: AsyncClientSession | None
    ) -> None:
        """Delete the earlier values of erased records, which earlier versions and transfers left."""
        where = {"record_key": {"$in": sorted(record_keys)}}
        await self._collection(RECORD_REVISIONS.table).delete_many(where, session=session)

    async def _apply_verdicts(self, todo: BatchPlan, session: AsyncClientSession | None) -> None:
        where = {"article_md5": {"$in": [*todo.replaced]}}
        found = self._collection(DECISIONS.table).find(where, session=session)
        apply_verdicts(todo.replaced.values(), [document async for document in found])

    async def _mark_quotes(
        self, entries: Sequence[Prepared], session: AsyncClientSession | None
    ) -> None:
        for entry in entries:
            where, fields = marked_quotes(entry)
            await self._collection("quotes").update_many(where, {"$set": fields}, session=session)

    async def _held(
        self, kind: RecordKind, keys: set[str], session: AsyncClientSession | None
    ) -> dict[str, Row]:
        where = {kind.key: {"$in": list(keys)}}
        rows = self._collection(kind.table).find(where, [*kind.held, FILES], session=session)
        return {row[kind.key]: row async for row in rows}

    async def _carry_out(
        self,
        kind: RecordKind,
        todo: BatchPlan,
        held: Mapping[str, Row],
        session: AsyncClientSession | None,
    ) -> None:
        if todo.replaced and kind.parts:
            old = [key for key in todo.replaced if key in held]
            await self._replace_parts(kind, todo, old, session)
        changes = [*upserts(kind, todo, held), *updates(kind, todo), *removals(kind, todo)]
        if changes:
            await self._collection(kind.table).bulk_write(changes, session=session)

    async def _replace_parts(
        self, kind: RecordKind, todo: BatchPlan, held: list[str], session: AsyncClientSession | None
    ) -> None:
        if held and session is None:
            where = {kind.key: {"$in": held}}
            await self._collection(kind.table).update_many(where, {"$set": HALF_WRITTEN})
        collection = self._collection(kind.parts)
        await collection.delete_many({kind.owner: {"$in": [*todo.replaced]}}, session=session)
        rows = [row for entry in todo.replaced.values() for row in entry.parts]
        if rows:
            await collection.insert_many(rows, ordered=False, session=session)

    async def begin_many(self, kind: RecordKind) -> None:
        """Do nothing: there is no work worth postponing."""

    async def end_many(self, kind: RecordKind) -> None:
        """Do nothing."""

    async def copy(
        self, kind: RecordKind, entries: Sequence[Prepared], held: Collection[str]
    ) -> None:
        """Write records of another database unchanged; ``held`` has the keys of those replaced."""
        results = await asyncio.to_thread(self._encode_copies, entries)
        ready = [entry for entry in results if isinstance(entry, Prepared)]
        if ready:
            with translated(self._label):
                await self._transact(ready, partial(self._copy, kind, ready, held))
        settle(results)

    def _encode_copies(self, entries: Sequence[Prepared]) -> list[Prepared | StoreError]:
        return [self._encode(replace(entry, files={})) for entry in entries]

    async def _copy(
        self,
        kind: RecordKind,
        entries: Sequence[Prepared],
        held: Collection[str],
        session: AsyncClientSession | None,
    ) -> set[str]:
        todo = BatchPlan(replaced={entry.key: entry for entry in entries})
        before = {}
        if held:
            before = await self._held(kind, set(held), session)
        if kind.parts:
            await self._replace_parts(kind, todo, list(before), session)
        changes = [ReplaceOne({kind.key: e.key}, e.row, upsert=True) for e in entries]
        await self._collection(kind.table).bulk_write(changes, ordered=False, session=session)
        return files_of(before.values())

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return the stored ones of the given articles, by MD5."""
        found: dict[str, KnownArticle] = {}
        for start in range(0, len(url_md5s), CHUNK):
            where = {"url_md5": {"$in": list(url_md5s[start : start + CHUNK])}}
            found |= {entry.url_md5: entry for entry in await self._known_where(where)}
        return found

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

    async def _known_where(self, where: Mapping[str, Any]) -> list[KnownArticle]:
        with translated(self._label):
            rows = self._collection("articles").find(where, {"text": 0})
            rows.sort([("published", 1), ("url_md5", 1)])
            return [known_article(row_of(document)) async for document in rows]

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the incomplete articles of a site that are not gone."""
        return await self._known_where({"site": site, "gone_at": None, "is_complete": False})

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after a day."""
        where: Row = {"site": site, "gone_at": None}
        return await self._known_where(where | from_day("published", since))

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object stored under ``key``, or None."""
        with translated(self._label):
            document = await self._collection("crawl_state").find_one({"key": state_key(key)})
        state: dict[str, Any] | None = document and json.loads(document["value"])
        return state

    async def set_state(self, key: str, value: dict[str, Any]) -> None:
        """Store a JSON object under ``key``."""
        # As text, because the keys of a document are restricted.
        text = json.dumps(value)
        if len(text) > LARGEST:
            raise RefusedRecordsError(
                {0: too_large(f"the state {key!r}", len(text), self._label)}, Written()
            )
        with translated(self._label):
            await self._collection("crawl_state").update_one(
                {"key": state_key(key)}, {"$set": {"value": text}}, upsert=True
            )

    async def write_run(self, run: CrawlRun) -> None:
        """Write a run of a crawl, replacing what was written of it before."""
        with translated(self._label):
            await self._collection(RUNS.table).replace_one(
                {"key": run.key}, run_row(run), upsert=True
            )

    async def decisions(self) -> AsyncIterator[PriceDecision]:
        """Stream the verdicts on prices, by key."""
        found = self._collection(DECISIONS.table).find().sort("key", 1)
        async with aclosing(self._chunks(found, CHUNK)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield stored_decision(row_of(document))

    async def page_verdicts(self, topic: str | None = None) -> AsyncIterator[PageVerdict]:
        """Stream the verdicts of people on the pages of a topic (of all if None), by key."""
        where = {} if topic is None else {"topic": topic}
        found = self._collection(VERDICTS.table).find(where).sort("key", 1)
        async with aclosing(self._chunks(found, CHUNK)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield stored_verdict(row_of(document))

    async def _confirmed(self) -> set[tuple[str, ...]]:
        """Return the identities of the confirmed quotes."""
        found = self._collection(DECISIONS.table).find({"verdict": "confirmed"})
        with translated(self._label):
            return {identity_of(document) async for document in found}

    async def articles(self) -> AsyncIterator[Article]:
        """Stream all articles with text and quotes, ordered by URL MD5."""
        found = self._collection("articles").find().sort("url_md5", 1).batch_size(_TEXTS)
        async with aclosing(self._chunks(found, _TEXTS)) as chunks:
            async for documents in chunks:
                quotes = await self._quotes_of([document["url_md5"] for document in documents])
                for document in documents:
                    quote_rows = quotes[document["url_md5"]]
                    row = row_of(await self._whole(document))
                    yield stored_article(row, [stored_quote(row) for row in quote_rows])

    async def _quotes_of(self, url_md5s: list[str]) -> dict[str, list[Row]]:
        belonging: dict[str, list[Row]] = defaultdict(list)
        where = {"article_md5": {"$in": url_md5s}}
        with translated(self._label):
            rows = self._collection("quotes").find(where).sort([("article_md5", 1), ("seq", 1)])
            async for document in rows:
                belonging[document["article_md5"]].append(row_of(document))
        return belonging

    async def quotes(self, since: date | None = None) -> AsyncIterator[StoredQuote]:
        """Stream the quotes of articles that are not gone, undated ones first."""
        confirmed = await self._confirmed()
        found = self._collection("quotes").find(from_day("date", since))
        found.sort([("date", 1), ("article_md5", 1), ("seq", 1)])
        async with aclosing(self._chunks(found, CHUNK)) as chunks:
            async for documents in chunks:
                standing = await self._standing({row["article_md5"] for row in documents})
                for document in documents:
                    if article := standing.get(document["article_md5"]):
                        yield quote_of(document, article, confirmed)

    async def _standing(self, url_md5s: set[str]) -> dict[str, Row]:
        where = {"url_md5": {"$in": list(url_md5s)}, "gone_at": None}
        names = {"url_md5": 1, "url": 1, "title": 1, "site": 1}
        with translated(self._label):
            rows = self._collection("articles").find(where, names)
            return {row["url_md5"]: row async for row in rows}

    async def summaries(self) -> AsyncIterator[ArticleSummary]:
        """Stream all articles without text, ordered by published date, URL MD5."""
        found = self._collection("articles").find({}, _SUMMARY)
        found.sort([("published", 1), ("url_md5", 1)])
        async with aclosing(self._chunks(found, CHUNK)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield stored_summary(row_of(document))

    async def pages(self, topic: str | None = None) -> AsyncIterator[Page]:
        """Stream the pages of a topic, relevant and best ones first."""
        found = self._collection("pages").find({} if topic is None else {"topic": topic})
        found.sort([(name, -1) for name in WORTH]).batch_size(_TEXTS)
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                yield stored_page(row_of(document))

    async def numbered(
        self, series: str | None = None, *, bodies: bool = True
    ) -> AsyncIterator[NumberedArticle]:
        """Stream the numbered articles of a series, by number."""
        left_out = NO_TERMS if bodies else NO_TERMS | {"body_html": 0, "body_text": 0}
        where = {} if series is None else {"series": series}
        found = self._collection("numbered_articles").find(where, left_out)
        found.sort([("series", 1), ("number", 1), ("url_md5", 1)])
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                row = numbered_row(document)
                yield stored_numbered(row if bodies else row | {"extra": {}})

    async def numbers(self, series: str) -> AsyncIterator[int]:
        """Stream the numbers of the stored articles of a series, ascending."""
        where = {"series": series, "number": {"$type": "number"}}
        found = self._collection("numbered_articles").find(where, {"number": 1, "_id": 0})
        async with aclosing(self._chunks(found.sort("number", 1), _NUMBERS)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield int(document["number"])

    async def missing(self, series: str) -> AsyncIterator[MissingNumber]:
        """Stream the numbers of a series that have no article so far, ascending."""
        where = {"series": series, "found_at": None}
        found = self._collection("missing_numbers").find(where).sort("number", 1)
        async with aclosing(self._chunks(found, CHUNK)) as chunks:
            async for documents in chunks:
                for document in documents:
                    yield stored_missing(row_of(document))

    async def template_records(
        self, crawl: str | None = None, *, gone: bool = False
    ) -> AsyncIterator[TemplateRecord]:
        """Stream the template records of a crawl, by crawl and key."""
        where: Row = {} if crawl is None else {"crawl": crawl}
        where["gone_at"] = {"$ne": None} if gone else None
        changes = WindowChanges(self.get_state)
        found = self._collection("template_records").find(where).sort([("crawl", 1), ("key", 1)])
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                row = row_of(document)
                yield stored_record(row, await changes.of(row))

    async def seeds(self, crawl: str) -> AsyncIterator[Seed]:
        """Stream the seeds of a crawl by query and rank."""
        order = [("query", 1), ("rank", 1), ("key", 1)]
        found = self._collection("seeds").find({"crawl": crawl}).sort(order)
        async with aclosing(self._each(found)) as documents:
            async for document in documents:
                yield stored_seed(row_of(document))

    async def items(self) -> AsyncIterator[OwnItem]:
        """Stream the items of spiders of one's own, by crawl and key."""
        found = self._collection("items").find().sort([("crawl", 1), ("key", 1)])
        async with aclosing(self._each(found.batch_size(_TEXTS))) as documents:
            async for document in documents:
                yield stored_item(row_of(document))
