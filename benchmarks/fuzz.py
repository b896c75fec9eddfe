"""Fuzzing of all readers with mutations of recorded pages.

    python benchmarks/fuzz.py [--mutations 1000000] [--processes 2] [--seed N] [--seconds LIMIT] [--keep DIR]
        [--excerpts SHARE]

Recorded pages are damaged (bytes, tags, attributes, repetitions, encodings, truncations, splices,
words that the reader looks for), and each is read by one reader in turn, in separate processes with
limits of memory and time. A ProfileError is expected; every other exception, a process that dies, and
a page over its deadline are findings: counted by location, the first of each saved in ``--keep``,
minimised and with its traceback. The exit code is 1 if there are any.

``--index N`` repeats one mutation of a run with the same pages and seed in this process.
"""

from __future__ import annotations

import argparse
import heapq
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.fuzz.readers import load_pages, readers  # noqa: E402
from tests.fuzz.workers import Fuzzing, Job, Limits, Outcome, shrunk  # noqa: E402

SHARED = ROOT.parent / "shared"
FALLBACK = Path("/work/shared")
PAGES_OF_A_KIND = 1500
DEFAULT_READERS = 5
SLOWEST = 10
SHRINK_SECONDS = 15.0
PROGRESS_EVERY = 500


def main() -> int:
    options = arguments()
    known = readers()
    names = options.readers.split(",") if options.readers else list(known)[:DEFAULT_READERS]
    pages = load_pages(SHARED if SHARED.exists() else FALLBACK, PAGES_OF_A_KIND)
    limits = Limits(options.deadline, int(options.memory * 1024**3))
    chosen = [known[name] for name in names]
    job = Job(pages, chosen, options.seed, limits, options.excerpts)
    if options.index is not None:
        return again(job, options.index)
    print(", ".join(f"{len(some)} {kind}" for kind, some in pages.items()) + ": recorded pages")
    report = Report(job)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as logs:
        fuzzing = Fuzzing(job, options.processes, Path(logs))
        for outcome in until_interrupted(fuzzing.run(options.mutations, options.seconds)):
            report.add(outcome)
            if sys.stdout.isatty() and report.count % PROGRESS_EVERY == 0:
                rate = report.count / (time.monotonic() - begun)
                print(f"\r{report.count} read, {rate:.0f} a second, {len(report.firsts)} findings ",
                      end="", flush=True)  # fmt: skip
    report.print(time.monotonic() - begun, options.mutations)
    report.keep(options.keep)
    return 1 if report.firsts else 0


def until_interrupted(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    """Yield outcomes until Ctrl-C, so that the findings are reported."""
    try:
        yield from outcomes
    except KeyboardInterrupt:
        print("\ninterrupted")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--mutations", type=int, default=1_000_000)
    add("--processes", type=int, default=2)
    add("--seed", type=int, default=1)
    add("--seconds", type=float, default=float("inf"), help="time limit of the run")
    add("--deadline", type=float, default=Limits().seconds, help="seconds per page")
    add("--memory", type=float, default=2, help="GiB of address space per process")
    add("--excerpts", type=float, default=0.0, help="share of mutations that start from a part of a page")  # fmt: skip
    add("--readers", default="", help=f"comma-separated, of: {', '.join(readers())}")
    add("--keep", type=Path, help="folder for the page of each finding")
    add("--index", type=int, help="read this mutation alone")
    return parser.parse_args()


def again(job: Job, index: int) -> int:
    page = job.page(index)
    print(job.reader(index).name, page.url, page.content_type, len(page.body), "bytes")
    begun = time.perf_counter()
    job.reader(index).read(page, job.random(-1 - index))
    print(f"read in {time.perf_counter() - begun:.2f} s")
    return 0


class Report:
    """What came of all mutations."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.count = 0
        self.firsts: dict[tuple[str, str, str], Outcome] = {}
        self._findings: Counter[tuple[str, str, str]] = Counter()
        self._counts: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._slowest: list[tuple[float, Outcome]] = []

    def add(self, outcome: Outcome) -> None:
        name = self.job.reader(outcome.number).name
        self.count += 1
        self._counts[name] += 1
        self._seconds[name] += outcome.seconds
        heapq.heappush(self._slowest, (outcome.seconds, outcome))
        if len(self._slowest) > SLOWEST:
            heapq.heappop(self._slowest)
        if outcome.fault:
            key = (name, outcome.fault, outcome.place)
            self._findings[key] += 1
            first = self.firsts.get(key)
            if first is None or outcome.size < first.size:
                self.firsts[key] = outcome

    def print(self, seconds: float, wanted: int) -> None:
        print(f"\n{self.count} of {wanted} mutations in {seconds:.0f} s, seed {self.job.seed}")
        print(f"{'reader':20}{'read':>9}{'ms each':>9}{'findings':>10}")
        for name, count in self._counts.items():
            found = sum(number for key, number in self._findings.items() if key[0] == name)
            print(f"{name:20}{count:9}{1000 * self._seconds[name] / count:9.1f}{found:10}")
        print(f"\nslowest (seconds of the processor)\n{'seconds':>8}{'bytes':>10}  reader (index)")
        for taken, outcome in sorted(self._slowest, reverse=True):
            name = self.job.reader(outcome.number).name
            print(f"{taken:8.2f}{outcome.size:10}  {name} ({outcome.number}) {outcome.fault}")
        print(f"\n{len(self.firsts)} findings")
        for key, count in self._findings.most_common():
            name, fault, place = key
            first = self.firsts[key]
            print(f"{count:7}  {name}: {fault} at {place or '?'} ({first.size} bytes, index {first.number})")  # fmt: skip

    def keep(self, folder: Path | None) -> None:
        """Write page, traceback and the shrunken page of each finding."""
        if not folder or not self.firsts:
            return
        folder.mkdir(parents=True, exist_ok=True)
        for number, ((name, fault, _), outcome) in enumerate(self.firsts.items(), 1):
            stem = re.sub(r"[^\w-]+", "-", f"{number:02}-{name}-{fault}-{outcome.number}")
            page = self.job.page(outcome.number)
            (folder / f"{stem}.html").write_bytes(page.body)
            head = f"{name}: {page.url} {page.content_type!r} {describe(outcome)}\n"
            (folder / f"{stem}.txt").write_text(head + outcome.details, "utf-8", "replace")
            if fault.isidentifier():
                (folder / f"{stem}-small.html").write_bytes(shrunk(self.job, outcome, SHRINK_SECONDS))  # fmt: skip
        print(f"pages and tracebacks: {folder}")


def describe(outcome: Outcome) -> str:
    facts: Mapping[str, object] = outcome._asdict()
    return " ".join(f"{name}={facts[name]}" for name in ("number", "size", "seconds", "fault", "place"))  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
