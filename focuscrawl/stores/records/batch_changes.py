"""Kinds of stored records, and the changes that a batch of records makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from focuscrawl.errors import StoreError
from focuscrawl.items import FILE, check_code
from focuscrawl.stores.schema_version import RELEVANCE
from focuscrawl.stores.store_protocol import Outcome, RefusedRecordsError, Written

Row = dict[str, Any]


@dataclass(slots=True)
class Prepared:
    """A record ready to be stored: its row and those of its parts, or a gone mark.

    ``outcome`` is its outcome according to the last :func:`plan` it was in. ``files`` has texts that
    are stored outside the row, by file name.
    """

    kind: RecordKind
    key: str
    url: str
    row: Row = field(default_factory=dict)
    parts: list[Row] = field(default_factory=list)
    gone_at: datetime | None = None
    is_erased: bool = False
    is_reread: bool = False
    outcome: Outcome = "unchanged"
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record, by the table (or collection) of its rows.

    ``key`` is the column that identifies a record, ``held`` the columns of the stored row that
    ``decide`` needs. ``parts`` is the table of the rows that belong to a record, by their column
    ``owner``, and are replaced with it; empty if there are none.

    ``decide`` takes the stored row (or None) and a record. It returns the outcome, and the columns
    of the stored row to set, None to replace the record as a whole, or ``ERASE`` to delete it.
    """

    table: str
    key: str
    held: tuple[str, ...]
    decide: Callable[[Row | None, Prepared], tuple[Outcome, Row | None]]
    parts: str = ""
    owner: str = ""


@dataclass(slots=True)
class BatchPlan:
    """The changes of a batch: records to upsert with their parts, columns to set, keys to delete.

    No key is in more than one of the three.
    """

    replaced: dict[str, Prepared] = field(default_factory=dict)
    columns: dict[str, Row] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)


ERASE: Row = {"erase": True}
"""Marker for a record to be deleted; compared by identity."""


def by_kind(batch: Sequence[Prepared]) -> Iterator[tuple[RecordKind, list[Prepared]]]:
    """Split a batch by kind, in the same order for all writers, so that they cannot deadlock."""
    for kind in KINDS:
        if entries := [entry for entry in batch if entry.kind is kind]:
            yield kind, entries


def plan(batch: Sequence[Prepared], held: Mapping[str, Row]) -> BatchPlan:
    """Decide what records of one kind change, given the stored rows ``held`` by key.

    The records are applied one after the other, so that the last of several with one key wins.
    """
    result, state = BatchPlan(), dict(held)
    for entry in batch:
        entry.outcome, columns = entry.kind.decide(state.get(entry.key), entry)
        if columns is None:
            _replace(result, state, entry)
        elif columns is ERASE:
            _erase(result, state, entry.key)
        elif columns:
            state[entry.key] = state[entry.key] | columns
            result.columns[entry.key] = result.columns.get(entry.key, {}) | columns
    return result


def _replace(result: BatchPlan, state: dict[str, Row], entry: Prepared) -> None:
    earlier = result.replaced.get(entry.key)
    if earlier:
        entry.row["first_seen"] = earlier.row["first_seen"]
    state[entry.key] = entry.row
    result.replaced[entry.key] = entry
    result.columns.pop(entry.key, None)
    result.erased.discard(entry.key)


def _erase(result: BatchPlan, state: dict[str, Row], key: str) -> None:
    del state[key]
    result.replaced.pop(key, None)
    result.columns.pop(key, None)
    result.erased.add(key)


def settle(results: Sequence[Prepared | StoreError]) -> Written:
    """Count the outcomes of a batch; raise RefusedRecordsError if any record was refused."""
    refused = {n: result for n, result in enumerate(results) if isinstance(result, StoreError)}
    written = Written.of([None if isinstance(r, StoreError) else r.outcome for r in results])
    if refused:
        raise RefusedRecordsError(refused, written)
    return written


# Columns that may differ while content and quotes are equal; first those that no report shows.
_UNSEEN = ("stamp", "page_urls", "validators", RELEVANCE)
_BESIDES = (*_UNSEEN, "site", "published", "missing_urls", "is_complete", "gone_at")
_UNJUDGED = tuple(name for name in _BESIDES if name != RELEVANCE)


def _decide_article(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    was_read = before is not None and _is_read(before)
    if entry.is_reread and before is not None:
        # What a crawl has stored meanwhile is newer than what was read again.
        if before["gone_at"] is not None:
            return "unchanged", {}
        if before["content_md5"] != entry.row["content_md5"]:
            return "incomplete", {}
    if entry.gone_at is None:
        outcome, columns = _decide_text(before, entry.row)
        if not was_read and columns != {}:
            outcome = "new" if _is_read(entry.row) else "incomplete"
        return outcome, columns
    if before is None:
        return ("failed", None) if entry.row else ("unchanged", {})
    outcome, columns = _decide_gone(before, entry.gone_at)
    if was_read:
        return outcome, columns
    # A link that never led to an article: nothing of it is missing any more.
    return ("gone", columns | {"missing_urls": []}) if columns else ("failed", {})


def _is_read(row: Row) -> bool:
    # MongoDB has a list of documents.
    validators = (one["url"] if isinstance(one, dict) else one for one in row["validators"])
    return bool(row["page_urls"]) or FILE in validators


def _decide_text(before: Row | None, row: Row) -> tuple[Outcome, Row | None]:
    if before is None:
        return "new", None
    if not row["is_complete"] and len(before["page_urls"]) >= len(row["page_urls"]):
        differing = _differing(before, row, ("missing_urls", "is_complete", "gone_at"))
        also: Row = {}
    elif before["record_md5"] == row["record_md5"]:
        # A crawl without a topic does not take back the verdict of another.
        besides = _BESIDES if row[RELEVANCE] is not None else _UNJUDGED
        differing = _differing(before, row, besides)
        also = {name: row[name] for name in ("pages", "fetched_at")} if differing else {}
    else:
        return "changed", None
    if "gone_at" in differing:
        return "changed", differing | also
    is_seen = not differing.keys() <= set(_UNSEEN)
    return "amended" if is_seen else "unchanged", differing | also


def _decide_gone(before: Row | None, gone_at: datetime) -> tuple[Outcome, Row]:
    if before is None or before["gone_at"] is not None:
        return "unchanged", {}
    return "gone", {"gone_at": gone_at}


_CONTENT = ("content_md5", "title", "is_relevant")
_JUDGEMENT = ("site", "score", "relevance", "steps", "via")


def _decide_page(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    if before is None:
        return "new", None
    if _differing(before, entry.row, _CONTENT):
        return "changed", None
    differing = _differing(before, entry.row, _JUDGEMENT)
    if not differing:
        return "unchanged", {}
    return "amended", differing | {"fetched_at": entry.row["fetched_at"]}


def _decide_numbered(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    if entry.is_erased:
        return ("gone", ERASE) if before is not None else ("unchanged", {})
    if before is None:
        return "new", None
    # A record written by another program has no MD5s.
    if before.get("record_md5") == entry.row["record_md5"]:
        relevance = entry.row[RELEVANCE]
        is_same = relevance in (None, before.get(RELEVANCE))
        return "unchanged", {} if is_same else {RELEVANCE: relevance}
    same_content = before.get("content_md5") == entry.row["content_md5"]
    return "amended" if same_content else "changed", None


_TRIED = ("url", "site", "series", "number", "reason", "tries", "tried_at", "due_at", "found_at")


def _decide_missing(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    is_found = entry.row["found_at"] is not None
    if before is None:
        return "new" if is_found else "failed", None
    differing = _differing(before, entry.row, _TRIED)
    if not differing:
        return "unchanged", {}
    return "changed" if is_found else "failed", differing


_MET = ("site", "seed", "template", "title", "window", "fields")


def _decide_record(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    if entry.gone_at is not None:
        if before is not None and entry.is_erased:
            return "gone", ERASE
        return _decide_gone(before, entry.gone_at)
    if before is None:
        return "new", None
    if before["gone_at"] is not None or before["record_md5"] != entry.row["record_md5"]:
        return "changed", None
    differing = _differing(before, entry.row, _MET)
    is_seen = not differing.keys() <= {"window", "seed", "fields"}
    return "amended" if is_seen else "unchanged", differing


_LISTED = ("title", "engine", "query", "rank", "window", "state")


def _decide_seed(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    if before is None:
        return "new", None
    differing = _differing(before, entry.row, _LISTED)
    if differing:
        differing["listed_at"] = entry.row["listed_at"]
    return "changed" if differing else "unchanged", differing


def _differing(before: Row, row: Row, names: Sequence[str]) -> Row:
    # Documents of older versions lack the latest fields.
    return {name: row[name] for name in names if row[name] != before.get(name)}


ARTICLES = RecordKind(
    table="articles",
    key="url_md5",
    held=("url_md5", "record_md5", "content_md5", *_BESIDES),
    decide=_decide_article,
    parts="quotes",
    owner="article_md5",
)
PAGES = RecordKind(
    table="pages", key="key", held=("key", *_CONTENT, *_JUDGEMENT), decide=_decide_page
)
NUMBERED = RecordKind(
    table="numbered_articles",
    key="url_md5",
    held=("url_md5", "record_md5", "content_md5", "first_seen", RELEVANCE),
    decide=_decide_numbered,
)
MISSING = RecordKind(
    table="missing_numbers", key="url_md5", held=("url_md5", *_TRIED), decide=_decide_missing
)
RECORDS = RecordKind(
    table="template_records",
    key="key",
    held=("key", "record_md5", "gone_at", "fetched_at", *_MET),
    decide=_decide_record,
)
SEEDS = RecordKind(table="seeds", key="key", held=("key", *_LISTED), decide=_decide_seed)

_DECIDED = ("verdict", "note", "reader_flag", "decided_by", "decided_at")


def _decide_decision(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    if before is None:
        return "new", None
    differing = _differing(before, entry.row, _DECIDED)
    return "changed" if differing else "unchanged", differing


# After the articles, whose quotes it marks.
DECISIONS = RecordKind(
    table="price_decisions", key="key", held=("key", *_DECIDED), decide=_decide_decision
)


_SAID = ("verdict", "is_relevant", "decided_at")


def _decide_verdict(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    if before is None:
        return "new", None
    differing = _differing(before, entry.row, _SAID)
    return "changed" if differing else "unchanged", differing


VERDICTS = RecordKind(
    table="page_verdicts", key="key", held=("key", *_SAID), decide=_decide_verdict
)


def _decide_item(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    if before is None:
        return "new", None
    if before["content_md5"] != entry.row["content_md5"]:
        return "changed", None
    differing = _differing(before, entry.row, ("url",))
    return "amended" if differing else "unchanged", differing


ITEMS = RecordKind(
    table="items", key="key", held=("key", "content_md5", "url"), decide=_decide_item
)
KINDS = (ARTICLES, PAGES, NUMBERED, MISSING, RECORDS, SEEDS, DECISIONS, ITEMS, VERDICTS)
"""All kinds of record, in the order in which writers lock their tables."""


def _decide_state(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    return "new" if before is None else "changed", None


def _decide_once(before: Row | None, entry: Prepared) -> tuple[Outcome, Row | None]:
    return ("new", None) if before is None else ("unchanged", {})


REVISIONS = RecordKind(table="article_revisions", key="key", held=("key",), decide=_decide_once)
"""Earlier versions of articles, written with the change that replaces them."""
RECORD_REVISIONS = RecordKind(
    table="record_revisions", key="key", held=("key",), decide=_decide_once
)
"""Earlier values of template records, written with the change that replaces them."""
RUNS = RecordKind(table="crawl_runs", key="key", held=("key",), decide=_decide_once)
"""Runs of crawls: not records of a crawl, and so in no count of these."""
_LONGEST_KEY = 255


def state_key(key: str) -> str:
    """Return the key under which a state is stored: the end of a very long one is replaced by its MD5."""
    return key if len(key) <= _LONGEST_KEY else f"{key[: _LONGEST_KEY - 33]} {check_code(key)}"


STATES = RecordKind(table="crawl_state", key="key", held=("key",), decide=_decide_state)
"""States of spiders: not records of a crawl, but rows that are transferred like these."""


# Timestamps in the form that all stores share.


def instant(moment: datetime) -> datetime:
    """Return a time in UTC, truncated to the millisecond; a naive time counts as UTC."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(microsecond=aware.microsecond // 1000 * 1000)
