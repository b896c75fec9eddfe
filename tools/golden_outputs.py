"""Outputs of the commands and pages that users see, as text files that two checkouts can be compared by.

    PYTHONPATH=CHECKOUT python tools/golden_outputs.py FOLDER [PART …]
    diff -r BEFORE AFTER

The commands run in the checkout that is first in PYTHONPATH, on recorded sites (../shared) and the demo web,
through proxies on 127.0.0.1. Moments and process-dependent names are replaced by placeholders; whatever
depends on the day is equal on the same day only. MariaDB is used where FOCUSCRAWL_TEST_MYSQL_URL is set.
"""

from __future__ import annotations

import csv
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit

import openpyxl

SHARED = Path(__file__).resolve().parents[2] / "shared"
QUICK = (
    "-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "FOCUSCRAWL_RETRY_PAUSE=0",
    "-s", "CONCURRENT_REQUESTS=1",
)  # fmt: skip
# Moments, durations, sizes of memory, version marks, secrets of forms, names of runs.
_CHANGING = (
    (re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|[+-]\d\d:\d\d)?"), "MOMENT"),
    (re.compile(r"\b\d+(\.\d+)? (s|MB|MiB)\b"), "N UNIT"),
    (re.compile(r'"seconds": [\d.]+'), '"seconds": N'),
    (re.compile(r"datetime\.datetime\(20\d\d, \d+, \d+, \d+, \d+, \d+(, \d+)?\)"), "MOMENT"),
    # Pages per second, in the table of the lab.
    (re.compile(r"(?m)(?<=  )\d+\.\d00(?=  \.\d{3}  \.\d{3}$)"), "N"),
    (re.compile(r"/tmp/golden-\w+"), "FOLDER"),
    (re.compile(r"\b[0-9a-f]{16}\b(?![0-9a-f])"), "KEY"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"/tmp/[\w/.-]+?(?=/(data|results|work)\b)"), "FOLDER"),
    (re.compile(r'nonce="[^"]*"|nonce-[\w=+/-]+'), "NONCE"),
    (re.compile(r"\?v=\w+"), "?v=VERSION"),
)
_OF_RUNS = re.compile("抓取|下载|首次|时间|运行|第一次|最近")
MOST_PAGES = 400


def stable(text: str) -> str:
    """Return a text with placeholders for what changes from run to run."""
    for expression, placeholder in _CHANGING:
        text = expression.sub(placeholder, text)
    return text


class Outputs:
    """A folder of outputs, and a work folder in which the commands run."""

    def __init__(self, folder: Path, work: Path) -> None:
        self.folder = folder
        self.work = work
        self.environment = {
            **os.environ, "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings", "NO_COLOR": "1",
        }  # fmt: skip

    def write(self, name: str, text: str) -> None:
        """Keep an output."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stable(text), encoding="utf-8")

    def run(self, name: str, *arguments: str, given: str = "") -> str:
        """Run a command of Scrapy, and keep what it printed; return its output."""
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", *arguments], cwd=self.work, env=self.environment,
            input=given, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.write(
            f"{name}.txt", f"exit code {done.returncode}\n{done.stdout}\n-- errors\n{done.stderr}"
        )
        return done.stdout

    def workbook(self, name: str, path: Path) -> None:
        """Keep a workbook cell by cell, rows sorted, but not when runs took place."""
        book = openpyxl.load_workbook(path, read_only=True)
        for sheet in book:
            head, *rows = [tuple(row) for row in sheet.iter_rows(values_only=True)] or [()]
            kept = [n for n, one in enumerate(head) if not _OF_RUNS.search(str(one))]
            lines = sorted(repr(tuple(row[n] for n in kept if n < len(row))) for row in rows)
            self.write(
                f"{name}/{sheet.title}.txt", "\n".join([repr([head[n] for n in kept]), *lines])
            )
        book.close()


@contextmanager
def demo_web(outputs: Outputs, *arguments: str) -> Iterator[None]:
    """Serve the demo web, by a proxy, for the commands in the block."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "scrapy", "demo", "--port", str(port), *arguments],
        cwd=outputs.work, env=outputs.environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout
    server.stdout.readline()
    proxy = f"http://127.0.0.1:{port}"
    outputs.environment |= {"http_proxy": proxy, "https_proxy": proxy}
    try:
        yield
    finally:
        del outputs.environment["http_proxy"], outputs.environment["https_proxy"]
        server.terminate()
        server.wait()


def recorded_maize(outputs: Outputs) -> None:
    """Crawl the recorded maize site: summary, workbook, exports in four formats."""
    replay = f"FOCUSCRAWL_REPLAY={SHARED / 'replay/maize-2017.warc.gz'}"
    outputs.run("maize/crawl", "crawl", "maize", "-a", "title=山东", "--json", "-s", replay, *QUICK)
    outputs.workbook("maize/workbook", outputs.work / "data/focuscrawl.xlsx")
    for kind in ("quotes", "articles"):
        for suffix in ("csv", "jsonl", "parquet", "xlsx"):
            name = f"data/{kind}.{suffix}"
            outputs.run(f"maize/export-{kind}-{suffix}", "export", kind, "-o", name)
            outputs.write(f"maize/{kind}-{suffix}.txt", table_text(outputs.work / name))


def table_text(path: Path) -> str:
    """Return a file of an export as text."""
    if path.suffix == ".parquet":
        import pandas

        return str(pandas.read_parquet(path).to_csv(index=False))
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path, read_only=True)
        return "\n".join(repr(row) for sheet in book for row in sheet.iter_rows(values_only=True))
    return path.read_text(encoding="utf-8-sig")


def demo(outputs: Outputs) -> None:
    """Crawl the demo web with five spiders: summaries, workbook, every page of the server."""
    community = ("--communities", "30", "--articles", "20", "--topic", "money.yaml")
    with demo_web(outputs, *community):
        for spider, *arguments in (
            ("maize", "site=demo"), ("article", "profile=demo", "stop=60"),
            ("labels", "topic=money.yaml", "max_pages=40"),
            ("template", "template=contacts", "region=四川", "engine=demo"),
            ("tunnel", "topic=money.yaml", "max_pages=60"),
        ):  # fmt: skip
            given = [part for one in arguments for part in ("-a", one)]
            outputs.run(f"demo/crawl-{spider}", "crawl", spider, *given, "--json", *QUICK)
    outputs.workbook("demo/workbook", outputs.work / "data/focuscrawl.xlsx")
    outputs.run("demo/search", "search", "玉米", "价格")
    web_pages(outputs, "web/sqlite", "sqlite:///data/focuscrawl.sqlite")
    if mysql := os.environ.get("FOCUSCRAWL_TEST_MYSQL_URL"):
        outputs.run("demo/transfer", "transfer", "sqlite:///data/focuscrawl.sqlite", mysql)
        web_pages(outputs, "web/mysql", mysql)


def web_pages(outputs: Outputs, name: str, store: str) -> None:
    """Follow the links of the server on a store, and keep each page."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "scrapy", "serve", "--port", str(port), "--store", store],
        cwd=outputs.work, env=outputs.environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout
        server.stdout.readline()
        root = f"http://127.0.0.1:{port}/"
        pages = {}
        ahead = deque([
            root, *(root + path for path in (
                "prices", "prices.json", "prices.csv", "prices/morning", "prices/morning.json", "prices/morning.csv",
                "prices/matrix", "prices/matrix.json", "prices/matrix.csv", "prices/quotes",
                "prices/quotes.json", "prices/quotes.csv", "prices/doubts", "prices/revised", "records",
                "records.csv", "articles", "articles/search?words=玉米", "pages", "crawls", "alarms", "metrics",
            )),
        ])  # fmt: skip
        while ahead and len(pages) < MOST_PAGES:
            url = ahead.popleft()
            if url in pages:
                continue
            pages[url], links = fetched(url)
            ahead.extend(link for link in links if link not in pages)
    finally:
        server.terminate()
        server.wait()
    for url, text in pages.items():
        parts = urlsplit(url)
        path = re.sub(r"[^\w.-]+", "_", parts.path + ("?" + parts.query if parts.query else ""))[
            :150
        ]
        outputs.write(f"{name}/{path}.txt", text)


def fetched(url: str) -> tuple[str, list[str]]:
    """Return the status and text of a page, and the links of the same server on it, without forms."""
    quoted = urllib.request.quote(url, safe=":/?&=%")
    request = urllib.request.Request(quoted, headers={"Accept-Language": "zh-CN"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=120) as answer:
            kind, body, status = answer.headers.get_content_type(), answer.read(), answer.status
    except HTTPError as error:
        kind, body, status = error.headers.get_content_type(), error.read(), error.code
    if kind.startswith("image/") or "spreadsheet" in kind:
        return f"{status} {kind}", []
    text = body.decode()
    if kind != "text/html":
        return f"{status} {kind}\n{text}", []
    hrefs = re.findall(r'href="([^"#]+)', text)
    links = sorted({urljoin(url, href.replace("&amp;", "&")) for href in hrefs})
    host = urlsplit(url).netloc
    return f"{status} {kind}\n{text}", [
        one for one in links if urlsplit(one).netloc == host and "/static/" not in one
    ]


def labelled_texts(outputs: Outputs) -> None:
    """Read the quotes of all labelled texts."""
    for path in sorted((SHARED / "labels").glob("*_texts.jsonl")):
        outputs.run(f"quotes/{path.stem}", "quotes", str(path), "-o", "quotes.csv")
        outputs.write(
            f"quotes/{path.stem}.csv", (outputs.work / "quotes.csv").read_text("utf-8-sig")
        )


def contacts(outputs: Outputs) -> None:
    """Read the contacts of the recorded sites."""
    with (SHARED / "contacts/sites.csv").open(encoding="utf-8-sig", newline="") as file:
        homes = [site["home_url"] for site in csv.DictReader(file)]
    (outputs.work / "seeds.txt").write_text("\n".join(homes), encoding="utf-8")
    replay = f"FOCUSCRAWL_REPLAY={SHARED / 'contacts/contacts.warc.gz'}"
    outputs.run(
        "contacts/crawl", "crawl", "template", "-a", "template=contacts", "-a", "seeds=seeds.txt",
        "-s", replay, "-s", "FOCUSCRAWL_DATA=contacts", "--json", *QUICK,
    )  # fmt: skip
    database = "sqlite:///contacts/focuscrawl.sqlite"
    outputs.run("contacts/export", "export", "records", "-o", "c.csv", "--store", database)
    outputs.write("contacts/records.csv", "\n".join(sorted(
        (outputs.work / "c.csv").read_text("utf-8-sig").splitlines()
    )))  # fmt: skip


def profiles(outputs: Outputs) -> None:
    """Draft a profile for each recorded list page."""
    with (SHARED / "lists/sites.csv").open(encoding="utf-8-sig", newline="") as file:
        sites = list(csv.DictReader(file))
    for site in sites:
        for warc in ("replay/blogs-2026", "replay/maize-2017", "contacts/contacts"):
            replay = f"FOCUSCRAWL_REPLAY={SHARED / warc}.warc.gz"
            outputs.run(
                f"profiles/{site['host']}", "newsite", site["list_url"], "--name", "found", "--force",
                "-s", replay, "-s", "FOCUSCRAWL_RETRY_PAUSE=0", "-s", "DOWNLOAD_DELAY=0",
            )  # fmt: skip
            profile = outputs.work / "sites/found.yaml"
            if profile.exists():
                outputs.write(f"profiles/{site['host']}.yaml", profile.read_text("utf-8"))
                profile.unlink()
                break


def lab(outputs: Outputs) -> None:
    """Compare crawl policies on a recorded web, one request at a time."""
    blogs = SHARED / "replay/blogs"
    seeds = json.loads((blogs / "seeds.json").read_text("utf-8"))["security"]
    (outputs.work / "seeds.json").write_text(json.dumps({"security": {"A": seeds["off_topic_A"]}}))
    outputs.run(
        "lab/run", "lab", "security", "--replay", str(SHARED / "replay/blogs-2026.warc.gz"),
        "--truth", str(blogs / "truth_security.csv"), "--seeds", "seeds.json", "--budget", "300",
        "--policies", "breadth,nb+learn,sparse-tunnel", "--folds", "0", "--out", "lab",
    )  # fmt: skip
    for path in sorted((outputs.work / "lab").rglob("pages.csv")):
        outputs.write(f"lab/{path.relative_to(outputs.work)}", path.read_text("utf-8-sig"))


PARTS = {
    one.__name__: one
    for one in (recorded_maize, demo, labelled_texts, contacts, profiles, lab)
}  # fmt: skip


def main() -> None:
    """Write the outputs that the command line names."""
    folder, *names = sys.argv[1:]
    for name in names or PARTS:
        with tempfile.TemporaryDirectory(prefix="golden-") as work:
            PARTS[name](Outputs(Path(folder).resolve(), Path(work)))
        print(name, json.dumps(sum(1 for _ in Path(folder).rglob("*.txt"))), flush=True)


if __name__ == "__main__":
    main()
