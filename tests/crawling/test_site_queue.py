"""The choice of the seeds of a window by their outcomes."""

from __future__ import annotations

import random
from dataclasses import replace

from focuscrawl.crawling.site_crawl import SiteQueue
from focuscrawl.templates.crawl_windows import Window
from focuscrawl.templates.seed_choice import SeedLine
from focuscrawl.templates.seed_search import SeedLists
from tests.stores.record_examples import seed


def test_the_choice_does_not_depend_on_the_order_in_which_sites_are_through() -> None:
    seeds = [seed(number, url=f"http://firm{number}.example/") for number in range(1, 41)]

    def choice(dice: random.Random) -> dict[str, str]:
        """Crawl up to 8 sites at once, that end in any order; every third is useful."""
        lists = SeedLists("template-contacts", 2)
        lists.resume(seeds)
        line = SeedLine()
        queue = SiteQueue(lists, Window(2, []), line, randomness=3, crawls_all=False)
        states, crawled = {}, []
        while True:
            states |= {one.url: one.state for one in queue.skip()}
            while len(crawled) < 8 and (one := line.next()):
                crawled.append(one)
            if not crawled:
                assert queue.is_finished
                return states
            assert not queue.is_finished
            one = crawled.pop(dice.randrange(len(crawled)))
            done = replace(one, state="useless" if one.rank % 3 else "useful")
            queue.settle(done)
            states[done.url] = done.state

    first = choice(random.Random(1))
    assert len(first) == len(seeds)
    assert set(first.values()) == {"useful", "useless", "skipped"}
    assert all(choice(random.Random(n)) == first for n in range(2, 12))
