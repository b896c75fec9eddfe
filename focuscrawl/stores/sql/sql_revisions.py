"""Earlier versions in a SQL database, kept in the transaction that replaces them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import Connection, select

from focuscrawl.stores.records.article_revisions import prepare_revision, revised_keys
from focuscrawl.stores.records.batch_changes import ARTICLES, RECORDS, BatchPlan, RecordKind, Row
from focuscrawl.stores.records.record_revisions import record_revisions_of, surplus
from focuscrawl.stores.sql.sql_changes import upsert
from focuscrawl.stores.sql.sql_tables import (
    article_revisions,
    articles,
    quotes,
    record_revisions,
)


def keep_revisions(
    connection: Connection, kind: RecordKind, todo: BatchPlan, held: Mapping[str, Row]
) -> None:
    """Keep what a plan replaces: versions of articles, values of template records."""
    if kind is ARTICLES:
        _keep_articles(connection, todo, held)
    if kind is RECORDS:
        _keep_values(connection, todo, held)


def _keep_articles(connection: Connection, todo: BatchPlan, held: Mapping[str, Row]) -> None:
    keys = revised_keys(todo, held)
    if not keys:
        return
    belonging: dict[str, list[Row]] = defaultdict(list)
    order = quotes.c.article_md5, quotes.c.seq
    of_keys = quotes.c.article_md5.in_(keys)
    for row in connection.execute(select(quotes).where(of_keys).order_by(*order)).mappings():
        belonging[row["article_md5"]].append(dict(row))
    found = connection.execute(select(articles).where(articles.c.url_md5.in_(keys))).mappings()
    versions = [
        prepare_revision(dict(row), belonging[row["url_md5"]], todo.replaced[row["url_md5"]].row)
        for row in found
    ]
    rows = [version.row for version in versions if version]
    if rows:
        upsert(connection, article_revisions, rows)


def _keep_values(connection: Connection, todo: BatchPlan, held: Mapping[str, Row]) -> None:
    columns = record_revisions.c
    if todo.erased:
        of_erased = columns.record_key.in_(sorted(todo.erased))
        connection.execute(record_revisions.delete().where(of_erased))
    rows = [revision.row for revision in record_revisions_of(todo, held)]
    if not rows:
        return
    upsert(connection, record_revisions, rows)
    of_records = columns.record_key.in_([row["record_key"] for row in rows])
    newest_first = columns.replaced_at.desc(), columns.key.desc()
    query = select(columns.key, columns.record_key).where(of_records).order_by(*newest_first)
    if keys := surplus(dict(row) for row in connection.execute(query).mappings()):
        connection.execute(record_revisions.delete().where(columns.key.in_(keys)))
