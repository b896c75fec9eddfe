"""Three windows of the template crawl on the demo web, compared with the changes of the demo web.

Between windows a tenth of the firms is added, a tenth of the useful ones changes its data, a twentieth
disappears. The second run is killed half-way and resumed; in the third, the first search engine shows
a captcha and its fallback is used.

    python benchmarks/windows.py [--firms 100]
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.firms.firm_web import SEARCH_HOSTS, Changes, Firms

ARGUMENTS = {
    "template": "contacts",
    "region": "四川",
    "entity": "软件公司",
    "engine": f"demo,demo@http://{SEARCH_HOSTS[1]}",
    "pages": "76",
    "all": "true",
}
SETTINGS = {"DOWNLOAD_DELAY": "0", "AUTOTHROTTLE_ENABLED": "False", "LOG_LEVEL": "WARNING"}
_PATIENCE_S = 300

Records = dict[str, tuple[str, bool]]
"""By home page: the MD5 of the record, and whether it is marked as gone."""


class Row(NamedTuple):
    """One window: the changes of each kind in the demo web and in the crawl."""

    window: int
    demo: Changes
    crawl: Changes


def records(database: Path) -> Records:
    """Return the stored records by home page."""
    if not database.exists():
        return {}
    query = "SELECT url, record_md5, gone_at IS NOT NULL FROM template_records"
    with closing(sqlite3.connect(database)) as connection:
        return {
            urljoin(url, "/"): (md5, bool(gone)) for url, md5, gone in connection.execute(query)
        }


def changes(before: Records, after: Records) -> Changes:
    """Return the changes of the records, by the store alone."""
    old = {home: md5 for home, (md5, is_gone) in before.items() if not is_gone}
    new = {home: md5 for home, (md5, is_gone) in after.items() if not is_gone}
    both = old.keys() & new.keys()
    return Changes(
        added=frozenset(new.keys() - old.keys()),
        updated=frozenset(home for home in both if old[home] != new[home]),
        unchanged=frozenset(home for home in both if old[home] == new[home]),
        deleted=frozenset(old.keys() - new.keys()),
    )


def start(server: DemoServer, folder: Path) -> subprocess.Popen[bytes]:
    settings = {
        **SETTINGS,
        "FOCUSCRAWL_STORES": f"sqlite:///{folder}/store.sqlite",
        "FOCUSCRAWL_DATA": str(folder),
    }
    command = [sys.executable, "-m", "scrapy", "crawl", "template"]
    command += [word for pair in ARGUMENTS.items() for word in ("-a", "=".join(pair))]
    command += [word for pair in settings.items() for word in ("-s", "=".join(pair))]
    return subprocess.Popen(command, env={**os.environ, **server.proxy_environment})


def kill_half_way(server: DemoServer, folder: Path, requests: int) -> None:
    """Run a crawl and kill it with SIGKILL after a number of requests."""
    until = len(server.web.log) + requests
    deadline = time.monotonic() + _PATIENCE_S
    with start(server, folder) as process:
        while len(server.web.log) < until and process.poll() is None:
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
        process.kill()
    print(f"killed after {requests} requests, and resumed:", flush=True)


def run(firms: Firms, folder: Path) -> list[Row]:
    """Crawl three windows; return the actual and the found changes of each."""
    rows: list[Row] = []
    with DemoServer(DemoWeb(1, 3, more_sites=firms)) as server:
        for window in (1, 2, 3):
            firms.window = window
            firms.engines[SEARCH_HOSTS[0]].fault = "captcha" if window == 3 else ""
            before = records(folder / "store.sqlite")
            if window == 2:
                kill_half_way(server, folder, int(2.5 * len(firms)))
            if code := start(server, folder).wait(_PATIENCE_S):
                sys.exit(f"the crawl of window {window} ended with exit code {code}")
            found = changes(before, records(folder / "store.sqlite"))
            rows.append(Row(window, firms.changes(), found))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firms", type=int, default=100)
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        rows = run(Firms(1, given.firms), Path(folder))
    print("\n| window | | added | updated | unchanged | deleted |\n| --- | --- |" + " ---: |" * 4)
    for row in rows:
        for name, done in (("demo web", row.demo), ("crawl", row.crawl)):
            print(f"| {row.window} | {name} | {' | '.join(str(len(homes)) for homes in done)} |")
    for row in rows:
        for kind, demo, crawl in zip(Changes._fields, row.demo, row.crawl, strict=True):
            for home in sorted(demo ^ crawl):
                print(
                    f"window {row.window}, {kind}: {'missed' if home in demo else 'wrong'} {home}"
                )
    is_equal = all(row.demo == row.crawl for row in rows)
    print(f"\nThe crawl {'found' if is_equal else 'did NOT find'} exactly the changes.")


if __name__ == "__main__":
    main()
