"""All data of the crawls on a frontier server about a URL."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from focuscrawl.command_support.frontier_server import chosen_crawls, server_calls
from focuscrawl.errors import ArgumentError
from focuscrawl.scheduling.page_keys import host_of_page, key_of_page

if TYPE_CHECKING:
    from focuscrawl.frontier.redis.crawl_overview import FoundUrl

Row = tuple[str, ...]


def facts_on_server(address: str, name: str | None, server: str) -> list[Row]:
    """Return names and values of what the crawls at ``server``, or the one of a name, know about a URL.

    Raises ArgumentError if none of them has found it.
    """
    try:
        key, host = key_of_page(address), host_of_page(address)
    except ValueError:
        host = ""
    if not host:
        raise ArgumentError(f"{address!r} is not the URL of a page; write http://host/…")
    with server_calls(server) as calls:
        # Imported here: redis-py may not be installed.
        from focuscrawl.frontier.redis.crawl_overview import find_url, stored_crawls

        crawls = chosen_crawls(
            [c for c in stored_crawls(calls) if c.is_readable], name, calls.address
        )
        found = [url for crawl in crawls if (url := find_url(calls, crawl, key, host))]
    if not found:
        names = ", ".join(crawl.name for crawl in crawls)
        raise ArgumentError(
            f"{names} at {calls.address} knows no {address}; check the spelling of the URL, or crawl further"
        )
    return [row for url in found for row in _facts(url)]


def _facts(found: FoundUrl) -> list[Row]:
    known = found.explanation
    reason = known.outcome.reason if known else "ended long ago: only its state is kept"
    rows: list[Row] = [
        ("crawl", found.crawl.name),
        ("run", str(found.crawl.generation)),
        ("state", f"{found.state} ({reason})" if reason else found.state),
    ]
    if known is None:
        return rows
    rows += [
        ("url", known.url),
        ("host", known.host),
        ("score", f"{known.score:+.2f}"),
        ("tries", str(known.tries)),
        ("lost", str(known.lost)),
    ]
    if known.not_before is not None:
        rows.append(("not before", datetime.fromtimestamp(known.not_before, UTC).isoformat(" ")))
    rows += [("link", f"{source.score:+.2f}", source.url or "a seed") for source in known.sources]
    return [*rows, ("payload", json.dumps(known.payload, ensure_ascii=False))]
