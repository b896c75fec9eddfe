from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from focuscrawl.extensions.garbage_collection_interval import RareCollections


@pytest.fixture(autouse=True)
def _thresholds_stay() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_thresholds_are_raised_while_a_crawl_runs() -> None:
    gc.set_threshold(700, 10, 10)
    extension = RareCollections()
    extension.spider_opened()
    assert gc.get_threshold()[0] >= 50_000
    extension.spider_closed()
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (100_000, 5, 5)])
def test_higher_or_disabled_thresholds_are_kept(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    RareCollections().spider_opened()
    assert gc.get_threshold() == own
