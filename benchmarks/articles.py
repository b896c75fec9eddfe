"""Crawls of numbered articles: the demo web's 5,000 numbers, SIGKILL, and the recorded blogs.

    python benchmarks/articles.py demo [--numbers 5000] [--big-mb 30] [--kills 20]
    python benchmarks/articles.py recorded

``demo`` crawls the numbered site of the demo web (gaps, 503s, time-outs, broken pages, six charsets,
one big page) and compares every row with the site; then it runs again, moves ahead by ten days
and makes missing numbers due, and runs a third time. With ``--kills`` another crawl of the same site
is killed that many times, each time a bit later, and its rows are compared. ``recorded`` crawls two of
the recorded blogs without a profile, and compares each text with the element that the blog's theme
puts posts into: the ratio of lengths, the share of the element's six-character sequences that are in
the text, and the share of the text's that are in the element.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

from parsel import Selector

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.numbered.numbered_site import HOST, NumberedSite
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.text.page_charset import detect
from focuscrawl.text.visible_lines import block_text

RECORDING = Path(__file__).resolve().parents[2] / "shared/replay/blogs-2026.warc.gz"
BLOGS = {
    "http://www.itbob.cn/article/{n:03d}/": "div.post-content",
    "http://yswm-m.github.io/posts/{n}.html": "#article-container",
}
TODAY = date(2026, 3, 5)
CHARACTERS = 6
ROWS = "SELECT * FROM numbered_articles ORDER BY number"


class Crawl:
    """Runs of ``scrapy crawl article`` into one SQLite file."""

    def __init__(self, folder: Path, name: str, environment: dict[str, str]) -> None:
        self.store = folder / f"{name}.sqlite"
        self._folder = folder
        self._environment = (
            os.environ | environment | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
        )

    def start(self, arguments: dict[str, Any], **settings: Any) -> subprocess.Popen[str]:
        settings |= {
            "FOCUSCRAWL_STORES": f"sqlite:///{self.store}",
            "FOCUSCRAWL_DATA": self._folder,
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "article", "-L", "ERROR"]
        command += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
        command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        return subprocess.Popen(command, cwd=self._folder, env=self._environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def to_the_end(self, arguments: dict[str, Any], **settings: Any) -> str:
        """Crawl; return the summary and the seconds."""
        begun = time.monotonic()
        process = self.start(arguments, **settings)
        out, err = process.communicate()
        if process.returncode:
            sys.exit(f"a crawl ended with {process.returncode}: {err}")
        lines = [line for line in out.splitlines() if not line.strip().startswith("results")]
        seconds = time.monotonic() - begun
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        return "\n".join([*lines, f"  took      {seconds:.1f} s, at most {peak:.0f} MB so far"])

    def rows(self, query: str) -> list[sqlite3.Row]:
        with closing(sqlite3.connect(self.store)) as connection:
            connection.row_factory = sqlite3.Row
            return connection.execute(query).fetchall()

    def held(self) -> int:
        try:
            return int(self.rows("SELECT count(*) FROM numbered_articles")[0][0])
        except sqlite3.Error:
            return 0


def compared(crawl: Crawl, site: NumberedSite) -> str:
    """Return the differences between the rows and the site in words."""
    rows = {row["number"]: row for row in crawl.rows(ROWS)}
    existing = site.existing()
    wrong = [number for number in existing if number in rows and not is_same(rows[number], site)]
    charsets = Counter(site.article(number).charset for number in existing)
    return (
        f"  truth     {len(existing)} articles exist, {len(rows)} rows, lost"
        f" {len(set(existing) - set(rows))}, added {len(set(rows) - set(existing))}, in any field"
        f" different {len(wrong)}; {dict(charsets)}; longest text"
        f" {max(len(row['body_text'].encode()) for row in rows.values()):,} bytes"
    )


def is_same(row: sqlite3.Row, site: NumberedSite) -> bool:
    known = site.article(row["number"])
    stored = (row["title"], row["description"], json.loads(row["tags"]), row["author"])
    written = (known.title, known.description, list(known.tags), known.author)
    texts = (str(row["published"]), row["body_text"]) == (known.published.isoformat(), known.text)
    return stored == written and texts


def demo(options: argparse.Namespace) -> None:
    site = NumberedSite(7, options.numbers, today=TODAY, big_mb=options.big_mb)
    web = DemoWeb(seed=7, today=TODAY, more_sites={HOST: site})
    arguments = {"profile": "demo", "concurrency": 32}
    with tempfile.TemporaryDirectory() as name, DemoServer(web) as server:
        folder = Path(name)
        crawl = Crawl(folder, "calm", server.proxy_environment)

        def run(what: str) -> None:
            print(f"== {what}", crawl.to_the_end(arguments, DOWNLOAD_TIMEOUT=10), compared(crawl, site),
                  f"  requested     {requested(web)}", sep="\n", flush=True)  # fmt: skip

        run("first run")
        run("second run, nothing new")
        web.advance(10)
        gaps = [
            row["number"]
            for row in crawl.rows("SELECT number FROM missing_numbers ORDER BY number")
        ]
        with closing(sqlite3.connect(crawl.store)) as connection, connection:
            connection.execute(
                "UPDATE missing_numbers SET due_at = '2020-01-01' WHERE number <= ?", gaps[49:50]
            )
        site.publish(gaps[7])
        run("third run: ten days later, 50 missing numbers due, one of them there now")
        if options.kills:
            killed(folder, server, site, arguments, options.kills, crawl)


def requested(web: DemoWeb) -> str:
    """Return the number of requested numbers, and the most requests for one, in words."""
    counts = Counter(request.url for request in web.log if "/article/" in request.url)
    statuses = Counter(request.status for request in web.log)
    web.log.clear()
    return f"{len(counts)} numbers, {sum(counts.values())} times, statuses {dict(sorted(statuses.items()))}"


def killed(
    folder: Path,
    server: DemoServer,
    site: NumberedSite,
    arguments: dict[str, Any],
    kills: int,
    calm: Crawl,
) -> None:
    """Kill another crawl repeatedly, then compare its rows."""
    crawl, dice = Crawl(folder, "killed", server.proxy_environment), random.Random(1)
    done = 0
    for kill in range(kills):
        process = crawl.start(arguments, DOWNLOAD_TIMEOUT=10)
        while process.poll() is None and crawl.held() < len(site.existing()) * (kill + 1) / (
            kills + 1
        ):
            time.sleep(0.02)
        time.sleep(dice.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        done += process.returncode == -signal.SIGKILL
    print(
        f"== after {done} kills",
        crawl.to_the_end(arguments, DOWNLOAD_TIMEOUT=10),
        compared(crawl, site),
        sep="\n",
    )
    query = "SELECT url_md5, url, number, title, body_html, body_text, content_md5 FROM numbered_articles ORDER BY number"
    missing = "SELECT url_md5, number FROM missing_numbers WHERE found_at IS NULL ORDER BY number"
    for name, asks in (("articles", query), ("missing numbers", missing)):
        ours, theirs = (list(map(tuple, each.rows(asks))) for each in (calm, crawl))
        print(f"  {name} equal byte for byte: {ours == theirs} ({len(ours)} rows)")


def recorded(options: argparse.Namespace) -> None:
    pages = {page.url: page for page in recorded_pages(RECORDING) if page.status == 200}
    with tempfile.TemporaryDirectory() as name:
        crawl = Crawl(Path(name), "blogs", {})
        print(crawl.to_the_end({"url": ",".join(BLOGS)}, FOCUSCRAWL_REPLAY=RECORDING))
        for series, element in BLOGS.items():
            before, after = re.split(r"\{.*\}", series)
            numbered = re.compile(rf"{re.escape(before)}\d+{re.escape(after)}")
            rows = [row for row in crawl.rows(ROWS) if row["series"] == series]
            print(
                f"{series}: recorded {sum(bool(numbered.fullmatch(url)) for url in pages)}, held {len(rows)}"
            )
            shares = [shares_of(row, pages[row["url"]].body, element) for row in rows]
            for row, share in zip(rows, shares, strict=True) if options.each else ():
                print(
                    f"  {row['number']:>4} {share[0]:.2f} {share[1]:.3f} {share[2]:.3f} {row['title'][:40]}"
                )
            for place, what in enumerate(
                ("length", "of the page in the text", "of the text in the page")
            ):
                values = sorted(share[place] for share in shares)
                print(
                    f"  {what}: median {statistics.median(values):.3f}, lowest {values[:3]}, highest {values[-2:]}"
                )


def shares_of(row: sqlite3.Row, body: bytes, element: str) -> tuple[float, float, float]:
    page = Selector(text=body.decode(detect(body), "replace"), type="html")
    shown, text = (
        re.sub(r"\W+", "", each)
        for each in (block_text(page.css(element)[0].root), row["body_text"])
    )
    runs, ours = runs_of(shown), runs_of(text)
    both = len(runs & ours)
    return round(len(text) / len(shown), 3), round(both / len(runs), 3), round(both / len(ours), 3)


def runs_of(text: str) -> set[str]:
    return {text[place : place + CHARACTERS] for place in range(max(1, len(text) - CHARACTERS + 1))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("demo")
    one.add_argument("--numbers", type=int, default=5000)
    one.add_argument("--big-mb", type=int, default=30)
    one.add_argument("--kills", type=int, default=0)
    one.set_defaults(run=demo)
    other = commands.add_parser("recorded")
    other.add_argument("--each", action="store_true", help="a line for each post")
    other.set_defaults(run=recorded)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
