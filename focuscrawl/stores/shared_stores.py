"""Check of the stores of a crawl that several workers share."""

from __future__ import annotations

from collections.abc import Iterable

from focuscrawl.errors import StoreError

_WORKBOOK, _SQLITE = "excel:", "sqlite:"


def check_shared(labels: Iterable[str], server: str) -> None:
    """Raise StoreError for a file among the stores that the workers of the frontier ``server`` cannot share.

    Workers on other machines cannot write to any. Those of a Unix socket are on one machine, where
    SQLite takes several writers.
    """
    refused = (_WORKBOOK,) if server.lower().startswith("unix:") else (_WORKBOOK, _SQLITE)
    for label in labels:
        if label.startswith(refused):
            raise StoreError(
                f"the workers of a crawl (FOCUSCRAWL_FRONTIER) cannot share {label}; set "
                "FOCUSCRAWL_STORES to a MariaDB or MongoDB, and make the workbook with `scrapy report` "
                "afterwards"
            )
