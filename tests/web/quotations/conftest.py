"""Patience with processes of a busy machine."""

from __future__ import annotations

import pytest

from focuscrawl.web.quotations import doubtful_quotes


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the list of doubts, however long it takes."""
    monkeypatch.setattr(doubtful_quotes, "PATIENCE_SECONDS", 300.0)
