"""Atom feed of alarms (RFC 4287)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from focuscrawl.web.alarms.alarm_messages import text_of, title_of
from focuscrawl.web.alarms.alarm_store import Alarm
from focuscrawl.web.message_catalogue import Language, message

_ATOM = "http://www.w3.org/2005/Atom"
# Characters that XML 1.0 cannot have.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def atom_feed(alarms: Sequence[Alarm], server: str, language: Language) -> bytes:
    """Return the feed; ``server`` is the address of this server, such as ``https://prices.example``."""
    feed = ET.Element("feed", {"xmlns": _ATOM, "xml:lang": language})
    newest = alarms[0].at if alarms else datetime(1970, 1, 1, tzinfo=UTC)
    _add(feed, "id", uuid5(NAMESPACE_URL, f"{server}/alarms").urn)
    _add(feed, "title", message("site.alarms", language))
    _add(feed, "updated", newest.isoformat())
    _add(ET.SubElement(feed, "author"), "name", message("site.name", language))
    for alarm in alarms:
        entry = ET.SubElement(feed, "entry")
        _add(entry, "id", uuid5(NAMESPACE_URL, f"{server}/alarms/{alarm.number}").urn)
        _add(entry, "title", title_of(alarm, language))
        _add(entry, "updated", alarm.at.isoformat())
        path = f"/crawls/runs/{alarm.run}" if alarm.run else "/alarms"
        ET.SubElement(entry, "link", {"href": f"{server}{path}"})
        _add(entry, "summary", text_of(alarm, language))
    content: bytes = ET.tostring(feed, "utf-8", xml_declaration=True)
    return content


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = _NOT_XML.sub("", text)
