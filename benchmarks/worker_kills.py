"""Workers of a shared crawl that are killed, stopped for longer than their leases, or lose their server.

    python benchmarks/worker_kills.py [--rounds 30] [--pages 40000] [--seed 1]

Three workers crawl a web of numbers on a Valkey of the benchmark's own. In each round one of them is
killed and replaced, or stopped for a while, or the server is restarted. In the end every page must be
done, and no more pages may have been fetched again than were in flight.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.frontier.redis.worker_kills import crawl_through  # noqa: E402
from tests.servers.redis_server import make_valkey  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--pages", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = make_valkey(Path(folder))
        server.start()
        began = time.monotonic()
        try:
            crawl = crawl_through(server, options.rounds, options.seed, pages=options.pages)
            print(
                f"{options.rounds} rounds in {time.monotonic() - began:.0f} s: {dict(crawl.events)}"
            )
            print(f"states of {options.pages} pages: {dict(crawl.states())}")
        finally:
            server.stop()
        ended = crawl.ended()
        print(
            f"{ended.total() - len(ended)} pages fetched again, {crawl.in_flight()} were in flight when"
            f" workers were killed or lost their shards; all workers saw the end:"
            f" {all(worker.has_ended for worker in crawl.workers)}"
        )


if __name__ == "__main__":
    main()
