"""The five spiders on a hostile web with honest sites: completeness, time and memory.

    python -m benchmarks.hostile [--spiders tunnel,labels] [--cases bomb,robots-silent] [--each] [--jobs 2]
        [--honest-first]

Each spider crawls the honest sites alone, then with the hostile ones: tunnel, labels and template with
all of them as seeds of one run, maize and article (and with ``--each`` all spiders) with one per run.
Faults are: an honest row that is lost or changed, memory over ``--memory`` MB, a run over
``--seconds``, honest sites that take more than ``--factor`` times as long as alone, a traceback, an
exit code other than 0, 2 and 3, a connection to an address that is not public. The exit code is 1 if
there are faults.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from tests.hostile.case import Case
from tests.hostile.cases import chosen
from tests.hostile.crawls import SPIDERS, Result, Rows, Spider, run
from tests.hostile.honest import Honest
from tests.hostile.processes import Bounds

MEGABYTE = 1024 * 1024


class Row(NamedTuple):
    """A line of the table."""

    case: str
    spider: str
    result: Result
    faults: list[str]

    def __str__(self) -> str:
        ended = self.result.ended
        outcome = ended.killed or ended.summary.partition(":")[2].strip()[:30] or "?"
        verdict = "; ".join(self.faults) or "ok"
        return (
            f"{self.case:34} {self.spider:9}{outcome:20} {ended.seconds:7.1f} {ended.peak // MEGABYTE:6}"
            f" {ended.code:5}  {verdict}"
        )


class Hostile:
    """All runs, one spider after another."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.cases = chosen(options.cases)[:: options.every]
        self.honest = Honest(options.posts, comes_first=options.honest_first)
        self.folder = folder
        self._count = 0

    def rows(self, spider: Spider) -> Iterator[Row]:
        """Yield the honest run, and then those with hostile cases."""
        alone = self._run(spider, [], self.options.joined_seconds)
        wanted = self._wanted(spider, alone)
        yield Row("(honest sites alone)", spider.name, alone, wanted[1])
        if spider.is_joined and not self.options.each:
            together = self._run(spider, self.cases, self.options.joined_seconds)
            faults = together.faults(wanted[0]) + self._late(alone, together)
            unmet = [case.name for case in self.cases if not _was_requested(case, together)]
            if len(unmet) > len(self.cases) // 2:
                faults.append(f"only {len(self.cases) - len(unmet)} cases were requested")
            yield Row(f"(all {len(self.cases)} cases)", spider.name, together, faults)
            self._tell(alone, together, unmet)
            return
        with ThreadPoolExecutor(self.options.jobs) as pool:
            jobs = {pool.submit(self._run, spider, [case], self.options.seconds): case for case in self.cases}  # fmt: skip
            for job in as_completed(jobs):
                result = job.result()
                faults = result.faults(wanted[0]) + self._late(alone, result)
                yield Row(jobs[job].name, spider.name, result, faults)

    def _run(self, spider: Spider, cases: Sequence[Case], seconds: float) -> Result:
        self._count += 1
        bounds = Bounds(seconds, self.options.memory * MEGABYTE)
        settings = dict(pair.split("=", 1) for pair in self.options.set)
        name = cases[0].name if len(cases) == 1 else f"{len(cases)}-cases"
        folder = self.folder / spider.name / name
        result = run(spider, cases, self.honest, folder, bounds, latency=self.options.latency, settings=settings)  # fmt: skip
        (folder / "facts").write_text(f"{result.ended.code} {result.touched} {result.hosts}")
        return result

    def _wanted(self, spider: Spider, alone: Result) -> tuple[Rows, list[str]]:
        """Return the rows of the honest sites, and the faults without any hostile one."""
        faults = alone.faults(alone.rows)
        urls = {str(row[0]) for row in alone.rows}
        if spider.name == "tunnel" and urls != self.honest.pages():
            faults.append(f"{len(urls)} of {len(self.honest.pages())} honest pages found")
        if not alone.rows:
            faults.append("nothing honest stored")
        return alone.rows, faults

    def _late(self, alone: Result, together: Result) -> list[str]:
        ratio = together.honest_seconds / max(alone.honest_seconds, 0.1)
        if ratio <= self.options.factor:
            return []
        return [f"honest sites took {ratio:.1f} times as long"]

    def _tell(self, alone: Result, together: Result, unmet: Sequence[str]) -> None:
        print(
            f"    last honest page after {alone.honest_seconds:.1f} s alone, {together.honest_seconds:.1f} s"
            f" together ({together.honest_seconds / max(alone.honest_seconds, 0.1):.1f} times); the whole run"
            f" {together.ended.seconds / alone.ended.seconds:.1f} times"
        )
        if unmet:
            print(f"    {len(unmet)} cases were not requested: {', '.join(unmet[:20])}")
        for line in together.ended.out.splitlines():
            print(f"    | {line[:150]}")


def _was_requested(case: Case, result: Result) -> bool:
    return any(host == case.host or host.endswith(f".{case.host}") for host in result.hosts)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--spiders", default=",".join(SPIDERS), help="comma-separated")
    add(
        "--cases",
        default="",
        help="comma-separated names or categories of cases, -NAME to exclude one",
    )
    add("--every", type=int, default=1, help="use only every Nth of these cases")
    add("--each", action="store_true", help="one case per run for all spiders, to find the culprit")
    add("--jobs", type=int, default=1, help="concurrent runs with one case each")
    add("--seconds", type=float, default=120, help="time limit of a run with one case")
    add("--joined-seconds", type=float, default=1800, help="time limit of a run with all cases")
    add(
        "--memory",
        type=int,
        default=1500,
        metavar="MB",
        help="limit for a crawl with its processes",
    )
    add(
        "--factor", type=float, default=2.0, help="limit of the time relative to honest sites alone"
    )
    add("--latency", type=float, default=0.3, help="seconds before each response of an honest site")
    add("--posts", type=int, default=30, help="pages of an honest site about the topic")
    add(
        "--honest-first",
        action="store_true",
        help="among the seeds: where a crawl takes one seed after another, the time that --factor limits is"
        " else that of all hostile ones before",
    )
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the crawls")
    add("--folder", type=Path, help="keep what the crawls leave behind here")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        hostile = Hostile(options, options.folder or Path(temporary))
        print(f"{len(hostile.cases)} hostile cases with honest sites")
        print(
            f"{'case':34} {'spider':9}{'outcome':20} {'seconds':>7} {'MB':>6} {'code':>5}  verdict"
        )
        amiss = total = 0
        for name in options.spiders.split(","):
            for row in hostile.rows(SPIDERS[name]):
                print(row, flush=True)
                total += 1
                amiss += bool(row.faults)
    print(f"{total} runs, {amiss} amiss")
    return 1 if amiss else 0


if __name__ == "__main__":
    sys.exit(main())
