"""Settings of the focuscrawl project."""

from __future__ import annotations

import importlib.util
import runpy

import pytest

from focuscrawl import settings


def test_crawls_use_uvloop_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(settings.__file__)
    assert runpy.run_path(path)["ASYNCIO_EVENT_LOOP"] == "uvloop.Loop"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "ASYNCIO_EVENT_LOOP" not in runpy.run_path(path)
