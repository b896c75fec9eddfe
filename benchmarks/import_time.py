"""Import time of ``scrapy crawl maize`` compared with plain Scrapy, and the heavy libraries imported."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

PLAIN = "import scrapy.crawler, scrapy.core.engine, scrapy.commands.crawl"
OURS = PLAIN + ", focuscrawl.addon, focuscrawl.spiders.maize, focuscrawl.commands.crawl"
HEAVY = ("pandas", "numpy", "openpyxl", "sklearn", "jieba", "pymongo", "pymysql", "trafilatura")


def seconds(statement: str) -> float:
    """Return the wall time of a fresh interpreter that runs one statement."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - started


def main() -> None:
    """Print both times, and the heavy libraries that were imported."""
    plain, ours = [], []
    for _ in range(7):
        plain.append(seconds(PLAIN))
        ours.append(seconds(OURS))
    loaded = subprocess.run(
        [sys.executable, "-c", f"{OURS}; import sys; print(*(m for m in {HEAVY} if m in sys.modules))"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    a, b = statistics.median(plain), statistics.median(ours)
    print(
        f"plain Scrapy {a:.2f} s, focuscrawl {b:.2f} s, ratio {b / a:.2f}; heavy libraries loaded: {loaded or 'none'}"
    )


if __name__ == "__main__":
    main()
