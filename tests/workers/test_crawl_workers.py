"""Progress of several workers, and the number of them."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from focuscrawl.workers.crawl_workers import Worker, progress_line


def test_the_progress_line_adds_the_counts_of_all_workers(tmp_path: Path) -> None:
    workers = [Worker(tmp_path, number) for number in (1, 2, 3)]
    for worker, pages in zip(workers[:2], (30, 10), strict=True):
        counts = {"pages": pages, "relevant": 10, "waiting": 5, "items": 1}
        worker.progress_file.write_text(json.dumps(counts))
    # The third one has not written any yet.
    assert progress_line(workers).endswith("40 pages · harvest 50% · 10 waiting · 2 items")


def finish(worker: Worker) -> None:
    deadline = time.monotonic() + 60
    while worker.code is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert worker.code == 0


def test_a_worker_that_is_left_of_an_earlier_start_does_not_write_to_the_files_of_the_next(
    tmp_path: Path,
) -> None:
    go_on = tmp_path / "go-on"
    os.mkfifo(go_on)
    left, present = Worker(tmp_path, 1), Worker(tmp_path, 1)
    waits = f"open({str(go_on)!r}).read(); print('{{\"pages\": 1}}')"
    left.start([sys.executable, "-c", waits], os.environ, [])
    present.start([sys.executable, "-c", "print('{\"pages\": 2}')"], os.environ, [])
    finish(present)
    go_on.write_text("")
    finish(left)
    assert present.report() == {"pages": 2}
