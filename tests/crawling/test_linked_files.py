"""Files that are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from focuscrawl.crawling import linked_files


def test_a_file_that_two_articles_have_is_written_by_both_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Barrier(2)
    monkeypatch.setattr(linked_files.os, "fsync", lambda _: both.wait(timeout=20))
    with ThreadPoolExecutor(2) as threads:
        wait = [threads.submit(linked_files._write, tmp_path, b"%PDF-", "PDF") for _ in "12"]
        (digest,) = {one.result() for one in wait}
    assert [path.name for path in tmp_path.iterdir()] == [f"{digest}.pdf"]
