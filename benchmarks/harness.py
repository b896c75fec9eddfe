"""What the benchmarks share: where the recordings are, and the memory of a process.

All are run from the folder of the project: ``python -m benchmarks.NAME``. Earlier ones, which nothing
quotes any more, are in git: ``git show bee16a02:benchmarks/``.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
BLOGS = SHARED / "replay/blogs-2026.warc.gz"
FINANCE = SHARED / "replay/finance-2026.warc.gz"
MAIZE = SHARED / "replay/maize-2017.warc.gz"

ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT),
    "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
}
"""Environment of commands that run the code beside the benchmark: in another work tree, what is installed is another's."""


def resident_mb(pid: int | str = "self", name: str = "VmRSS") -> float:
    """Return the resident memory of a process in MB; ``VmHWM`` is its peak."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))
