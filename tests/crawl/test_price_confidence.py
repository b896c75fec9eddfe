"""Confidence of prices to trust, as the profile of a site says."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import resources

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler
from tests.servers import warm_scrapy


def test_a_profile_says_which_prices_to_trust_unless_a_setting_does(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=2)
    shipped = (resources.files("focuscrawl.sites") / "demo.yaml").read_text("utf-8")
    strict = shipped.replace("name: demo", "name: strict").replace(": 0.79", ": 1")
    (crawl.folder / "strict.yaml").write_text(strict, "utf-8")
    doubted = "select sum(flag like '可信度%'), count(*) from quotes"
    assert crawl("-a", "site=strict.yaml").code == 0
    ((count, of_all),) = crawl.rows(doubted)
    assert count == of_all > 0
    crawl.database.unlink()
    assert crawl("-a", "site=strict.yaml", "-s", "FOCUSCRAWL_PRICE_CONFIDENCE=0").code == 0
    assert crawl.rows(doubted) == [(0, of_all)]


def test_stored_articles_are_read_again_with_the_confidence_of_their_site(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=2)
    assert crawl("-a", "site=demo").code == 0
    before = crawl.rows("select flag from quotes order by 1")
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "focuscrawl.settings"}
    run = warm_scrapy.run(["reread"], cwd=crawl.folder, env=environment)
    assert run.stdout.endswith(" 0 with other quotes\n"), run.stderr
    assert crawl.rows("select flag from quotes order by 1") == before
