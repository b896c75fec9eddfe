"""Extraction of results from saved pages of search engines, compared with manual labels.

    python -m benchmarks.serp [FOLDER]

FOLDER holds the pages and ``truth.csv`` (default: ../shared/contacts/serp next to the repository).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import SHARED
from focuscrawl.templates.search_engines.search_engine import (
    Result,
    SearchEngine,
    load_search_engine,
)

FOLDER = SHARED / "contacts" / "serp"
PAGES = {"baidu": "https://www.baidu.com/s", "bing": "https://www.bing.com/search",
         "sogou": "https://www.sogou.com/web"}  # fmt: skip


class Count(NamedTuple):
    """Counts of one page; ``told`` are the results with their real URL on the page."""

    file: str
    results: int
    found: int
    in_place: int
    titles: int
    told: int
    real: int
    invented: int


def truth(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return the rows of truth.csv by file, in order of rank."""
    rows: dict[str, list[dict[str, str]]] = {}
    with (folder / "truth.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["file"], []).append(row)
    return rows


def counts(folder: Path) -> Iterator[Count]:
    """Yield the counts of each page; ``invented`` are results that are not in the truth."""
    for name, rows in truth(folder).items():
        engine = _engine(name)
        body = (folder / name).read_bytes().decode("utf-8", "replace")
        results = engine.read(body, PAGES[engine.name]).results
        yield _compare(name, rows, {result.href: result for result in results})


def _compare(name: str, rows: list[dict[str, str]], found: dict[str, Result]) -> Count:
    pairs = [(row, found[row["url"]]) for row in rows if row["url"] in found]
    return Count(
        file=name,
        results=len(rows),
        found=len(pairs),
        in_place=sum(int(row["rank"]) == result.rank for row, result in pairs),
        titles=sum(_bare(row["title"]) == _bare(result.title) for row, result in pairs),
        told=sum(bool(row["real_url"]) for row in rows),
        real=sum(row["real_url"] == result.url for row, result in pairs if row["real_url"]),
        invented=len(found) - len(pairs),
    )


def _engine(file: str) -> SearchEngine:
    return load_search_engine(file.partition("-")[0])


def _bare(title: str) -> str:
    return "".join(title.split())


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not (folder / "truth.csv").is_file():
        sys.exit(f"no truth.csv in {folder}; give the folder of the saved result pages")
    print("| file | results | found | rank right | title right | real URL told | read | invented |")
    print("| --- |" + " ---: |" * 7)
    for count in counts(folder):
        print("| " + " | ".join(map(str, count)) + " |")


if __name__ == "__main__":
    main()
