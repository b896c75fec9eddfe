"""Search in a SQL database: the articles that have given terms, and what ranking reads of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    LargeBinary,
    Table,
    and_,
    cast,
    false,
    func,
    or_,
    select,
    text,
    true,
)
from sqlalchemy.dialects.mysql import match

from focuscrawl.search.listed_article import latest_day
from focuscrawl.search.search_results import BODY, Candidate, Scope
from focuscrawl.stores.sql.row_sizes import size_of
from focuscrawl.stores.sql.sql_reader import SQLReader
from focuscrawl.stores.sql.sql_tables import numbered_articles
from focuscrawl.stores.store_search import Searched, stored_candidate

_COLUMNS = numbered_articles.c
_HEADLINE = (_COLUMNS.terms_title, _COLUMNS.terms_tags)
_TERMS = (*_HEADLINE, _COLUMNS.terms_description, _COLUMNS.terms_body)
_SHOWN = tuple(
    _COLUMNS[name]
    for name in "url_md5 url site series number published title tags description".split()
)
_TOGETHER = 100


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

    async def candidates(self, keys: Sequence[str]) -> list[Candidate]:
        """Return the articles with the given keys, their bodies cut."""
        size = size_of([_COLUMNS.body_text], self._db.dialect.name).label("size")
        whole = select(*_SHOWN, self._body().label("body"), size)
        found: list[Candidate] = []
        for start in range(0, len(keys), _TOGETHER):
            part = keys[start : start + _TOGETHER]
            rows = await self._fetch(whole.where(_COLUMNS.url_md5.in_(part)))
            found += map(_candidate, rows)
        return found

    def _body(self) -> ColumnElement[Any]:
        """Return the beginning of a body; on SQLite, whose substr() of a text ends at a NUL, as bytes."""
        if self._db.dialect.name == "mysql":
            return func.substr(_COLUMNS.body_text, 1, BODY)
        # A character has at most four bytes.
        return func.substr(cast(_COLUMNS.body_text, LargeBinary), 1, 4 * BODY, type_=LargeBinary)


def within(scope: Scope, table: Table = numbered_articles) -> ColumnElement[bool]:
    """Return the condition for the articles of a scope; only numbered ones have series and tags."""
    columns = table.c
    wanted = []
    if scope.site is not None:
        wanted.append(columns.site == scope.site)
    if scope.series is not None:
        wanted.append(columns.series == scope.series)
    if scope.tag is not None:
        wanted.append(func.instr(columns.tags, json.dumps(scope.tag, ensure_ascii=False)) > 0)
    if scope.since is not None:
        wanted.append(columns.published >= scope.since)
    if scope.until is not None:
        wanted.append(columns.published <= scope.until)
    return and_(true(), *wanted)


def _candidate(row: Mapping[str, Any]) -> Candidate:
    # SQLite's substr() of no bytes is NULL.
    body = row["body"] or ""
    if isinstance(body, bytes):
        body = body.decode(errors="ignore")[:BODY]
    return stored_candidate(row, body, is_whole=len(body.encode()) == row["size"])
