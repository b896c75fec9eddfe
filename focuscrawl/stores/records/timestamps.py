"""Moments in the one form that every store keeps."""

from __future__ import annotations

from datetime import UTC, datetime


def instant(moment: datetime) -> datetime:
    """Return a moment in UTC, cut to the millisecond; one without a zone is taken as UTC."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(microsecond=aware.microsecond // 1000 * 1000)
