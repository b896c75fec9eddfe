"""The state of a seed whose site was crawled, and the records that are kept of it."""

from __future__ import annotations

from scrapy.utils.test import get_crawler

from focuscrawl.crawling.site_crawl import CrawledSite
from focuscrawl.crawling.site_outcome import site_outcome
from focuscrawl.templates.crawl_windows import Window
from tests.stores.record_examples import seed, template_record

KNOWN = template_record(1)


def settled(kind: str, site: CrawledSite) -> tuple[str, list[str], int]:
    """Return the state of the known site's seed, the URLs kept of it, and how many are gone."""
    window = Window(2, [KNOWN])
    records, done = site_outcome(get_crawler(), window, seed(1), site, keeps_all=kind == "page")
    window.settle(done, site.arrived)
    return done.state, [record.url for record in records], len(window.gone())


def test_a_page_without_response_keeps_what_is_known_and_nothing_else_from_being_new() -> None:
    home, new = template_record(2, url=KNOWN.seed), template_record(3, url=f"{KNOWN.seed}new")
    arrived = KNOWN.seed
    # The home page instead of the contact page, and the contact page beside another fault.
    assert settled("site", CrawledSite(arrived, [home], is_faulty=True)) == ("failed", [], 0)
    assert settled("site", CrawledSite(arrived, [KNOWN], is_faulty=True)) == (
        "useful",
        [KNOWN.url],
        0,
    )
    assert settled("site", CrawledSite(arrived, [home])) == ("useful", [home.url], 1)
    # One of many pages.
    assert settled("page", CrawledSite(arrived, [new], is_faulty=True)) == ("failed", [new.url], 0)
    assert settled("page", CrawledSite(arrived, [new])) == ("useful", [new.url], 1)
