"""Files that are kept by their hash."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from focuscrawl.crawling.linked_files import _write


def test_a_file_that_several_articles_link_to_is_kept_whole(tmp_path: Path) -> None:
    bodies = [b"%PDF" + bytes([n]) * 100_000 for n in range(20) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(lambda body: _write(tmp_path, body, "PDF"), bodies))
    kept = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.iterdir()}
    assert kept == {f"{name}.pdf": name for name in names}
