"""Cost of a replay: a trivial spider over the recorded blogs, with the replay and with the replay proxy.

1. Index: seconds to build it, to open it, and to open one of 100,000 responses; µs per response.
2. A spider that requests every recorded URL and does nothing else: pages/s with the replay, with the
   replay proxy (same machine), and with the replay while everything is recorded again; whole
   processes, alternately. The received pages are compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.replay.recorded_web import Recording
from focuscrawl.replay.warc_recorder import Exchange, Recorder

SHARED = Path(__file__).resolve().parents[2] / "shared"
RECORDING = SHARED / "replay/blogs-2026.warc.gz"

SPIDER = """
import hashlib, json, time
from scrapy import Request, Spider

class Trivial(Spider):
    name = "trivial"
    custom_settings = {
        "ADDONS": {"focuscrawl.addon.FocuscrawlAddon": 500}, "FOCUSCRAWL_MANNERS": True, "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False,
        "REDIRECT_ENABLED": False, "HTTPERROR_ALLOW_ALL": True,
        "ITEM_PIPELINES": {f"focuscrawl.pipelines.{name}": None for name in
                           ("dedup.DedupPipeline", "prices.PricesPipeline", "store.StorePipeline")},
        "EXTENSIONS": {f"focuscrawl.extensions.{name}": None for name in
                       ("single_run.SingleRun", "progress_display.ProgressLine", "run_summary.RunSummary")},
    }
    async def start(self):
        self.began, self.got = time.perf_counter(), {}
        for url in open("urls.txt").read().split():
            yield Request(url, dont_filter=True)
    def parse(self, response):
        self.got[response.url] = f"{response.status} {hashlib.md5(response.body).hexdigest()}"
    def closed(self, reason):
        seconds = time.perf_counter() - self.began
        json.dump({"seconds": seconds, "got": self.got}, open("got.json", "w"))
"""


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def index(urls: list[str], folder: Path) -> None:
    def opened(path: Path = RECORDING) -> Recording:
        return Recording([path], folder, canonical_url)

    build = timed(lambda: opened().close())
    web = opened()
    shuffled = random.Random(1).sample(urls, len(urls))
    answers = timed(lambda: [web.answer(url) for url in shuffled]) / len(urls)
    web.close()
    many = folder / "many.warc.gz"
    recorder = Recorder(many, "benchmark")
    for n in range(100_000):
        recorder.write(
            Exchange(f"http://{n % 97}.test/{n}", "GET", [], b"", 200, "HTTP/1.1", [], b"x")
        )
    recorder.close()
    build_many, open_many = (timed(lambda: opened(many).close()) for _ in range(2))
    print(
        f"index: {len(urls)} URLs built in {build:.1f} s, a response in {answers * 1e6:.0f} us (lookup,"
        f" read, gunzip, parse); 100,000 responses built in {build_many:.1f} s, opened in"
        f" {open_many * 1000:.1f} ms"
    )


@contextmanager
def proxy() -> Iterator[str]:
    command = [sys.executable, SHARED / "replay/replay_proxy.py", RECORDING, "--port", "0"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().rsplit(':', 1)[1].strip()}"
        process.terminate()


def crawl(folder: Path, address: str, *arguments: str) -> dict[str, object]:
    environment = os.environ | {
        "http_proxy": address, "https_proxy": address, "SCRAPY_SETTINGS_MODULE": "",
    }  # fmt: skip
    subprocess.run(
        [sys.executable, "-m", "scrapy", "runspider", "trivial.py", "-L", "ERROR", *arguments],
        check=True, cwd=folder, env=environment,
    )  # fmt: skip
    return json.loads((folder / "got.json").read_text())


def crawls(urls: list[str], rounds: int, folder: Path) -> None:
    (folder / "trivial.py").write_text(SPIDER)
    (folder / "urls.txt").write_text("\n".join(urls))
    nowhere = "http://127.0.0.1:9"
    replay = ("-s", f"FOCUSCRAWL_REPLAY={RECORDING}", "-s", f"FOCUSCRAWL_DATA={folder}")
    seconds: dict[str, list[float]] = {"replay": [], "proxy": [], "replay, recorded": []}
    prints = {}
    with proxy() as address:
        for _ in range(rounds):
            runs = {
                "replay": crawl(folder, nowhere, *replay),
                "proxy": crawl(folder, address),
                "replay, recorded": crawl(folder, nowhere, *replay, "-s", "FOCUSCRAWL_WARC=w.warc.gz"),
            }  # fmt: skip
            for name, run in runs.items():
                seconds[name].append(run["seconds"])
                prints[name] = hashlib.md5(
                    json.dumps(run["got"], sort_keys=True).encode()
                ).hexdigest()
            copy = [
                (page.url, page.status, page.body) for page in recorded_pages(folder / "w.warc.gz")
            ]
            (folder / "w.warc.gz").unlink()
    pages = len(urls)
    speeds = {name: pages / statistics.median(times) for name, times in seconds.items()}
    text = ", ".join(f"{name} {speed:,.0f}" for name, speed in speeds.items())
    same = "the same pages" if len(set(prints.values())) == 1 else "NOT THE SAME PAGES"
    print(f"crawl: {pages} URLs, pages/s: {text}; {same}; {len(copy)} recorded again")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not RECORDING.exists():
        sys.exit(f"the recorded blogs are not here ({RECORDING}); nothing measured")
    urls = list(dict.fromkeys(page.url for page in recorded_pages(RECORDING)))
    with tempfile.TemporaryDirectory() as folder:
        index(urls, Path(folder))
        crawls(urls, options.rounds, Path(folder))


if __name__ == "__main__":
    main()
