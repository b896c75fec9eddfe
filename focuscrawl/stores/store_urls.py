"""Stores by their URLs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from focuscrawl.errors import StoreError
from focuscrawl.stores.database_urls import KNOWN_KINDS, located, open_url, sqlite_url
from focuscrawl.stores.store_protocol import Store
from focuscrawl.stores.workbook.workbook_store import ExcelStore
from focuscrawl.system.input_files import check_utf8


def make_stores(urls: str | Sequence[str]) -> list[Store]:
    """Return the stores of one or more URLs; a string may hold several, comma-separated.

    Databases come first, in the order given, then workbooks: each shows the first database, or
    one of its own beside it if there is none. Nothing is opened. Raises StoreError for a kind that
    is not known, a URL that cannot be read, no URL, and the same store twice, ArgumentError for a URL
    that is no UTF-8.
    """
    parts = _split(urls) if isinstance(urls, str) else urls
    given = [url.strip() for url in parts if url.strip()]
    for url in given:
        # Not shown: it may have a password.
        check_utf8(url, "a store URL")
    wanted = [open_url(url) for url in given]
    if not wanted:
        raise StoreError(f"no store is named; name one such as {KNOWN_KINDS[0]}")
    stores: list[Store] = [store for store in wanted if not isinstance(store, Path)]
    databases = [(store, url) for store, url in zip(wanted, given, strict=True) if store in stores]
    for path in (entry for entry in wanted if isinstance(entry, Path)):
        own = sqlite_url(path.with_suffix(".sqlite"))
        source, url = databases[0] if databases else (open_url(own), own)
        assert not isinstance(source, Path)
        stores.append(ExcelStore(path, source, located(url), owns_source=not databases))
    _check_distinct(stores)
    return stores


def _split(urls: str) -> list[str]:
    """Part URLs at commas, but for those between the hosts of a replica set."""
    parts: list[str] = []
    for part in urls.split(","):
        if parts and "://" not in part and "${" not in part and parts[-1].startswith("mongodb:"):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def _check_distinct(stores: Sequence[Store]) -> None:
    labels = [store.label for store in stores]
    for label in labels:
        if labels.count(label) > 1:
            raise StoreError(f"the store {label} is named twice; name it once")
