"""SIGKILL at random times of a tunnel crawl over the recorded blogs, each followed by a restart.

    python benchmarks/survival.py [--kills 50] [--length 10] [--seeds on_topic] [--learn]

An undisturbed crawl gives the expected pages and the duration. Then the same crawl is killed
repeatedly, once twice in a row, and resumed each time. Lost are pages and items of the undisturbed
crawl that the killed one lacks; doubled are items that are stored twice. With ``--learn`` a crawl
learns online: its order after a restart may differ (links are learned in batches, and a batch that was
incomplete at the kill is a different one after it), and with the order the pages, which is reported.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from focuscrawl.frontier import read_frontier

SHARED = Path(__file__).resolve().parents[2] / "shared/replay"
RECORDING = SHARED / "blogs-2026.warc.gz"
STATES = ("done", "failed", "dropped", "waiting", "leased")


class Crawl(NamedTuple):
    """A crawl with its own frontier and store; all share the index of the recording in ``folder``."""

    folder: Path
    name: str
    arguments: dict[str, str]

    @property
    def frontier(self) -> Path:
        return self.folder / f"{self.name}-frontier.sqlite"

    @property
    def store(self) -> Path:
        return self.folder / f"{self.name}.sqlite"

    def start(self) -> subprocess.Popen[bytes]:
        settings = {
            "FOCUSCRAWL_REPLAY": RECORDING,
            "FOCUSCRAWL_DATA": self.folder / "data",
            "FOCUSCRAWL_FRONTIER": self.frontier,
            "FOCUSCRAWL_STORES": f"sqlite:///{self.store}",
            "LOG_FILE": self.folder / f"{self.name}.log",
            "LOG_LEVEL": "INFO",
            "CONCURRENT_REQUESTS": 1,
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "tunnel"]
        command += [part for pair in self.arguments.items() for part in ("-a", "=".join(pair))]
        command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL
        )

    def to_the_end(self) -> float:
        """Crawl to the end; return the duration in seconds."""
        begun = time.monotonic()
        code = self.start().wait()
        if code:
            sys.exit(f"a crawl ended with {code}; see {self.folder / self.name}.log")
        return time.monotonic() - begun

    def killed_after(self, seconds: float) -> bool:
        """Crawl for at most ``seconds``; return whether the crawl had to be killed."""
        process = self.start()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def counts(self) -> dict[str, int]:
        """Return the number of URLs in each state."""
        if not self.frontier.exists():
            return dict.fromkeys(STATES, 0)
        with read_frontier(self.frontier) as reader:
            total = reader.counts().total()
        return {state: getattr(total, state) for state in STATES}

    def judged(self) -> set[str]:
        """Return the URLs that are done."""
        with read_frontier(self.frontier) as reader:
            return {ended.url for ended in reader.each_ended() if ended.outcome.state == "done"}

    def items(self) -> list[tuple[str, str]]:
        """Return URL and content of each stored page."""
        with closing(sqlite3.connect(self.store)) as connection:
            return connection.execute("SELECT url, content_md5 FROM pages").fetchall()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--topic", default="security")
    parser.add_argument("--seeds", default="on_topic")
    parser.add_argument("--length", type=int, default=10)
    parser.add_argument("--chance", type=int, default=1, help="random seed of the times")
    parser.add_argument("--learn", action="store_true")
    options = parser.parse_args()
    seeds = json.loads((SHARED / "blogs/seeds.json").read_text())[options.topic][options.seeds]
    arguments = {
        "topic": options.topic,
        "seeds": ",".join(seeds),
        "mode": "sparse-tunnel",
        "length": str(options.length),
        "learn": str(options.learn).lower(),
        "text": "plain",
    }
    with tempfile.TemporaryDirectory() as folder:
        report(*compared(Path(folder), arguments, options.kills, random.Random(options.chance)))


def compared(
    folder: Path, arguments: dict[str, str], kills: int, chance: random.Random
) -> tuple[Crawl, Crawl]:
    """Crawl undisturbed, then with ``kills`` kills."""
    calm, killed = (Crawl(folder, name, arguments) for name in ("calm", "killed"))
    # A process with nothing to fetch takes as long as any start; it also builds the index.
    nothing = Crawl(folder, "nothing", {**arguments, "seeds": "http://not.recorded.test/"})
    nothing.to_the_end()
    start = nothing.to_the_end()
    seconds = calm.to_the_end()
    print(
        f"undisturbed: {seconds:.1f} s, of which a start takes {start:.1f}; {calm.counts()}",
        flush=True,
    )
    each = (seconds - start) / kills
    done = again = 0
    while done < kills:
        # The second of two consecutive kills comes before the crawl has started.
        is_second = done == kills // 2
        life = (
            chance.uniform(0.2, 1) * start if is_second else start + chance.uniform(0, 1.4) * each
        )
        if not killed.killed_after(life):
            print(
                f"at its end before kill {done + 1}: the last {kills - done} kills were not needed"
            )
            break
        done += 1
        counts = killed.counts()
        again += counts["leased"]
        if done % 5 == 0 or is_second:
            print(f"kill {done} after {life:.2f} s: {counts}", flush=True)
    else:
        killed.to_the_end()
    print(f"kills: {done}, restarts: {done}, leases returned: {again}")
    return calm, killed


def report(calm: Crawl, killed: Crawl) -> None:
    """Print what was lost and doubled."""
    for name, ours, theirs in (
        ("pages", calm.judged(), killed.judged()),
        ("items", set(calm.items()), set(killed.items())),
    ):
        print(
            f"{name}: {len(ours)} undisturbed, {len(theirs)} killed; "
            f"lost {len(ours - theirs)}, added {len(theirs - ours)}"
        )
    stored = [url for url, _ in killed.items()]
    print(f"doubled: {len(stored) - len(set(stored))}")
    print(f"states undisturbed {calm.counts()}")
    print(f"states killed      {killed.counts()}")


if __name__ == "__main__":
    main()
