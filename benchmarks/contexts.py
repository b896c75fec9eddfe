"""Time of extracting links with contexts compared with Scrapy's LinkExtractor on the same bytes.

Reads the recorded blogs next to the repository:
    python benchmarks/contexts.py [--pages 400] [--rounds 6]
Each round times both in alternating order and starts with an empty cache of URLs; the result is the
median of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from focuscrawl.pages.canonical_urls import resolve
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages

RECORDING = Path(__file__).resolve().parents[2] / "shared/replay/blogs-2026.warc.gz"
EXTRACTOR = LinkExtractor()
Reader = Callable[[Recorded], object]


def sample(count: int) -> list[Recorded]:
    pages = {page.url: page for page in recorded_pages(RECORDING) if page.status == 200}
    return [pages[url] for url in random.Random(1).sample(sorted(pages), min(count, len(pages)))]


def by_link_extractor(page: Recorded) -> object:
    return EXTRACTOR.extract_links(HtmlResponse(page.url, body=page.body, encoding="utf-8"))


def by_window(page: Recorded) -> object:
    return parse_page(page.body, page.url)


def milliseconds_a_page(reader: Reader, pages: list[Recorded]) -> float:
    resolve.cache_clear()
    start = time.perf_counter()
    for page in pages:
        reader(page)
    return (time.perf_counter() - start) / len(pages) * 1000


def compare(reader: Reader, pages: list[Recorded], rounds: int) -> tuple[float, float, float]:
    """Return the medians of milliseconds per page of ``reader`` and of LinkExtractor, and of their ratio."""
    timed: list[tuple[float, float]] = []
    for number in range(rounds):
        order = [reader, by_link_extractor][:: 1 if number % 2 else -1]
        times = {one: milliseconds_a_page(one, pages) for one in order}
        timed.append((times[reader], times[by_link_extractor]))
    ours, theirs = zip(*timed, strict=True)
    return median(ours), median(theirs), median(our / their for our, their in timed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=6)
    arguments = parser.parse_args()
    if not RECORDING.is_file():
        sys.exit(f"{RECORDING} does not exist; this benchmark needs the recorded blogs")
    pages = sample(arguments.pages)
    ours, theirs, ratio = compare(by_window, pages, arguments.rounds)
    print(f"{ours:5.2f} ms/page, LinkExtractor {theirs:5.2f}, ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
