"""Conversion between rows and documents of MongoDB."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import bson
from bson import json_util
from bson.decimal128 import Decimal128
from bson.objectid import ObjectId

from focuscrawl.errors import StoreError
from focuscrawl.stored_records import StoredQuote
from focuscrawl.stores.mongo.mongo_files import FILES, file_name
from focuscrawl.stores.records.batch_changes import NUMBERED, STATES, Prepared, RecordKind, Row
from focuscrawl.stores.records.canonical_records import stored_quote, tidy
from focuscrawl.stores.records.numbered_rows import TERMS, adopted, with_md5s, with_terms
from focuscrawl.stores.records.price_verdicts import identity_of
from focuscrawl.stores.schema_version import RELEVANCE

# A document may have 16 MiB; the command around it needs some of them.
LARGEST = 16 * 2**20 - 2**14
_REST = "extra_json"
_TERMS = tuple(f"terms_{name}" for name in TERMS)
NO_TERMS = dict.fromkeys(_TERMS, 0)
"""Projection without the search terms."""
_DAYS = {"date", "published"}
_NUMBERED = {
    *("url_md5", "url", "site", "series", "number", "title", "description", "tags", "author"),
    *("published", "body_html", "body_text", "content_md5", "record_md5", "first_seen"),
    *("fetched_at", RELEVANCE, *_TERMS),
}
_OWN = {"_id", FILES, _REST, *_NUMBERED}
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("url", "site", "series", "title", "description", "author"), str),
    **dict.fromkeys(("body_html", "body_text", "content_md5", "record_md5"), str),
    **dict.fromkeys(("first_seen", "fetched_at"), datetime),
    "number": int,
    "tags": list,
    "published": (datetime, type(None)),
}
_LONG_LONG = 2**63
_DEEPEST = 30


def document_of(row: Row) -> Row:
    """Convert a row to types of MongoDB: decimals, days as midnight UTC, no arbitrary keys."""
    result: Row = {}
    for name, value in row.items():
        if name == "validators":
            result[name] = [{"url": url, "values": values} for url, values in value.items()]
        elif name == "extra":
            result |= _fields(value)
        elif name == "value":
            # As text, because the keys of a document are restricted.
            result[name] = json.dumps(value)
        elif isinstance(value, Decimal):
            result[name] = Decimal128(value)
        else:
            result[name] = midnight(value) if name in _DAYS and value else value
    return result


def _fields(extra: Mapping[str, Any]) -> Row:
    """Return additional data of a record as fields, and the rest as JSON in a single field.

    The rest are names and values to which the server would give another meaning.
    """
    fields = {n: v for n, v in extra.items() if n not in _OWN and _is_name(n) and _is_plain(v)}
    rest = {name: value for name, value in extra.items() if name not in fields}
    return fields | ({_REST: json.dumps(rest, ensure_ascii=False)} if rest else {})


def _is_name(name: str) -> bool:
    return bool(name) and not name.startswith("$") and not {".", "\0"} & set(name)


def _is_plain(value: Any, depth: int = 0) -> bool:
    if isinstance(value, int):
        return -_LONG_LONG <= value < _LONG_LONG
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(_is_name(k) and _is_plain(v, depth + 1) for k, v in value.items())
    return not isinstance(value, list) or all(_is_plain(v, depth + 1) for v in value)


def row_of(found: Mapping[str, Any]) -> Row:
    """Convert a document back to the row given to :func:`document_of`."""
    row: Row = {}
    for name, value in found.items():
        if name == "validators":
            row[name] = {entry["url"]: entry["values"] for entry in value}
        elif isinstance(value, Decimal128):
            row[name] = tidy(value.to_decimal())
        elif isinstance(value, datetime):
            row[name] = value.date() if name in _DAYS else value.astimezone(UTC)
        else:
            row[name] = value
    return row


def numbered_row(found: Mapping[str, Any]) -> Row:
    """Return the row of a numbered article, even one written by another program."""
    rest = _rest(found)
    own = _OWN if rest is not None else _OWN - {_REST}
    if not isinstance(found.get(RELEVANCE), (float, type(None))):
        own = own - {RELEVANCE}  # another program's
    known = {name: value for name, value in found.items() if name in _NUMBERED & own}
    extra = {name: _as_json(value) for name, value in found.items() if name not in own}
    extra |= rest or {}
    if not isinstance(found.get(FILES, {}), dict):
        extra[FILES] = _as_json(found[FILES])
    if _is_ours(known):
        return {RELEVANCE: None} | row_of(known) | {"extra": extra}
    key = found["_id"]
    seen = {"first_seen": key.generation_time.astimezone(UTC)} if isinstance(key, ObjectId) else {}
    row = adopted(known | {"extra": extra}, **seen)
    row["extra"] = _as_json(row["extra"])
    return row


def _is_ours(known: Mapping[str, Any]) -> bool:
    """Return whether a document has the form that focuscrawl writes; other programs may change it."""
    return all(name in known and isinstance(known[name], form) for name, form in _TYPES.items())


def _rest(found: Mapping[str, Any]) -> Row | None:
    """Return what :func:`_fields` stored as JSON, None if the field belongs to another program."""
    try:
        rest = json.loads(found.get(_REST, "{}"))
    except (TypeError, ValueError):
        return None
    return rest if isinstance(rest, dict) else None


def copied(kind: RecordKind, documents: Sequence[Row], *, terms: bool) -> list[Prepared]:
    """Return whole documents as records ready to be stored unchanged in another database.

    Raises StoreError for a key that is not a string: no other database can store or order it.
    """
    for found in documents:
        if not isinstance(found[kind.key], str):
            raise StoreError(
                f"{found['_id']} of {kind.table} has the {kind.key} {str(found[kind.key])[:40]!r}, "
                "which is not a string; remove the field, and it is created again"
            )
    rows = [_copied_row(kind, found, terms) for found in documents]
    return [Prepared(kind, row[kind.key], row.get("url", ""), row) for row in rows]


def _copied_row(kind: RecordKind, found: Row, terms: bool) -> Row:
    if kind is STATES:
        return {"key": found["key"], "value": json.loads(found["value"])}
    if kind is not NUMBERED:
        return plain_row(kind.table, found)
    row = numbered_row(found)
    if terms and not row.keys() >= set(_TERMS):
        row = with_terms(row)
    return row if "record_md5" in row else with_md5s(row)


def plain_row(table: str, found: Row) -> Row:
    """Return the row of a document of a collection that only focuscrawl writes.

    Raises StoreError for a document with other fields, because no table has a column for them.
    """
    # Imported here, so that a crawl with MongoDB does not load SQLAlchemy.
    from focuscrawl.stores.sql.sql_tables import metadata

    names = {column.name for column in metadata.tables[table].c}
    given = found.keys() - {"_id"}
    if given != names:
        (name, *_) = sorted(given ^ names)
        fault = f"no field {name!r}" if name in names else f"a field {name!r} that no table has"
        key = found.get("url") or found.get("article_md5") or found.get("_id")
        raise StoreError(f"{key} of {table} has {fault}; correct the document")
    return row_of({name: value for name, value in found.items() if name != "_id"})


def files_of(documents: Iterable[Row]) -> set[str]:
    """Return the names of all files to which documents refer."""
    named = (found.get(FILES) for found in documents)
    return {name for files in named if isinstance(files, dict) for name in files.values()}


def _is_json(value: Any) -> bool:
    """Return whether a value consists of JSON types only; NaN and infinity count as numbers."""
    # By exact type, because types of MongoDB are often subclasses of these.
    if type(value) in (str, int, bool, type(None)):
        return True
    if type(value) is dict:
        return all(map(_is_json, value.values()))
    return type(value) is list and all(map(_is_json, value))


def _as_json(value: Any) -> Any:
    """Return a value as JSON types; types of MongoDB become extended JSON."""
    if _is_json(value):
        return value
    text = json_util.dumps(value, json_options=json_util.RELAXED_JSON_OPTIONS)
    return json.loads(text)


def move_large_texts(entry: Prepared) -> int:
    """Move texts of a document that is too large to ``files``; return the document's size in bytes."""
    size = len(bson.encode(entry.row))
    texts = [name for name, value in entry.row.items() if isinstance(value, str)]
    for name in sorted(texts, key=lambda name: len(entry.row[name]), reverse=True):
        if size <= LARGEST:
            break
        # Search terms stay in the document, where the index finds them.
        if name not in _TERMS:
            _move(entry, name)
            size = len(bson.encode(entry.row))
    return size


def _move(entry: Prepared, name: str) -> None:
    text = entry.row[name]
    place = file_name(entry.key, name, text)
    entry.files[place] = text
    entry.row[name] = ""
    entry.row[FILES] = entry.row.get(FILES, {}) | {name: place}


def midnight(day: date) -> datetime:
    """Return the beginning of a day in UTC."""
    return datetime.combine(day, time.min, UTC)


def from_day(name: str, since: date | None) -> Row:
    """Return the condition that a field is ``since`` or later, and no condition for None."""
    return {name: {"$gte": midnight(since)}} if since else {}


def quote_of(found: Row, article: Row, confirmed: Container[tuple[str, ...]]) -> StoredQuote:
    """Build a quote with its article from their documents, given the identities of confirmed ones."""
    return StoredQuote(
        quote=stored_quote(row_of(found)),
        article_url=article["url"],
        article_title=article["title"],
        site=article["site"],
        seq=found["seq"],
        is_confirmed=bool(confirmed) and identity_of(found) in confirmed,
    )
