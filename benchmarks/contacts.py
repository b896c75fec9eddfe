"""Contact pages found and values extracted on recorded sites, by the crawl that users run.

    python -m benchmarks.contacts [FOLDER] [--predictions FILE.csv] [--errors]

FOLDER holds ``sites.csv`` (host, home_url, contact_url), ``truth.csv``, ``score.py`` and one
``*.warc.gz`` (default: ../shared/contacts next to the repository). The crawl starts from the home
pages; the recording replaces the network.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.harness import SHARED

FOLDER = SHARED / "contacts"


class Found(NamedTuple):
    """A record: its seed, its page, and its values by field."""

    seed: str
    url: str
    values: list[tuple[str, str]]


def crawl(archive: Path, homes: Sequence[str], workspace: Path) -> list[Found]:
    """Crawl the sites by the template ``contacts``; return their records."""
    (workspace / "seeds.txt").write_text("\n".join(homes), encoding="utf-8")
    database = workspace / "store.sqlite"
    command = [sys.executable, "-m", "scrapy", "crawl", "template", "-a", "template=contacts"]
    command += ["-a", "seeds=seeds.txt", "-s", f"FOCUSCRAWL_STORES=sqlite:///{database}"]
    command += ["-s", f"FOCUSCRAWL_REPLAY={archive}", "-s", f"FOCUSCRAWL_DATA={workspace}"]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    subprocess.run(command, check=True, cwd=workspace, env=environment)
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("select seed, url, fields from template_records").fetchall()
    return [
        Found(seed, url, [(value["field"], value["value"]) for value in json.loads(fields)])
        for seed, url, fields in rows
    ]


def same_page(url: str, other: str) -> bool:
    """Return whether two URLs denote the same page, ignoring their scheme and the name of an index."""
    one, two = (
        (urlsplit(u).netloc, urlsplit(u).path.removesuffix("index.html").rstrip("/"), urlsplit(u).query)
        for u in (url, other)
    )  # fmt: skip
    return one == two


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--predictions", type=Path, metavar="FILE.csv")
    parser.add_argument(
        "--errors", action="store_true", help="list what is missed and what is wrong"
    )
    given = parser.parse_args()
    folder: Path = given.folder.resolve()
    (archive,) = folder.glob("*.warc.gz")
    with (folder / "sites.csv").open(encoding="utf-8-sig", newline="") as file:
        sites = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as workspace:
        found = crawl(archive, [site["home_url"] for site in sites], Path(workspace))
        predictions = given.predictions or Path(workspace) / "predictions.csv"
        with predictions.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["url", "field", "value"])
            writer.writerows((entry.seed, *value) for entry in found for value in entry.values)
        hits = sum(
            any(entry.seed == site["home_url"] and same_page(entry.url, site["contact_url"]) for entry in found)
            for site in sites
        )  # fmt: skip
        print(f"contact page found: {hits} of {len(sites)} sites ({hits / len(sites):.0%})")
        score = [sys.executable, str(folder / "score.py"), str(folder / "truth.csv"), str(predictions)]  # fmt: skip
        sys.stdout.flush()
        subprocess.run([*score, *(["--errors"] if given.errors else [])], check=True)


if __name__ == "__main__":
    main()
