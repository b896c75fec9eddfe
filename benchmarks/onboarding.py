"""Recorded sites onboarded from the URL of a list alone: newsite, a crawl, and a second crawl.

    python benchmarks/onboarding.py [--sites N]

The sites are www.yz88.cn (its recording has the articles with 山东 in the title) and the first N - 1 blogs
in alphabetical order that are not in ``shared/lists``, on which newsite was developed, and whose
recording has /archives/ and at least 15 posts. The truth are the recorded posts (by the page type of each
recorded page, or the recorded articles of yz88) that a recorded list page links to: the first one, and
those that its links with a page number lead to. Pages of the menu, which articles link to as often as the
list, are no posts, even if the page type says so. No connection is opened: the crawls replay the
recordings.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low
from urllib.parse import urlsplit

from lxml.etree import _Element
from parsel import Selector

from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.sites.induction.link_groups import page_links
from focuscrawl.text.page_charset import detect

SHARED = Path(__file__).resolve().parents[2] / "shared"
BLOGS, MAIZE = SHARED / "replay/blogs-2026.warc.gz", SHARED / "replay/maize-2017.warc.gz"
LEAST_POSTS = 15
SHOWN = 5
MAIZE_LIST = "http://www.yz88.cn/sz/List_25.shtml"
MAIZE_PAGES = r"http://www\.yz88\.cn/sz/ShowClass\.asp\?ClassID=25&page=\d+"


@dataclass
class Site:
    """The URL of a list, and the URLs of the recorded articles of its host."""

    url: str
    recording: Path
    articles: set[str]
    arguments: list[str] = field(default_factory=list)


def key_of(url: str) -> str:
    return canonical_url(url).rstrip("/")


def recorded(path: Path) -> set[str]:
    return {key_of(page.url) for page in recorded_pages(path) if page.status == 200}


def links_by_page(path: Path, hosts: Collection[str]) -> dict[str, Counter[str]]:
    """Return how often each recorded page of the hosts links to which URLs."""
    found = {}
    for page in recorded_pages(path):
        if page.status == 200 and urlsplit(page.url).netloc in hosts and page.body.strip():
            tree = Selector(page.body.decode(detect(page.body), "replace"), type="html").root
            found[key_of(page.url)] = Counter(map(key_of, _targets(tree, page.url)))
    return found


def _targets(tree: _Element, url: str) -> Iterator[str]:
    for link in page_links(tree, url):
        with suppress(ValueError):
            yield canonical_url(link.url)


def reachable(
    start: str, further: str, posts: Collection[str], links: Mapping[str, Counter[str]]
) -> set[str]:
    """Return the posts in the list that begins at ``start``, as far as its pages are recorded.

    ``further`` is the pattern of the URLs of its other pages.
    """
    is_list_page = re.compile(further).fullmatch
    pages, waiting = set(), {key_of(start)}
    while waiting:
        page = waiting.pop()
        pages.add(page)
        waiting |= {url for url in links[page] if url in links and is_list_page(url)} - pages
    articles = [links[url] for url in posts if url in links]

    def is_listed(post: str) -> bool:
        usual = median_low(found[post] for found in articles)
        return any(links[page][post] > usual for page in pages)

    return {post for post in posts if post in links and is_listed(post)}


def maize() -> Site:
    # Continuation pages have an underscore.
    links = links_by_page(MAIZE, {urlsplit(MAIZE_LIST).netloc})
    articles = {url for url in links if re.search(r"/sz/\d+\.shtml$", url)}
    return Site(
        MAIZE_LIST, MAIZE, reachable(MAIZE_LIST, MAIZE_PAGES, articles, links), ["-a", "title=山东"]
    )


def blogs(count: int) -> list[Site]:
    with (SHARED / "lists/sites.csv").open(encoding="utf-8-sig") as file:
        tuned = {row["host"] for row in csv.DictReader(file)}
    posts: dict[str, set[str]] = defaultdict(set)
    with (SHARED / "replay/blogs/truth_security.csv").open(encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            if row["page_type"] == "post":
                posts[urlsplit(row["url"]).netloc].add(key_of(row["url"]))
    pages = recorded(BLOGS)
    urls = {host: f"http://{host}/archives/" for host in sorted(posts.keys() - tuned)}
    hosts = [
        host
        for host, url in urls.items()
        if key_of(url) in pages and len(posts[host]) >= LEAST_POSTS
    ][:count]
    links = links_by_page(BLOGS, hosts)
    return [_blog(urls[host], posts[host], links) for host in hosts]


def _blog(url: str, posts: Collection[str], links: Mapping[str, Counter[str]]) -> Site:
    further = re.escape(url) + r"page/\d+"
    return Site(url, BLOGS, reachable(url, further, posts, links))


def scrapy(folder: Path, site: Site, *arguments: str) -> tuple[float, str, int]:
    """Run a command; return its seconds, what it printed, and its exit code."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments, "-s", f"FOCUSCRAWL_REPLAY={site.recording}"],
        cwd=folder,
        env=os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"},
        capture_output=True,
        encoding="utf-8",
    )
    return time.perf_counter() - began, done.stdout + done.stderr, done.returncode


def requests(printed: str) -> str:
    found = re.search(r"(\d+) requests", printed)
    return found[1] if found else "?"


def collected(folder: Path) -> set[str]:
    database = folder / "data/focuscrawl.sqlite"
    if not database.exists():
        return set()
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("select url from articles where length(text) > 0")
        return {key_of(url) for (url,) in rows}


def onboard(site: Site, folder: Path) -> None:
    print(f"\n== {site.url}")
    seconds, printed, code = scrapy(folder, site, "newsite", site.url, "--name", "mine", "--json")
    print(f"scrapy newsite {site.url}: {seconds:.1f} s, exit code {code}")
    if code:
        print(printed)
        return
    facts = json.loads(printed)
    print(f"  {facts['entries']} entries, {facts['pages']} pages, {facts['doubts'] or 'no doubts'}")
    print("".join(f"  | {line}\n" for line in (folder / "sites/mine.yaml").read_text("utf-8").splitlines()), end="")  # fmt: skip
    crawl = ("crawl", "list", "-a", "site=sites/mine.yaml", *site.arguments)
    for name in ("first", "second"):
        seconds, printed, code = scrapy(folder, site, *crawl)
        print(f"scrapy {' '.join(crawl)}: {seconds:.1f} s, exit code {code}, {name} run, {requests(printed)} requests")  # fmt: skip
        for line in printed.splitlines():
            if re.match(r"\s+(?:articles|note|not done)", line) and "replayed" not in line:
                print(f"  {line.strip()}")
    score(collected(folder), site.articles)


def score(found: set[str], truth: set[str]) -> None:
    right = len(found & truth)
    print(f"  {len(found)} articles with text; {right} of the {len(truth)} that recorded list pages link to, {len(found - truth)} others")  # fmt: skip
    for name, urls in (("missing", truth - found), ("other", found - truth)):
        print("".join(f"  {name}: {url}\n" for url in sorted(urls)[:SHOWN]), end="")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("--sites", type=int, default=6)
    given = parser.parse_args(arguments)
    sites = [maize(), *blogs(given.sites - 1)]
    for site in sites:
        with tempfile.TemporaryDirectory() as folder:
            onboard(site, Path(folder))


if __name__ == "__main__":
    main()
