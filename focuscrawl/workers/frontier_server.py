"""What commands read from the server of a frontier: its crawls, and all data about a URL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from focuscrawl.crawl_run import is_server
from focuscrawl.errors import ArgumentError
from focuscrawl.scheduling.page_keys import host_of_page, key_of_page
from focuscrawl.system.package_extras import require_redis

if TYPE_CHECKING:
    from focuscrawl.workers.crawl_overview import FoundUrl, StoredCrawl
    from focuscrawl.workers.redis_calls import RedisCalls


@contextmanager
def server_calls(address: str | None) -> Iterator[RedisCalls]:
    """Connect to a server; raises ArgumentError if ``address`` is not that of one."""
    if not is_server(address):
        raise ArgumentError(
            f"{address or 'nothing'} is not the URL of a server; write redis://HOST:PORT/0, or set "
            "FOCUSCRAWL_FRONTIER"
        )
    require_redis()
    # Imported here: redis-py may not be installed.
    from focuscrawl.workers.redis_calls import connect

    calls = connect(str(address))
    try:
        yield calls
    finally:
        calls.close()


def chosen_crawls(
    crawls: Sequence[StoredCrawl], name: str | None, server: str
) -> list[StoredCrawl]:
    """Return the crawls, or the one of a name; raises ArgumentError if there is none."""
    chosen = [crawl for crawl in crawls if name in (None, crawl.name)]
    if not chosen:
        raise ArgumentError(
            f"there are no crawls at {server}; see FOCUSCRAWL_FRONTIER"
            if name is None
            else f"there is no crawl {name} at {server}; list them with scrapy jobs"
        )
    return chosen


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
        from focuscrawl.workers.crawl_overview import find_url, stored_crawls

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
