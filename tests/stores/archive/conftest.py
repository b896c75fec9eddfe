"""Archives with a spill folder of their own, and without pauses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.stores.archive.store_archive import Archive

Maker = Callable[..., Archive]
OpenMaker = Callable[..., Awaitable[Archive]]


@pytest.fixture
def archive_of(tmp_path: Path) -> Maker:
    def make(*stores: Any, **options: Any) -> Archive:
        plain = {"batch_age": 0.01, "retry_seconds": 0, "open_seconds": 0, "rest_seconds": 0}
        return Archive(stores, tmp_path / "spill", **(plain | options))

    return make


@pytest.fixture
async def opened_archive(archive_of: Maker) -> AsyncIterator[OpenMaker]:
    """Makes archives that are open; all are closed at the end."""
    archives: list[Archive] = []

    async def make(*stores: Any, **options: Any) -> Archive:
        archives.append(archive_of(*stores, **options))
        await archives[-1].open()
        return archives[-1]

    yield make
    for archive in archives:
        await archive.close()
