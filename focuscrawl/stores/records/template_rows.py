"""Conversion between template records or seeds and the rows that all stores share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from focuscrawl.items import FoundValue, GoneRecord, RecordChange, Seed, TemplateRecord
from focuscrawl.stores.records.batch_changes import RECORDS, SEEDS, Prepared, Row, instant
from focuscrawl.stores.records.numbered_rows import plain_json, whole_text

_CONFIDENCE_DIGITS = 3
_RECORD_TEXTS = ("crawl", "template", "url", "site", "seed", "title")
_SEED_TEXTS = ("crawl", "url", "title", "engine", "query", "state")


def prepare_record(record: TemplateRecord) -> Prepared:
    """Convert a template record to the row that is stored."""
    row: Row = {name: whole_text(getattr(record, name)) for name in _RECORD_TEXTS}
    found = [
        asdict(value) | {"confidence": round(value.confidence, _CONFIDENCE_DIGITS)}
        for value in record.values
    ]
    row |= {
        "key": record.key,
        "window": int(record.window),
        "fields": plain_json(found),
        "region_md5": record.region_md5,
        "fetched_at": instant(record.fetched_at),
        "first_seen": instant(record.fetched_at),
        "gone_at": None,
    }
    row["record_md5"] = _record_md5(row)
    return Prepared(RECORDS, record.key, record.url, row)


def prepare_gone(record: GoneRecord) -> Prepared:
    """Convert the gone mark of a template record to the form that is stored."""
    return Prepared(
        RECORDS,
        record.key,
        record.url,
        gone_at=instant(record.gone_at),
        is_erased=record.is_erased,
    )


def prepare_seed(seed: Seed) -> Prepared:
    """Convert a seed to the row that is stored."""
    row: Row = {name: whole_text(getattr(seed, name)) for name in _SEED_TEXTS}
    row |= {
        "key": seed.key,
        "rank": int(seed.rank),
        "window": int(seed.window),
        "listed_at": instant(seed.listed_at),
        "first_seen": instant(seed.listed_at),
    }
    return Prepared(SEEDS, seed.key, seed.url, row)


def stored_record(row: Mapping[str, Any], change: RecordChange = "") -> TemplateRecord:
    """Build a template record from its row."""
    return TemplateRecord(
        **{name: row[name] for name in (*_RECORD_TEXTS, "window", "region_md5", "fetched_at")},
        values=[FoundValue.from_json(value) for value in row["fields"]],
        change=change,
    )


def stored_seed(row: Mapping[str, Any]) -> Seed:
    """Build a seed from its row."""
    return Seed(**{entry.name: row[entry.name] for entry in fields(Seed)})


def _record_md5(row: Row) -> str:
    """Return the MD5 that changes with a record; confidence does not count."""
    values = [[value[name] for name in ("field", "value", "raw")] for value in row["fields"]]
    whole = json.dumps([row["region_md5"], values], ensure_ascii=False)
    return hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()
