"""Atom feeds (RFC 4287)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from xml.etree.ElementTree import Element, SubElement, tostring

_ATOM = "http://www.w3.org/2005/Atom"
# What XML 1.0 cannot have, and the marks that change the direction of what follows.
_UNUSABLE = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An article in a feed, as plain text; ``key`` is 32 hex digits."""

    key: str
    title: str
    summary: str
    author: str
    address: str
    day: date | None
    tags: tuple[str, ...] = ()


def atom_feed(
    key: str, title: str, address: str, began: datetime, entries: Sequence[FeedEntry]
) -> bytes:
    """Return a feed; ``key`` identifies it for ever, and ``began`` dates what has no day."""
    days = [_updated(entry, began) for entry in entries]
    feed = Element("feed", xmlns=_ATOM)
    _add(feed, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"focuscrawl {key} {began}").urn)
    _add(feed, "title", title)
    _add(feed, "updated", max([*days, began.astimezone(UTC)]).isoformat(timespec="seconds"))
    SubElement(feed, "link", rel="alternate", href=_usable(address))
    for entry, day in zip(entries, days, strict=True):
        _add_entry(feed, entry, day)
    text: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return text


def _add_entry(feed: Element, entry: FeedEntry, day: datetime) -> None:
    element = SubElement(feed, "entry")
    _add(element, "id", uuid.UUID(entry.key).urn)
    _add(element, "title", entry.title or entry.address)
    _add(element, "updated", day.isoformat(timespec="seconds"))
    SubElement(element, "link", rel="alternate", href=_usable(entry.address))
    _add(SubElement(element, "author"), "name", entry.author)
    for tag in entry.tags:
        SubElement(element, "category", term=_usable(tag))
    _add(element, "summary", entry.summary)


def _updated(entry: FeedEntry, began: datetime) -> datetime:
    return datetime.combine(entry.day, time.min, UTC) if entry.day else began.astimezone(UTC)


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _usable(text)


def _usable(text: str) -> str:
    return _UNUSABLE.sub("", text)
