"""Profiles drafted from recorded list pages, scored by hand-made truth.

    python -m benchmarks.lists [FOLDER] [--out FOLDER] [--errors]

FOLDER holds ``sites.csv`` (host, list_url), ``entries.csv``, ``articles.csv`` (url) and ``score.py``
(default: ../shared/lists next to the repository); the recordings are those of ../shared. A profile is
drafted for each host from its list page and its recorded articles, and what the profile reads is scored.
The weights and expressions of ``focuscrawl.sites.induction`` were set on these hosts: the figures are no
forecast for others.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lxml.etree import _Element
from parsel import Selector

from benchmarks.harness import SHARED
from focuscrawl.errors import ProfileError
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.sites.induction.profile_draft import draft_articles
from focuscrawl.sites.page_reading import ListEntry, ListPage, read_article_page, read_list
from focuscrawl.sites.site_profile import ArticleRules, ListRules, Rule, SiteProfile
from focuscrawl.text.page_charset import detect
from focuscrawl.text.page_repair import repaired

WARCS = ("replay/blogs-2026.warc.gz", "replay/maize-2017.warc.gz", "contacts/contacts.warc.gz")
TODAY = date(2026, 11, 1)
_NO_LIST = ListRules(entry=Rule(css="a"), link=Rule(xpath="./@href"), title=Rule(xpath="."))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def key_of(url: str) -> str:
    """Return a URL as the recordings and the truth may both spell it."""
    return canonical_url(url).rstrip("/").removesuffix(".html").removesuffix(".htm")


def trees(urls: Iterable[str]) -> dict[str, _Element]:
    """Return the trees of the recorded pages of those URLs, by their keys."""
    wanted = {key_of(url) for url in urls}
    found = {}
    for warc in WARCS:
        for page in recorded_pages(SHARED / warc):
            key = key_of(page.url)
            if page.status == 200 and key in wanted:
                text = page.body.decode(detect(page.body), "replace")
                found[key] = Selector(repaired(text.lstrip("\ufeff")), type="html").root
    return found


def profile(url: str, lists: ListRules, articles: ArticleRules) -> SiteProfile:
    return SiteProfile(name="drafted", start_urls=[url], list=lists, article=articles)


def read_lists(sites: Sequence[dict[str, str]], pages: dict[str, _Element]) -> dict[str, ListPage]:
    """Return what the drafted rules read on each list page, by its URL."""
    read = {}
    for site in sites:
        url = site["list_url"]
        try:
            rules = draft_list(pages[key_of(url)], url, TODAY).rules
            read[url] = read_list(
                pages[key_of(url)], url, profile(url, rules, ArticleRules()), TODAY
            )
        except ProfileError as error:
            print(f"{url}: {error}")
    return read


def read_articles(
    urls: Sequence[str], lists: dict[str, ListPage], pages: dict[str, _Element]
) -> list[tuple[Any, ...]]:
    """Return URL, title, date and text of each article, by rules drafted for its host."""
    listed = {key_of(entry.url): entry for page in lists.values() for entry in page.entries}
    list_url = {urlsplit(url).netloc: url for url in lists}
    of_host: dict[str, list[ListEntry]] = defaultdict(list)
    for url in urls:
        known = listed.get(key_of(url)) or ListEntry(url, "", None, "")
        of_host[urlsplit(url).netloc].append(ListEntry(url, known.title, known.published, ""))
    found: list[tuple[Any, ...]] = []
    for host, entries in of_host.items():
        examples = [(entry, pages[key_of(entry.url)]) for entry in entries]
        list_page = pages[key_of(list_url[host])] if host in list_url else examples[0][1]
        draft = draft_articles(examples, list_page, TODAY)
        for doubt in draft.doubts:
            print(f"{host}: {doubt}")
        for entry, page in examples:
            rules = profile(entry.url, _NO_LIST, draft.rules)
            read = read_article_page(page, entry.url, rules, TODAY)
            published = read.published or entry.published or ""
            found.append((entry.url, read.title or entry.title, published, read.text))
    return found


def write(path: Path, columns: str, lines: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns.split())
        writer.writerows(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED / "lists")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep the predictions there")
    parser.add_argument("--errors", action="store_true", help="list each miss")
    given = parser.parse_args()
    sites = rows(given.folder / "sites.csv")
    articles = [row["url"] for row in rows(given.folder / "articles.csv")]
    pages = trees([*(site["list_url"] for site in sites), *articles])
    lists = read_lists(sites, pages)
    with tempfile.TemporaryDirectory() as workspace:
        out: Path = given.out or Path(workspace)
        out.mkdir(parents=True, exist_ok=True)
        entries = [(url, e.url, e.title, e.published or "") for url, page in lists.items() for e in page.entries]  # fmt: skip
        write(out / "entries.csv", "list_url url title date", entries)
        write(out / "sites.csv", "list_url next_url", [(url, page.next_url) for url, page in lists.items()])  # fmt: skip
        write(out / "articles.csv", "url title date text", read_articles(articles, lists, pages))
        score = [sys.executable, str(given.folder / "score.py")]
        for kind in ("entries", "sites", "articles"):
            score += [f"--{kind}", str(out / f"{kind}.csv")]
        sys.stdout.flush()
        subprocess.run([*score, *(["--errors"] if given.errors else [])], check=True)


if __name__ == "__main__":
    main()
