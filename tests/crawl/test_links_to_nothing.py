"""Links without an article: tried, counted as failed, and in no table that people read."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping

import openpyxl
import pytest

from focuscrawl.demo import DemoWeb, Response
from focuscrawl.demo.numbered_site import HOST, NumberedSite
from tests.crawl.conftest import TODAY, Crawler, Finished, OddSite
from tests.servers import warm_scrapy

BODY = "<h1>玉米 {0}</h1><div id='body'>玉米 {0}：潍坊0.8元/斤</div>"
FAULTS = {0: 404, 1: 410, 2: 404, 3: 403, 4: 200}


class FaultySite(OddSite):
    """A list of 9 articles, of which five pages have a status of their own and no text."""

    faults: Mapping[int, int] = FAULTS

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        number = path.removeprefix("/").removesuffix(".htm")
        if number.isdigit():
            status = self.faults.get(int(number), 0)
            body = b"" if status else BODY.format(number).encode("gb18030")
            return Response(status or 200, {"Content-Type": "text/html"}, body)
        return super().respond(path, query, headers)


@pytest.fixture
def faulty(
    crawl: Crawler, odd: Callable[..., str], demo: Callable[..., DemoWeb]
) -> tuple[str, FaultySite]:
    argument = odd({})
    items = "".join(f"<li><a href='{n}.htm'>玉米 {n}</a></li>" for n in range(9))
    site = FaultySite({"/": items.encode("gb18030")})
    demo(days=1).sites["odd.test"] = site
    return argument, site


def articles_of(done: Finished) -> dict[str, int]:
    counts: dict[str, int] = json.loads(done.out.splitlines()[-1])["counts"]["articles"]
    return counts


def stored_by(done: Finished) -> dict[str, int]:
    (counts,) = json.loads(done.out.splitlines()[-1])["stores"].values()
    return {name: count for name, count in counts.items() if count}


def test_entries_without_a_page_are_failed_and_not_new(
    crawl: Crawler, faulty: tuple[str, FaultySite]
) -> None:
    argument, site = faulty
    done = crawl("-a", argument, "--json", "-O", "out.csv")
    assert done.code == 3, done.err
    counts = {"new": 4, "changed": 0, "unchanged": 0, "gone": 0, "incomplete": 2, "failed": 3}
    assert articles_of(done) == counts
    assert stored_by(done) == {"new": 4, "incomplete": 2, "failed": 3}
    with (crawl.folder / "out.csv").open(encoding="utf-8-sig") as feed:
        rows = list(csv.DictReader(feed))
    urls = {row.get("url") or row["article_url"] for row in rows}
    assert urls == {f"http://odd.test/{n}.htm" for n in range(5, 9)}
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    exported = ["export", "articles", "-o", "all.jsonl"]
    warm_scrapy.run_bytes(exported, cwd=crawl.folder, env=environment)
    lines = (crawl.folder / "all.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["url"] for line in lines} == urls
    book = openpyxl.load_workbook(crawl.folder / "data/focuscrawl.xlsx", read_only=True)
    cells = {str(cell) for sheet in book for row in sheet.values for cell in row if cell}
    dead = {f"http://odd.test/{n}.htm" for n in range(3)}
    assert dead.isdisjoint(cells)
    # Tried again, with the same result; then there is an article.
    again = crawl("-a", argument, "--json")
    assert articles_of(again) == counts | {"new": 0, "unchanged": 4}
    site.faults = {}
    last = crawl("-a", argument, "--json")
    assert (last.code, articles_of(last)["new"], articles_of(last)["changed"]) == (0, 5, 0)
    assert crawl.rows("select count(*) from articles where gone_at is null") == [(9,)]


def test_an_entry_that_failed_first_and_is_gone_then_is_shown_nowhere(
    crawl: Crawler, faulty: tuple[str, FaultySite]
) -> None:
    argument, site = faulty
    site.faults = {7: 403}
    assert crawl("-a", argument).code == 3
    site.faults = {7: 404}
    assert articles_of(crawl("-a", argument, "--json"))["gone"] == 1
    book = openpyxl.load_workbook(crawl.folder / "data/focuscrawl.xlsx", read_only=True)
    cells = {cell for sheet in book for row in sheet.values for cell in row}
    assert "http://odd.test/7.htm" not in cells
    done = crawl("-a", argument, "--json")
    assert (done.code, articles_of(done)["failed"]) == (0, 1)


def test_missing_numbers_are_not_new_in_a_store(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    crawl.spider = "article"
    demo(more_sites={HOST: NumberedSite(7, 200, today=TODAY, big_mb=0)})
    done = crawl("-a", "profile=demo", "-a", "start=120", "-a", "concurrency=16", "--json")
    report = json.loads(done.out.splitlines()[-1])
    (stored,) = crawl.rows("select count(*) from numbered_articles")
    (missing,) = crawl.rows("select count(*) from missing_numbers where found_at is null")
    assert report["counts"]["articles"]["new"] == stored[0]
    assert missing[0] > 0
    assert report["counts"]["missing"] == {"failed": missing[0], "found": 0}
    assert stored_by(done) == {"new": stored[0], "failed": missing[0]}
