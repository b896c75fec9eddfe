"""Search engines queried one after another, over result pages in memory instead of a network."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.crawling.run_window import Searcher
from focuscrawl.templates.search_engines.search_engine import load_search_engine

NAMES = [f"demo@http://{letter}.example" for letter in "ab"]
NOTHING = '<p class="nothing"></p>'
CAPTCHA = '<form id="captcha"></form>'
Search = Callable[..., Searcher]


def listing(*links: str, more: bool = False) -> str:
    results = "".join(
        f'<div class="result"><h3><a href="{link}">x</a></h3></div>' for link in links
    )
    return f'<div id="results">{results}</div>' + '<a class="next" href="?">下一页</a>' * more


@pytest.fixture
def search() -> Search:
    """Return a searcher that gets the given pages of either engine; a number is a fault."""

    def of(first: list[str | int], second: list[str | int]) -> Searcher:
        left = {"a": iter(first), "b": iter(second)}

        async def fetch(url: str, **meta: object) -> FetchedPage:
            page = next(left[url[len("http://")]])
            if isinstance(page, int):
                return FetchedPage(url, failure=f"HTTP {page}", is_fault=True)
            if page.startswith("http"):
                return FetchedPage(url, location=page)
            return FetchedPage(url, page)

        return Searcher(
            RunningCrawl.of(get_crawler()), fetch, [load_search_engine(name) for name in NAMES], 76
        )

    return of


async def test_what_came_before_a_captcha_counts_and_the_next_engine_goes_on(
    search: Search,
) -> None:
    first = [listing("http://1.example/", more=True), CAPTCHA]
    searcher = search(first, [listing("http://2.example/"), listing("http://3.example/")])
    found = await searcher.search("q")
    urls = [url for url, _ in found.results]
    assert (found.engine, urls, found.is_whole) == (
        NAMES[1],
        ["http://1.example/", "http://2.example/"],
        True,
    )
    assert "a.example asks for a captcha" in searcher._run.notes[0]
    # The one that failed comes last from then on.
    assert (await searcher.search("r")).engine == NAMES[1]


async def test_nothing_is_a_fault_only_where_something_was_found_before(search: Search) -> None:
    found = await search([NOTHING], []).search("q")
    assert (found.results, found.is_whole, found.engine) == ([], True, NAMES[0])
    searcher = search([NOTHING], [NOTHING])
    found = await searcher.search("q", found_some=True)
    assert (found.results, found.is_whole) == ([], False)
    assert "a.example finds nothing, although sites were found before" in searcher._run.notes[0]
    found = await search([NOTHING], [listing("http://2.example/")]).search("q", found_some=True)
    assert ([url for url, _ in found.results], found.is_whole) == (["http://2.example/"], True)


async def test_a_redirect_that_does_not_answer_is_kept_for_the_crawl_to_follow(
    search: Search,
) -> None:
    page = listing("/link?url=1", "/link?url=2", "/link?url=3")
    goes = "<script>location.replace('http://2.example/')</script>"
    found = await search([page, "http://1.example/", goes, 503], []).search("q")
    assert [url for url, _ in found.results] == [
        "http://1.example/",
        "http://2.example/",
        "http://a.example/link?url=3",
    ]
