"""Timestamps in the form that all stores share."""

from __future__ import annotations

from datetime import UTC, datetime


def instant(moment: datetime) -> datetime:
    """Return a time in UTC, truncated to the millisecond; a naive time counts as UTC."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(microsecond=aware.microsecond // 1000 * 1000)
