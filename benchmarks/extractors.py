"""Other extractors on the pages of ``shared/lists``, scored as ``benchmarks/lists.py`` is.

    python3 -m venv /tmp/other && /tmp/other/bin/pip install gne gerapy-auto-extractor trafilatura
    python benchmarks/extractors.py --python /tmp/other/bin/python

GNE, gerapy-auto-extractor and trafilatura run in that interpreter, so that they need not be installed
here; one that is missing there is skipped. They read one page at a time, whereas newsite sees three
articles of a host and their list. GNE's list extractor must be given the text of one entry: it gets the
first title of the truth. None of them finds the next page or, in lists, dates.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from lists import SHARED, WARCS, key_of, rows, write

from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.text.page_charset import detect

LISTS = SHARED / "lists"
TOOLS = ("trafilatura", "gne", "gerapy_auto_extractor")
# Reads lines of JSON (kind, url, html, hint), and writes one for each.
WORKER = """
import json, logging, sys
logging.disable(logging.CRITICAL)
tool = sys.argv[1]
module = __import__(tool)

def article(html, url):
    if tool == "trafilatura":
        found = module.bare_extraction(html, url=url, with_metadata=True)
        found = found.as_dict() if found else {}
        return found.get("title"), found.get("date"), found.get("text")
    if tool == "gne":
        found = module.GeneralNewsExtractor().extract(html, host=url)
        return found["title"], found["publish_time"][:10], found["content"]
    # One by one, since extract_detail fails for all where one does.
    return part(module.extract_title, html), part(module.extract_datetime, html)[:10], part(module.extract_content, html)

def part(extract, html):
    try:
        return str(extract(html) or "")
    except Exception:
        return ""

def entries(html, hint):
    if tool == "gne":
        from gne import ListPageExtractor
        return [(one["url"], one["title"]) for one in ListPageExtractor().extract(html, feature=hint)]
    if tool == "gerapy_auto_extractor":
        return [(one["url"], one["title"]) for one in module.extract_list(html)]
    return []

for line in sys.stdin:
    page = json.loads(line)
    try:
        read = article(page["html"], page["url"]) if page["kind"] == "article" else entries(page["html"], page["hint"])
    except Exception as error:
        print(page["url"], repr(error)[:200], file=sys.stderr)
        read = ("", "", "") if page["kind"] == "article" else []
    print(json.dumps({"kind": page["kind"], "url": page["url"], "read": read}), flush=True)
"""


def pages() -> Iterator[dict[str, str]]:
    """Yield the recorded list pages and articles of the truth."""
    hints = {row["list_url"]: row["title"] for row in reversed(rows(LISTS / "entries.csv"))}
    wanted = {key_of(row["url"]): ("article", row["url"]) for row in rows(LISTS / "articles.csv")}
    wanted |= {key_of(url): ("list", url) for url in hints}
    for warc in WARCS:
        for page in recorded_pages(SHARED / warc):
            if page.status == 200 and (found := wanted.pop(key_of(page.url), None)):
                html = page.body.decode(detect(page.body), "replace").lstrip("\ufeff")
                kind, url = found
                yield {"kind": kind, "url": url, "html": html, "hint": hints.get(url, "")}


def run(python: str, tool: str, lines: Sequence[str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [python, "-c", WORKER, tool],
        input="\n".join(lines) + "\n",
        capture_output=True,
        encoding="utf-8",
    )
    for line in done.stderr.splitlines()[-5:]:
        print(f"  {line}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def score(read: Sequence[dict[str, Any]], folder: Path) -> None:
    articles = [(one["url"], *one["read"]) for one in read if one["kind"] == "article"]
    entries = [
        (one["url"], urljoin(one["url"], url), title, "")
        for one in read
        if one["kind"] == "list"
        for url, title in one["read"]
        if url
    ]
    write(folder / "articles.csv", "url title date text", articles)
    write(folder / "entries.csv", "list_url url title date", entries)
    kinds = ["articles", *(["entries"] if entries else [])]
    options = [part for kind in kinds for part in (f"--{kind}", str(folder / f"{kind}.csv"))]
    done = subprocess.run(
        [sys.executable, str(LISTS / "score.py"), *options],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    wanted = (
        "mean entry",
        "sites with",
        "title acc",
        "article title",
        "article date",
        "body start",
    )
    print("".join(f"  {line}\n" for line in done.stdout.splitlines() if line.startswith(wanted)), end="")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("--python", default=sys.executable, help="interpreter with the extractors")
    given = parser.parse_args()
    lines = [json.dumps(page) for page in pages()]
    for tool in TOOLS:
        has = subprocess.run([given.python, "-c", f"import {tool}"], capture_output=True)
        print(f"{tool}:" if has.returncode == 0 else f"{tool}: not installed, skipped")
        if has.returncode == 0:
            with tempfile.TemporaryDirectory() as folder:
                score(run(given.python, tool, lines), Path(folder))


if __name__ == "__main__":
    main()
