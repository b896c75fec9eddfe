"""Conversion between runs of crawls and their rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from focuscrawl.items import CrawlRun
from focuscrawl.stores.records.batch_changes import Row, instant
from focuscrawl.stores.records.canonical_records import clean_text

_NAMES = tuple(entry.name for entry in fields(CrawlRun))
_NAMED, _LONGEST = ("crawl", "spider", "machine", "reason"), 255
_TIMES = ("began_at", "updated_at", "ended_at")


def run_row(run: CrawlRun) -> Row:
    """Return the row of a run; its details are stored as JSON text."""
    row: Row = {name: getattr(run, name) for name in _NAMES}
    row |= {name: row[name] and instant(row[name]) for name in _TIMES}
    row |= {name: clean_text(row[name])[:_LONGEST] for name in _NAMED}
    row["details"] = clean_text(json.dumps(run.details, ensure_ascii=False))
    return row


def stored_run(row: Mapping[str, Any]) -> CrawlRun:
    """Build a run from its row."""
    found = {name: row[name] for name in _NAMES}
    return CrawlRun(**found | {"details": json.loads(row["details"])})
