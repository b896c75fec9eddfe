"""Link scoring middleware: scored links in the meta, and nothing loaded when it is disabled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.test import get_crawler

from focuscrawl.addon import DEFAULTS
from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.errors import ArgumentError, ModelError, TopicError
from focuscrawl.middlewares.link_scoring import LinkScoringMiddleware
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.scoring.model_files.scorer_loading import load_scorer
from focuscrawl.topics import load_topic

URL = "http://a.test/list/"
PAGE = """<html><head><meta charset="{charset}"><title>笔记</title></head><body><h2>渗透测试</h2>
<p>一次内网渗透的记录：<a href="/2021/sqli/">SQL注入漏洞复现</a>，阅读全文</p>
<p>周末的<a href="/food/">红烧肉做法</a></p><a href="?q=漏洞">搜索</a></body></html>"""


def crawler_of(topic: str | None, **settings: Any) -> Crawler:
    class Mine(Spider):
        name = "mine"
        link_topic = topic

    ours = {name: value for name, value in DEFAULTS.items() if name.startswith("FOCUSCRAWL_")}
    crawler = get_crawler(Mine, ours | settings)
    crawler.spider = crawler._create_spider()
    return crawler


async def links_of(crawler: Crawler, response: Response) -> Any:
    middleware = LinkScoringMiddleware.from_crawler(crawler)
    request = Request(response.url)
    response.request = request
    assert await middleware.process_response(request, response) is response
    middleware.spider_closed()
    return response.meta.get("links")


def page(charset: str = "utf-8", **kwargs: Any) -> HtmlResponse:
    return HtmlResponse(
        URL, body=PAGE.format(charset=charset).encode(charset), encoding=charset, **kwargs
    )


async def test_a_page_gets_its_scored_links(tmp_path: Path) -> None:
    crawler = crawler_of("security", FOCUSCRAWL_MODELS=tmp_path)
    links = await links_of(crawler, page())
    urls = [scored.link.url for scored in links]
    assert urls[:2] == ["http://a.test/2021/sqli/", "http://a.test/food/"]
    attack, food = links[:2]
    assert attack.score > food.score
    assert 0 < food.probability < attack.probability < 1
    scorer = load_scorer(load_topic("security"), tmp_path)
    assert links == scorer.score(parse_page(PAGE, URL).links)
    stats = crawler.stats.get_stats()
    assert stats["focuscrawl/links/scored"] == 3
    assert stats["focuscrawl/links/cache_hit_rate"] == 0


async def test_scores_of_repeated_links_are_cached() -> None:
    crawler = crawler_of("security")
    first = await links_of(crawler, page())
    assert await links_of(crawler, page()) == first
    assert crawler.stats.get_value("focuscrawl/links/cache_hit_rate") == 0.5


@pytest.mark.parametrize("charset", ["gb18030", "big5hkscs"])
async def test_links_of_other_charsets(charset: str) -> None:
    text = PAGE if charset == "gb18030" else "<p>SQL注入漏洞 <a href='?q=漏洞'>安全漏洞</a></p>"
    body = text.format(charset=charset).encode(charset)
    links = await links_of(crawler_of("security"), HtmlResponse(URL, body=body, encoding=charset))
    assert "漏洞" in "".join(scored.link.anchor for scored in links)
    escaped = "".join(f"%{byte:02X}" for byte in "漏洞".encode(charset))
    assert links[-1].link.url.endswith(f"?q={escaped}")


async def test_a_large_page_is_parsed_in_a_thread_with_the_same_result() -> None:
    body = (PAGE + " " * 600_000).encode()
    links = await links_of(crawler_of("security"), HtmlResponse(URL, body=body, encoding="utf-8"))
    assert links == await links_of(crawler_of("security"), page())


@pytest.mark.parametrize(
    "response",
    [
        Response(URL, body=b"\x00\x01"),
        TextResponse(URL, body=b"<a href=/x>x</a>", encoding="utf-8"),
        page(status=404),
        page(status=302),
    ],
)
async def test_a_response_that_is_not_html_has_no_links(response: Response) -> None:
    assert await links_of(crawler_of("security"), response) == []


async def test_links_of_another_page_are_removed_from_the_meta() -> None:
    middleware = LinkScoringMiddleware.from_crawler(crawler_of("security"))
    request = Request(URL, meta={"links": ["of another page"]})
    await middleware.process_response(request, Response(URL, body=b"\x00", request=request))
    assert request.meta["links"] == []


def test_spiders_without_a_topic_do_not_have_the_middleware() -> None:
    with pytest.raises(NotConfigured):
        LinkScoringMiddleware.from_crawler(crawler_of(None))
    by_setting = crawler_of(None, FOCUSCRAWL_LINK_TOPIC="security")
    assert "security" in LinkScoringMiddleware.from_crawler(by_setting).scorer.name


def test_a_topic_without_a_model_is_noted(tmp_path: Path) -> None:
    crawler = crawler_of("agriculture", FOCUSCRAWL_MODELS=tmp_path)
    assert "lexicon" in LinkScoringMiddleware.from_crawler(crawler).scorer.name
    assert RunningCrawl.of(crawler).notes == [
        "no trained model for agriculture: links are scored by its lexicon"
    ]


def test_wrong_topics_and_models_raise_before_the_first_request(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="there is no topic 'cooking'"):
        LinkScoringMiddleware.from_crawler(crawler_of("cooking"))
    with pytest.raises(ArgumentError, match="is not a topic"):
        LinkScoringMiddleware.from_crawler(crawler_of(["security"]))  # type: ignore[arg-type]
    (tmp_path / "finance").mkdir()
    (tmp_path / "finance" / "links.json").write_text("{")
    with pytest.raises(ModelError, match="damaged or cut short"):
        LinkScoringMiddleware.from_crawler(crawler_of("finance", FOCUSCRAWL_MODELS=tmp_path))


def test_a_crawl_without_scoring_does_not_import_it() -> None:
    code = (
        "import sys, focuscrawl.addon, focuscrawl.middlewares.link_scoring, focuscrawl.spiders.maize;"
        "print([name for name in ('rjieba', 'jieba', 'sklearn', 'selectolax', 'opencc')"
        " if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
