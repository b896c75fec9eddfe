"""Search in MongoDB: the documents that have given terms, and what ranking reads of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from focuscrawl.search.search_results import BODY, Scope, TextCandidate, latest_day
from focuscrawl.stores.mongo.mongo_documents import midnight, numbered_row, row_of
from focuscrawl.stores.mongo.mongo_errors import translated
from focuscrawl.stores.mongo.mongo_files import FILES
from focuscrawl.stores.mongo.mongo_reader import MongoReader
from focuscrawl.stores.records.batch_changes import NUMBERED, Row
from focuscrawl.stores.records.numbered_rows import TERMS
from focuscrawl.stores.store_search import Searched, Sought, TextSource, stored_candidate

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
