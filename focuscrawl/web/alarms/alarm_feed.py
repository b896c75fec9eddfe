"""Feed of alarms."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from starlette.responses import Response

from focuscrawl.web.alarms.alarm_runner import text_of, title_of
from focuscrawl.web.alarms.alarm_store import Alarm
from focuscrawl.web.atom_feed import FeedEntry, feed_response
from focuscrawl.web.message_catalogue import Language, message

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def alarm_feed(alarms: Sequence[Alarm], server: str, language: Language) -> Response:
    """Return the feed; ``server`` is the address of this server, such as ``https://prices.example``."""
    entries = [
        FeedEntry(
            key=uuid5(NAMESPACE_URL, f"{server}/alarms/{alarm.number}"),
            title=title_of(alarm, language),
            summary=text_of(alarm, language),
            author=message("site.name", language),
            address=f"{server}/crawls/runs/{alarm.run}" if alarm.run else f"{server}/alarms",
            updated=alarm.at,
        )
        for alarm in alarms
    ]
    address = f"{server}/alarms"
    title = message("site.alarms", language)
    return feed_response(uuid5(NAMESPACE_URL, address), title, address, _NEVER, entries)
