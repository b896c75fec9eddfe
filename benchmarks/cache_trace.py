"""Trace of the links of a breadth-first crawl of the demo web, the input of ``scrapy urlcache``.

python benchmarks/cache_trace.py trace.txt.gz [--communities 500] [--links 1000000]
"""

from __future__ import annotations

import argparse
import gzip
from collections import deque
from datetime import date
from urllib.parse import urlsplit

from focuscrawl.demo import DemoWeb
from focuscrawl.demo.communities.community_web import Communities
from focuscrawl.pages.link_contexts import parse_page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--communities", type=int, default=500)
    parser.add_argument("--links", type=int, default=1_000_000)
    options = parser.parse_args()
    sites = Communities(count=options.communities)
    web = DemoWeb(today=date(2026, 3, 5), more_sites=sites)
    first = f"http://{next(iter(sites))}/"
    waiting, seen, links, pages = deque([first]), {first}, 0, 0
    with gzip.open(options.trace, "wt", encoding="utf-8") as file:
        while waiting and links < options.links:
            url = waiting.popleft()
            response = web.respond(url, {})
            if response.status != 200:
                continue
            pages += 1
            for link in parse_page(response.body, url).links:
                links += 1
                file.write(f"{link.url}\n")
                if link.url not in seen and (urlsplit(link.url).hostname or "").endswith(".test"):
                    seen.add(link.url)
                    waiting.append(link.url)
    print(f"{links:,} links of {pages:,} pages, {len(seen):,} URLs of the demo web known")


if __name__ == "__main__":
    main()
