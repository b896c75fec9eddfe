from collections.abc import Iterator
from datetime import date

import pytest

from focuscrawl.demo import DemoServer, DemoWeb

TODAY = date(2026, 3, 5)


@pytest.fixture
def web() -> DemoWeb:
    """Thirty days, newest 2026-03-05: every oddity comes at least three times."""
    return DemoWeb(seed=7, days=30, today=TODAY)


@pytest.fixture
def server(web: DemoWeb) -> Iterator[DemoServer]:
    with DemoServer(web) as running:
        yield running
