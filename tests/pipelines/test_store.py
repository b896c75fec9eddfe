"""Stores that the workers of one crawl can share, and those that they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import StoreError
from focuscrawl.pipelines.store import check_shared
from focuscrawl.stores.archive.store_archive import Archive
from focuscrawl.stores.store_urls import make_destinations

SERVERS = "mysql+pymysql://u:secret@h/d,mongodb://u:secret@h/d"


def labels(urls: str, folder: Path) -> list[str]:
    places = make_destinations(urls)
    return Archive(places.databases, folder, workbooks=places.workbooks).labels


def test_servers_are_shared(tmp_path: Path) -> None:
    check_shared(labels(SERVERS, tmp_path), "redis://h/0")


@pytest.mark.parametrize("url", ["sqlite:////x/a.sqlite", "excel:////x/a.xlsx"])
def test_files_are_refused_beside_servers(tmp_path: Path, url: str) -> None:
    with pytest.raises(StoreError) as caught:
        check_shared(labels(f"{SERVERS},{url}", tmp_path), "redis://h/0")
    assert url in str(caught.value)
    assert "FOCUSCRAWL_STORES to a MariaDB or MongoDB" in str(caught.value)
    assert "`scrapy report`" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_only_sqlite_is_shared_on_one_machine(tmp_path: Path) -> None:
    check_shared(labels(f"{SERVERS},sqlite:////x/a.sqlite", tmp_path), "unix:///x/s")
    with pytest.raises(StoreError, match="excel"):
        check_shared(labels(f"{SERVERS},excel:////x/a.xlsx", tmp_path), "unix:///x/s")
