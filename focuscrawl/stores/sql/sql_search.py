"""Search in a SQL database: the articles that have given terms, and what ranking reads of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    LargeBinary,
    Table,
    Text,
    and_,
    cast,
    false,
    func,
    or_,
    select,
    text,
    true,
    type_coerce,
)
from sqlalchemy.dialects.mysql import match

from focuscrawl.search.dated_index import DatedText
from focuscrawl.search.search_results import BODY, Scope, TextCandidate, latest_day
from focuscrawl.stores.sql.row_sizes import size_of
from focuscrawl.stores.sql.sql_reader import SQLReader
from focuscrawl.stores.sql.sql_tables import metadata, numbered_articles
from focuscrawl.stores.store_search import (
    TEXTS,
    Searched,
    Sought,
    TextSource,
    read_candidate,
    stored_candidate,
)

_COLUMNS = numbered_articles.c
_HEADLINE = (_COLUMNS.terms_title, _COLUMNS.terms_tags)
_TERMS = (*_HEADLINE, _COLUMNS.terms_description, _COLUMNS.terms_body)
_SHOWN = tuple(
    _COLUMNS[name]
    for name in "url_md5 url site series number published title tags description".split()
)
_TOGETHER = 100
_INDEXED = 100_000
_LABELS = {
    *("url", "site", "published", "class_name", "series", "topic", "crawl", "tags"),
    *("description", "first_seen", "gone_at", "relevance"),
}


class SQLSearch(Searched, SQLReader):
    """A SQL database whose numbered articles are searched."""

    async def matching(
        self,
        terms: Sequence[str],
        parts: Sequence[str],
        scope: Scope,
        limit: int,
        *,
        in_headline: bool,
    ) -> list[str]:
        """Return the keys of the articles with all terms and parts, the newest first."""
        columns = _HEADLINE if in_headline else _TERMS
        has_parts = [or_(*(column.contains(part) for column in columns)) for part in parts]
        where = and_(self._has(terms), *has_parts, within(scope))
        is_future = func.coalesce(_COLUMNS.published > latest_day(), false())
        newest = is_future, _COLUMNS.published.desc(), _COLUMNS.url_md5
        rows = await self._fetch(
            select(_COLUMNS.url_md5).where(where).order_by(*newest).limit(limit)
        )
        return [row["url_md5"] for row in rows]

    def _has(self, terms: Sequence[str]) -> ColumnElement[bool]:
        # Terms are letters and digits, so nothing in them is an operator of either engine.
        if not terms:
            return true()
        if self._db.dialect.name == "mysql":
            wanted = " ".join(f"+{term}" for term in terms)
            return match(*_TERMS, against=wanted).in_boolean_mode()
        found = (
            "numbered_articles.rowid IN "
            "(SELECT rowid FROM numbered_search WHERE numbered_search MATCH :terms)"
        )
        return text(found).bindparams(terms=" ".join(f'"{term}"' for term in terms))  # type: ignore[return-value]

    async def _read(self, texts: TextSource, fields: Sequence[str], sought: Sought) -> list[str]:
        spellings, scope, limit = sought
        table = metadata.tables[texts.kind.table]
        key, day = table.c[texts.kind.key], table.c[texts.day]
        # As text, or JSON would be made of the patterns. On SQLite this is a function in Python: as fast as several instr(), and faster than GLOB.
        has_all = [
            or_(*(type_coerce(table.c[name], Text).regexp_match(pattern) for name in fields))
            for pattern in spellings
        ]
        where = and_(within(scope, table), *has_all)
        if texts.may_be_gone:
            where = and_(where, table.c.gone_at.is_(None))
        rows = await self._fetch(
            select(key.label("key")).where(where).order_by(day.desc(), key).limit(limit)
        )
        return [row["key"] for row in rows]

    async def _read_rows(
        self, texts: TextSource, keys: Sequence[str], longest: int = BODY
    ) -> Sequence[Mapping[str, Any]]:
        table = metadata.tables[texts.kind.table]
        names = {texts.kind.key, texts.title, *_LABELS}
        shown = [column for column in table.c if column.name in names]
        body: ColumnElement[Any] = table.c[texts.body]
        if texts.body != "fields":
            body = self._body(body, longest).label(texts.body)
        rows = await self._fetch(select(*shown, body).where(table.c[texts.kind.key].in_(keys)))
        return [{**row, texts.body: _text(row[texts.body], longest)} for row in rows]

    async def dated_texts(self, kind: str, keys: Sequence[str]) -> list[DatedText]:
        """Return the stored ones of texts of a kind, in any order, as an index by day takes them."""
        rows = await self._read_rows(TEXTS[kind], keys, _INDEXED)
        return [_dated(TEXTS[kind], row) for row in rows]

    async def candidates(self, keys: Sequence[str]) -> list[TextCandidate]:
        """Return the articles with the given keys, their bodies cut."""
        size = size_of([_COLUMNS.body_text], self._db.dialect.name).label("size")
        whole = select(*_SHOWN, self._body(_COLUMNS.body_text).label("body"), size)
        found: list[TextCandidate] = []
        for start in range(0, len(keys), _TOGETHER):
            part = keys[start : start + _TOGETHER]
            rows = await self._fetch(whole.where(_COLUMNS.url_md5.in_(part)))
            found += map(_candidate, rows)
        return found

    def _body(self, column: ColumnElement[Any], longest: int = BODY) -> ColumnElement[Any]:
        """Return the beginning of a body; on SQLite, whose substr() of a text ends at a NUL, as bytes."""
        if self._db.dialect.name == "mysql":
            return func.substr(column, 1, longest)
        # A character has at most four bytes.
        return func.substr(cast(column, LargeBinary), 1, 4 * longest, type_=LargeBinary)


def within(scope: Scope, table: Table = numbered_articles) -> ColumnElement[bool]:
    """Return the condition for the articles of a scope; only numbered ones have series and tags."""
    columns = table.c
    wanted = []
    if scope.site is not None:
        # Own items have only a URL.
        in_url = columns.url.contains(scope.site, autoescape=True)
        wanted.append(columns.site == scope.site if "site" in columns else in_url)
    if scope.series is not None:
        wanted.append(columns.series == scope.series)
    if scope.tag is not None:
        wanted.append(func.instr(columns.tags, json.dumps(scope.tag, ensure_ascii=False)) > 0)
    if scope.since is not None:
        wanted.append(columns.published >= scope.since)
    if scope.until is not None:
        wanted.append(columns.published <= scope.until)
    if scope.least > 0:
        # Own items are not judged.
        wanted.append(columns.relevance >= scope.least if "relevance" in columns else false())
    if scope.keys is not None:
        wanted.append(next(iter(table.primary_key)).in_(sorted(scope.keys)))
    return and_(true(), *wanted)


def _candidate(row: Mapping[str, Any]) -> TextCandidate:
    body = _text(row["body"])
    return stored_candidate(row, body, is_whole=len(body.encode()) == row["size"])


def _text(body: Any, longest: int = BODY) -> Any:
    """Return what was read as bytes as text."""
    # SQLite's substr() of no bytes is NULL.
    return body.decode(errors="ignore")[:longest] if isinstance(body, bytes) else body or ""


def _dated(texts: TextSource, row: Mapping[str, Any]) -> DatedText:
    one, tags = read_candidate(texts, row, _INDEXED), tuple(row.get("tags", ()))
    # Of an article without a text only the entry of its list is known.
    is_listed_only = texts.name == "article" and not one.body
    return DatedText(
        kind=texts.name,
        key=one.key,
        site=one.site,
        series=row.get("series") or row.get("topic") or row.get("crawl") or "",
        tags=tags,
        day=row["published"] if "published" in row else row["first_seen"].date(),
        seen=row["first_seen"],
        relevance=row.get("relevance") or 0.0,
        is_gone=row.get("gone_at") is not None or is_listed_only,
        text="\n".join([one.title, *tags, row.get("description", ""), one.body]),
    )
