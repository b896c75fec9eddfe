"""Savings and misses of the choice among seeds, on 556 sites of the demo web.

One crawl of all seeds gives the cost and the records of each site. Then twenty choices are simulated
on its results with the code of a crawl, and one of them is crawled as well, to compare.

    python benchmarks/seed_choice.py [--firms 556] [--choices 20] [--no-crawl]

``--no-crawl`` takes costs and records from the data of the demo web, within a second.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from focuscrawl.demo import DemoServer, DemoWeb
from focuscrawl.demo.firms.firm_web import SEARCH_HOSTS, Firms
from focuscrawl.templates.seed_choice import SeedChoice

REGION, ENTITY = "四川", "软件公司"
QUERY = REGION + ENTITY
FRESH = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "LOG_LEVEL=WARNING"]


class Site(NamedTuple):
    """Cost of a seed in pages, and whether it gives a record."""

    pages: int
    is_useful: bool


class Run(NamedTuple):
    """Totals of a crawl, or of a simulated one."""

    seeds: int
    pages: int
    useful: int

    @property
    def useful_per_page(self) -> float:
        return self.useful / self.pages


def home(url: str) -> str:
    return urljoin(url, "/")


def crawl(firms: Firms, *arguments: str) -> dict[str, Site]:
    """Crawl the firms; return the crawled sites by seed, in order of rank."""
    web = DemoWeb(1, 3, more_sites=firms)
    with DemoServer(web) as server, tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "store.sqlite"
        command = [sys.executable, "-m", "scrapy", "crawl", "template", "-a", "template=contacts"]
        command += ["-a", f"region={REGION}", "-a", f"entity={ENTITY}", "-a", "engine=demo"]
        command += ["-a", "pages=76", *(part for one in arguments for part in ("-a", one)), *FRESH]
        command += ["-s", f"FOCUSCRAWL_STORES=sqlite:///{database}"]
        command += ["-s", f"FOCUSCRAWL_DATA={folder}"]
        subprocess.run(command, check=True, env={**os.environ, **server.proxy_environment})
        pages = Counter(home(url) for _, url in web.log if urlsplit(url).path != "/robots.txt")
        states = list(_states(database))
    return {
        url: Site(pages[home(url)], state == "useful")
        for url, state in states
        if state != "skipped"
    }


def _states(database: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as connection:
        yield from connection.execute("SELECT url, state FROM seeds ORDER BY rank")


def known(firms: Firms) -> dict[str, Site]:
    """Return the sites from the data of the demo web: a useful one costs its home and contact pages."""
    contacts = {one.home: one.contact_url for one in firms.truth()}
    return {
        one.url: Site(1 + (contacts.get(home(one.url)) != home(one.url)), one.is_useful)
        for one in firms.engines[SEARCH_HOSTS[0]].found(QUERY)
    }


def choose(sites: Mapping[str, Site], randomness: int) -> list[str]:
    """Return the seeds that a simulated choice crawls, given the results of each site."""
    choice = SeedChoice(list(sites), randomness)
    while not choice.is_finished:
        for one in choice.ready():
            if one.is_chosen:
                choice.settle(one.url, sites[one.url].is_useful)
    return [one.url for one in choice.decisions() if one.is_chosen]


def total(sites: Mapping[str, Site], chosen: Sequence[str]) -> Run:
    return Run(
        seeds=len(chosen),
        pages=sum(sites[url].pages for url in chosen),
        useful=sum(sites[url].is_useful for url in chosen),
    )


def show(name: str, run: Run, everything: Run) -> None:
    shares = [f"{value / whole:.0%}" for value, whole in zip(run, everything, strict=True)]
    cells = [part for pair in zip(run, shares, strict=True) for part in pair]
    print(f"| {name} | {' | '.join(map(str, cells))} | {run.useful_per_page:.3f} |")


def mean(runs: Sequence[Run]) -> Run:
    return Run(*(round(statistics.mean(column)) for column in zip(*runs, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firms", type=int, default=556)
    parser.add_argument("--choices", type=int, default=20)
    parser.add_argument("--no-crawl", action="store_true")
    given = parser.parse_args()

    firms = Firms(1, given.firms)
    sites = known(firms) if given.no_crawl else crawl(firms, "all=true")
    everything = total(sites, list(sites))
    runs = [total(sites, choose(sites, number)) for number in range(1, given.choices + 1)]
    print("| crawl | seeds | of all | pages | of all | useful sites | of all | useful a page |")
    print("| --- |" + " ---: |" * 7)
    show("all seeds", everything, everything)
    show(f"choice, mean of {len(runs)}", mean(runs), everything)
    columns = list(zip(*runs, strict=True))
    show("choice, least", Run(*map(min, columns)), everything)
    show("choice, most", Run(*map(max, columns)), everything)
    if not given.no_crawl:
        crawled = crawl(firms, "random=1")
        show("choice 1, crawled", total(crawled, list(crawled)), everything)
        same = set(crawled) == set(choose(sites, 1))
        print(f"\nChoice 1 crawled the {'same' if same else 'OTHER'} sites as in the simulation.")


if __name__ == "__main__":
    main()
