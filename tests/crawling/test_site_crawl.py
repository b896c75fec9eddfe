"""One site after another, crawled as far as it answers: over pages in memory instead of a network."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.crawling import site_crawl as sites
from focuscrawl.crawling.fetched_page import FetchedPage
from focuscrawl.crawling.scheduled_walk import Fetch
from focuscrawl.crawling.site_crawl import CrawledSite, SiteCrawl, site_outcome
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.scoring.lexicon_scorer import KeywordScorer
from focuscrawl.scoring.score_cache import CachedScorer
from focuscrawl.templates.crawl_windows import Window
from focuscrawl.templates.link_screening import Screen
from focuscrawl.templates.searched_regions import Regions
from focuscrawl.templates.seed_choice import SeedLine
from focuscrawl.templates.template_model import load_template
from tests.stores.record_examples import seed, template_record

HOME = "http://a.example/"
DATA = "<p>公司名称：四川天路软件有限公司</p><p>电话：028-85120001</p>"
Pages = dict[str, str | int]


class Web(NamedTuple):
    """Pages by URL (a number is a status, a URL a redirect), and the requests for each."""

    pages: Pages
    requested: Counter[str]
    fetch: Fetch
    crawl_of: Callable[..., SiteCrawl]


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Web:
    """A web without a network, and sites to crawl on it."""
    pages: Pages = {}
    requested: Counter[str] = Counter()

    async def fetch(url: str, **meta: Any) -> FetchedPage:
        await asyncio.sleep(0)
        requested[url] += 1
        page = pages.get(url, 404)
        if isinstance(page, str) and page.startswith("http://"):
            return await fetch(page)
        if isinstance(page, int):
            return FetchedPage(url, failure=f"HTTP {page}", is_fault=page >= 500)
        parsed = parse_page(page, url)
        return FetchedPage(url, page, parsed=parsed, links=scorer.score(parsed.links))

    async def read_in_worker(function: Callable[..., Any], *arguments: object) -> Any:
        return function(*arguments)

    scorer = CachedScorer(KeywordScorer("t", Screen(load_template("contacts").screening).keywords))
    monkeypatch.setattr(sites, "read_in_worker", read_in_worker)
    monkeypatch.setattr(sites, "scorer_of", lambda crawler, topic: scorer)

    def crawl_of(**changes: Any) -> SiteCrawl:
        template = load_template("contacts").model_copy(update=changes)
        return SiteCrawl(get_crawler(), template, Screen(template.screening), Regions(()), "c", 2)

    return Web(pages, requested, fetch, crawl_of)


def urls_of(site: CrawledSite) -> list[str]:
    return [record.url for record in site.records]


async def test_seeds_of_one_site_that_lead_to_one_another_lose_no_record(
    web: Web,
) -> None:
    pages, _, fetch, crawl_of = web
    one, other = f"{HOME}contact/", f"{HOME}contact/map.html"
    pages[one] = f'{DATA}<a href="map.html">联系方式</a>'
    pages[other] = f'{DATA}<a href="/contact/">联系我们</a>'
    crawl = crawl_of()
    both = await asyncio.gather(crawl.crawl(one, fetch), crawl.crawl(other, fetch))
    assert [url for site in both for url in urls_of(site)]
    crawl = crawl_of()
    first, second = await crawl.crawl(one, fetch), await crawl.crawl(other, fetch)
    assert (urls_of(first), urls_of(second), second.is_repeat) == ([other], [], True)


async def test_a_page_that_is_a_seed_itself_still_makes_a_record_of_its_list(
    web: Web,
) -> None:
    pages, _, fetch, crawl_of = web
    pages[HOME] = '<a href="/1">联系一</a><a href="/2">联系二</a>'
    pages[f"{HOME}1"] = pages[f"{HOME}2"] = DATA
    for order in ((HOME, f"{HOME}1"), (f"{HOME}1", HOME)):
        crawl = crawl_of(records="page")
        found = [
            *urls_of(await crawl.crawl(order[0], fetch)),
            *urls_of(await crawl.crawl(order[1], fetch)),
        ]
        assert sorted(found) == [f"{HOME}1", f"{HOME}2"]


async def test_what_an_interrupted_run_has_crawled_is_a_repeat(
    web: Web,
) -> None:
    pages, requested, fetch, crawl_of = web
    pages[HOME] = pages[f"{HOME}index.html"] = '<a href="/c">联系我们</a>'
    pages[f"{HOME}c"] = DATA
    crawl = crawl_of()
    done = seed(1, url=HOME, state="useful")
    found = [template_record(1, url=f"{HOME}c", seed=HOME), template_record(2, url=f"{HOME}d")]
    crawl.resume([done, seed(2, url="http://b.example/", state="useless")], found)
    site = await crawl.crawl(f"{HOME}index.html", fetch)
    assert (site.records, site.is_repeat, requested[f"{HOME}c"]) == ([], True, 0)
    pages["http://b.example/"] = "nothing"
    site = await crawl.crawl("http://b.example/", fetch)
    assert (site.records, site.is_repeat) == ([], False)


async def test_a_further_page_that_repeats_the_footer_is_not_the_contact_page(web: Web) -> None:
    pages, _, fetch, crawl_of = web
    footer = "<p>四川天路软件有限公司 地址：成都市青羊区青云路18号 电话：028-85120001</p>"
    pages[HOME] = f'<a href="/map">站内地图</a><a href="/shops">门店</a>{footer}'
    pages[f"{HOME}map"] = footer
    assert urls_of(await crawl_of().crawl(HOME, fetch)) == [HOME]
    pages[f"{HOME}shops"] = f"<p>地址：成都市武侯区红星路8号 电话：028-85120002</p>{footer}"
    assert urls_of(await crawl_of().crawl(HOME, fetch)) == [f"{HOME}shops"]


async def test_the_further_page_with_most_kinds_of_new_values_is_the_contact_page(web: Web) -> None:
    pages, _, fetch, crawl_of = web
    pages[HOME] = '<a href="/shops">门店</a><a href="/join">加盟</a>'
    pages[f"{HOME}shops"] = "<p>地址：成都市武侯区红星路8号 电话：028-85120002</p>"
    pages[f"{HOME}join"] = (
        "<p>地址：成都市青羊区青云路18号 电话：028-85120001 邮箱：a@qinghe.example</p>"
    )
    assert urls_of(await crawl_of().crawl(HOME, fetch)) == [f"{HOME}join"]


async def test_a_complete_footer_does_not_keep_from_reading_unnamed_entries(web: Web) -> None:
    pages, requested, fetch, crawl_of = web
    footer = "<p>地址：成都市青羊区青云路18号 电话：028-85120001</p>"
    pages[HOME] = f'<nav><a href="/news">新闻</a><a href="/play">来玩</a></nav>{footer}'
    pages[f"{HOME}play"] = f"<p>电话：13980001234</p>{footer}"
    assert urls_of(await crawl_of().crawl(HOME, fetch)) == [f"{HOME}play"]
    pages[HOME] = pages[HOME].replace("</p>", " 邮箱：a@qinghe.example</p>")
    assert urls_of(await crawl_of().crawl(HOME, fetch)) == [HOME]
    assert requested[f"{HOME}play"] == 1


async def test_pages_about_a_site_are_read_until_one_names_the_firm(web: Web) -> None:
    pages, requested, fetch, crawl_of = web
    pages[HOME] = (
        '<title>青禾</title><a href="/c">联系我们</a><a href="/us">关于我们</a><a href="/licence">证照信息</a>'
        '<a href="/privacy">隐私政策</a>'
    )
    pages[f"{HOME}c"] = "<p>地址：成都市青羊区青云路18号 电话：028-85120001</p>"
    pages[f"{HOME}us"] = "<p>青禾，一群爱茶的人。</p>"
    pages[f"{HOME}licence"] = "<p>企业名称：成都青禾茶业有限公司</p>"
    pages[f"{HOME}privacy"] = "<p>版权所有：成都某某有限公司</p>"
    (record,) = (await crawl_of().crawl(HOME, fetch)).records
    assert [v.value for v in record.values if v.field == "name"] == ["成都青禾茶业有限公司"]
    assert (requested[f"{HOME}licence"], requested[f"{HOME}privacy"]) == (1, 0)


async def test_a_value_knows_its_page_and_what_the_home_page_says_instead(web: Web) -> None:
    pages, _, fetch, crawl_of = web
    contact = f"{HOME}contact/"
    pages[HOME] = (
        '<a href="/contact/">联系我们</a><p>电话：028-66660001</p><p>传真：028-85120002</p>'
    )
    pages[contact] = DATA
    (record,) = (await crawl_of().crawl(HOME, fetch)).records
    found = {
        one.field: (one.page, [(other.page, other.value) for other in one.elsewhere])
        for one in record.values
        if one.field != "name"
    }
    assert found == {"phone": (contact, [(HOME, "028-66660001")]), "fax": (HOME, [])}


def test_seeds_of_a_site_wait_for_one_another() -> None:
    line = SeedLine()
    seeds = [seed(n, url=f"http://{host}.example/{n}") for n, host in enumerate("aaba")]
    for each in seeds:
        line.add(each)
    assert [line.next(), line.next(), line.next()] == [seeds[0], seeds[2], None]
    line.done(seeds[0])
    assert [line.next(), line.next()] == [seeds[1], None]
    line.done(seeds[1])
    assert line.next() == seeds[3]


# The state of a seed whose site was crawled, and the records that are kept of it.

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
