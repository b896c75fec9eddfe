"""robots.txt, obeyed by requests that come all at once."""

from __future__ import annotations

from collections.abc import Callable

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler
from tests.crawl.test_addon import make_project, scrapy

SPIDER = """
import scrapy

class Hasty(scrapy.Spider):
    name = "hasty"

    async def start(self):
        for number in range(8):
            for path in ("private/", "list/"):
                url = f"http://bulletins.demo.test/{path}?{number}"
                yield scrapy.Request(url, dont_filter=True)

    def parse(self, response):
        yield {"url": response.url}
"""


def test_what_is_forbidden_is_not_requested_by_those_that_waited_for_the_rules(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    web = demo(days=3, latency_ms=100)
    make_project(crawl.folder)
    (crawl.folder / "theirs" / "spiders" / "hasty.py").write_text(SPIDER)
    run = scrapy(crawl, "crawl", "hasty", "-s", "FOCUSCRAWL_MANNERS=True", "-s", "DOWNLOAD_DELAY=0", "-s", "CONCURRENT_REQUESTS=16",
                 "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")  # fmt: skip
    assert run.returncode == 0, run.stderr
    requested = [request.url for request in web.log]
    assert requested.count("http://bulletins.demo.test/robots.txt") == 1
    assert not [url for url in requested if "/private/" in url]
    assert len([url for url in requested if "/list/" in url]) == 8
