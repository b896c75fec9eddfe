"""Archives with a spill folder of their own, and without pauses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.stores.archive.store_archive import Archive

Maker = Callable[..., Archive]


@pytest.fixture
def archive_of(tmp_path: Path) -> Maker:
    def make(*stores: Any, **options: Any) -> Archive:
        plain = {"batch_age": 0.01, "retry_seconds": 0, "open_seconds": 0, "rest_seconds": 0}
        return Archive(stores, tmp_path / "spill", **(plain | options))

    return make
