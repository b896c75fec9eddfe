"""The order in which the seeds of a window are crawled, and how they are settled."""

from __future__ import annotations

import random

from scrapy.utils.test import get_crawler

from focuscrawl.crawling.site_crawl import Site
from focuscrawl.crawling.site_queue import SiteQueue
from focuscrawl.items import Seed
from focuscrawl.templates.crawl_windows import Window
from focuscrawl.templates.seed_search import SeedLists
from tests.stores.record_examples import seed, template_record

KNOWN = template_record(1)


def queue_of(*seeds: Seed, window: Window | None = None, crawls_all: bool = True) -> SiteQueue:
    lists = SeedLists("template-contacts", 2)
    lists.resume(seeds)
    window = window or Window(2, [KNOWN])
    return SiteQueue(get_crawler(), lists, window, randomness=3, crawls_all=crawls_all)


def settled(kind: str, site: Site) -> tuple[str, list[str], int]:
    """Return the state of the known site's seed, the URLs kept of it, and how many are gone."""
    window = Window(2, [KNOWN])
    queue = queue_of(seed(1), window=window)
    assert not list(queue.skip())
    (one,) = [queue.next()]
    assert one
    *records, done = queue.settle(one, site, keeps_all=kind == "page")
    assert isinstance(done, Seed)
    return done.state, [record.url for record in records], len(window.gone())


def test_a_page_without_response_keeps_what_is_known_and_nothing_else_from_being_new() -> None:
    home, new = template_record(2, url=KNOWN.seed), template_record(3, url=f"{KNOWN.seed}new")
    arrived = KNOWN.seed
    # The home page instead of the contact page, and the contact page beside another fault.
    assert settled("site", Site(arrived, [home], is_faulty=True)) == ("failed", [], 0)
    assert settled("site", Site(arrived, [KNOWN], is_faulty=True)) == ("useful", [KNOWN.url], 0)
    assert settled("site", Site(arrived, [home])) == ("useful", [home.url], 1)
    # One of many pages.
    assert settled("page", Site(arrived, [new], is_faulty=True)) == ("failed", [new.url], 0)
    assert settled("page", Site(arrived, [new])) == ("useful", [new.url], 1)


def test_the_choice_does_not_depend_on_the_order_in_which_sites_are_through() -> None:
    seeds = [seed(number, url=f"http://firm{number}.example/") for number in range(1, 41)]

    def choice(dice: random.Random) -> dict[str, str]:
        """Crawl up to 8 sites at once, that end in any order; every third is useful."""
        queue = queue_of(*seeds, crawls_all=False)
        states, crawled = {}, []
        while True:
            states |= {one.url: one.state for one in queue.skip()}
            while len(crawled) < 8 and (one := queue.next()):
                crawled.append(one)
            if not crawled:
                return states
            one = crawled.pop(dice.randrange(len(crawled)))
            site = Site(one.url, [], is_repeat=one.rank % 3 == 0)
            *_, done = queue.settle(one, site, keeps_all=False)
            assert isinstance(done, Seed)
            states[done.url] = done.state

    first = choice(random.Random(1))
    assert len(first) == len(seeds)
    assert set(first.values()) == {"useful", "useless", "skipped"}
    assert all(choice(random.Random(n)) == first for n in range(2, 12))
