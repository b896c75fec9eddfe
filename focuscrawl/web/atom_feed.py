"""Atom feeds (RFC 4287)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID
from xml.etree.ElementTree import Element, SubElement, tostring

from starlette.responses import Response

_ATOM = "http://www.w3.org/2005/Atom"
# What XML 1.0 cannot have, and the marks that change the direction of what follows.
_UNUSABLE = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An entry of a feed, as plain text."""

    key: UUID
    title: str
    summary: str
    author: str
    address: str
    updated: datetime
    tags: tuple[str, ...] = ()


def feed_response(
    key: UUID, title: str, address: str, began: datetime, entries: Sequence[FeedEntry]
) -> Response:
    """Return a feed; ``key`` identifies it permanently, and ``began`` dates it without entries."""
    feed = Element("feed", xmlns=_ATOM)
    _add(feed, "id", key.urn)
    _add(feed, "title", title)
    _add(feed, "updated", _shown(max([began, *(entry.updated for entry in entries)])))
    SubElement(feed, "link", rel="alternate", href=_usable(address))
    for entry in entries:
        _add_entry(feed, entry)
    content: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return Response(content, media_type="application/atom+xml")


def _add_entry(feed: Element, entry: FeedEntry) -> None:
    element = SubElement(feed, "entry")
    _add(element, "id", entry.key.urn)
    _add(element, "title", entry.title or entry.address)
    _add(element, "updated", _shown(entry.updated))
    SubElement(element, "link", rel="alternate", href=_usable(entry.address))
    _add(SubElement(element, "author"), "name", entry.author)
    for tag in entry.tags:
        SubElement(element, "category", term=_usable(tag))
    _add(element, "summary", entry.summary)


def _shown(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _usable(text)


def _usable(text: str) -> str:
    return _UNUSABLE.sub("", text)
