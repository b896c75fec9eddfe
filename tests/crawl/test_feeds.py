"""Crawls of lists that are feeds or sitemaps."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import format_datetime

import pytest

from focuscrawl.demo import DemoWeb, Response
from tests.crawl.conftest import NO_DELAYS, Crawler
from tests.servers import warm_scrapy

pytestmark = pytest.mark.usefixtures("no_workbook")

TEXT = "".join(f"<p>今日山东玉米价格第{n}段,企业收购每吨2300元,有涨有跌。</p>" for n in range(6))
PROFILE = """
name: feeds
start_urls: ['http://feeds.test{path}']
list: {rules}
article: {article}
"""
XML = "application/xml"


@dataclass
class FeedSite:
    """Articles by number, their feeds and sitemaps; ``served`` has other answers by path."""

    days: dict[int, date] = field(default_factory=dict)
    changed: dict[int, str] = field(default_factory=dict)
    served: dict[str, Response] = field(default_factory=dict)
    charset: str = "utf-8"
    has_validators: bool = True

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        if path in self.served:
            return self.served[path]
        if path.startswith("/a/"):
            number = int(path[3:])
            text = f"<html><body><h1>玉米第{number}期</h1><div class='text'>{TEXT}页面 {self.changed.get(number, '')}</div></body></html>"
            return Response(200, {"Content-Type": "text/html; charset=utf-8"}, text.encode())
        makers = {"/rss": self.rss, "/map.xml.gz": self.sitemap}
        if path not in makers:
            return Response(404, {}, b"")
        body = makers[path]()
        tag = f'"{hash(body):x}"'
        given = {"Content-Type": XML if path == "/rss" else "application/x-gzip"}
        given |= {"ETag": tag} if self.has_validators else {}
        if headers.get("if-none-match") == tag:
            return Response(304, given, b"")
        return Response(200, given, body)

    def rss(self) -> bytes:
        items = "".join(
            f"<item><title>玉米第{n}期</title><link>/a/{n}</link>"
            f"<pubDate>{format_datetime(datetime(*day.timetuple()[:3], tzinfo=UTC))}</pubDate>"
            f"<atom:updated>2026-03-01T00:00:{n:02}Z{self.changed.get(n, '')}</atom:updated>"
            f"<content:encoded><![CDATA[{TEXT}全文{'……' if n == 2 else ''}]]></content:encoded></item>"
            for n, day in self.days.items()
        )
        head = f'<?xml version="1.0" encoding="{self.charset}"?>'
        names = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"'
        return f'{head}<rss version="2.0" {names}><channel>{items}</channel></rss>'.encode(
            self.charset
        )

    def sitemap(self) -> bytes:
        rows = "".join(
            f"<url><loc>http://feeds.test/a/{n}</loc><lastmod>{day}{self.changed.get(n, '')}</lastmod></url>"
            for n, day in self.days.items()
        )
        return gzip.compress(
            f"<urlset>{rows}<url><loc>http://feeds.test/</loc></url></urlset>".encode(), mtime=0
        )


def profile(crawl: Crawler, path: str = "/rss", rules: str = "feed", article: str = "{}") -> None:
    crawl.spider = "list"
    text = PROFILE.format(path=path, rules=rules, article=article)
    (crawl.folder / "feeds.yaml").write_text(text, "utf-8")


@pytest.fixture
def site(demo: Callable[..., DemoWeb]) -> FeedSite:
    """A site of three articles, and its web."""
    web = demo(days=1)
    site = FeedSite({n: date(2026, 3, n) for n in (3, 2, 1)})
    web.sites["feeds.test"] = site
    site.web = web  # type: ignore[attr-defined]
    return site


def asked(site: FeedSite) -> list[str]:
    """Return the paths that were requested since the last call."""
    log = site.web.log  # type: ignore[attr-defined]
    found = [
        f"{one.url.removeprefix('http://feeds.test')}" for one in log if "robots" not in one.url
    ]
    log.clear()
    return found


@pytest.mark.parametrize(("path", "rules"), [("/rss", "feed"), ("/map.xml.gz", "{feed: /a/}")])
@pytest.mark.parametrize("has_validators", [True, False])
def test_a_second_run_asks_for_the_feed_only(
    crawl: Crawler, site: FeedSite, path: str, rules: str, has_validators: bool
) -> None:
    profile(crawl, path, rules)
    site.charset, site.has_validators = "gbk", has_validators
    first = crawl("-a", "site=feeds.yaml")
    assert (first.code, first.count("new")) == (0, 3), first.out + first.err
    assert sorted(asked(site)) == ["/a/1", "/a/2", "/a/3", path]
    rows = crawl.rows("select url, title, published from articles order by url")
    assert rows == [
        (f"http://feeds.test/a/{n}", f"玉米第{n}期", f"2026-03-0{n}" if path == "/rss" else None)
        for n in (1, 2, 3)
    ]
    second = crawl("-a", "site=feeds.yaml")
    assert (second.code, second.count("new"), second.count("unchanged")) == (0, 0, 3), second.out
    assert "alarm" not in second.out
    assert asked(site) == [path]
    site.days = {4: date(2026, 3, 4)} | site.days
    site.changed[2] = "+08:00"
    third = crawl("-a", "site=feeds.yaml")
    assert (third.code, third.count("new"), third.count("changed")) == (0, 1, 1), third.out
    assert sorted(asked(site)) == ["/a/2", "/a/4", path]


def test_a_text_that_the_feed_has_whole_is_stored_without_a_request(
    crawl: Crawler, site: FeedSite
) -> None:
    profile(crawl, article="feed")
    run = crawl("-a", "site=feeds.yaml")
    assert (run.code, run.count("new")) == (0, 3), run.out + run.err
    # The text of the second one ends in an ellipsis.
    assert asked(site) == ["/rss", "/a/2"]
    texts = dict(crawl.rows("select url, text from articles"))
    assert [texts[f"http://feeds.test/a/{n}"].splitlines()[-1][:2] for n in (1, 2, 3)] == [
        "全文",
        "页面",
        "全文",
    ]
    refreshed = crawl("-a", "site=feeds.yaml", "-a", "refresh=all")
    assert (refreshed.code, refreshed.count("changed")) == (0, 0), refreshed.out
    assert asked(site) == ["/rss", "/a/2"]


def test_a_whole_text_of_a_feed_is_judged(crawl: Crawler, site: FeedSite) -> None:
    profile(crawl, article="feed")
    arguments = ("-a", "site=feeds.yaml", "-a", "topic=每吨,有涨有跌,山东")
    done = crawl(*arguments)
    assert (done.code, done.count("new")) == (0, 3), done.out + done.err
    assert "judged    3 articles, 3 relevant" in done.out
    absent = crawl("-a", "site=feeds.yaml", "-a", "topic=大熊猫", "-a", "refresh=all")
    assert (absent.code, absent.count("unchanged")) == (0, 3), absent.out + absent.err
    assert {value < 0.4 for (value,) in crawl.rows("select relevance from articles")} == {True}


def test_what_a_run_with_since_did_not_want_is_found_without(
    crawl: Crawler, site: FeedSite
) -> None:
    profile(crawl, "/map.xml.gz", "{feed: /a/}")
    assert crawl("-a", "site=feeds.yaml", "-a", "since=2026-03-03").count("new") == 1
    asked(site)
    assert crawl("-a", "site=feeds.yaml", "-a", "since=2026-03-04").count("new") == 0
    assert asked(site) == ["/map.xml.gz"]
    assert crawl("-a", "site=feeds.yaml").count("new") == 2


INDEX = """<sitemapindex><sitemap><loc>/map.xml.gz</loc><lastmod>{day}</lastmod></sitemap>
<sitemap><loc>/old.xml</loc><lastmod>2020-01-01</lastmod></sitemap><sitemap><loc>/index.xml</loc></sitemap></sitemapindex>"""


def test_an_index_leads_to_its_sitemaps(crawl: Crawler, site: FeedSite) -> None:
    profile(crawl, "/index.xml", "{feed: /b/}")
    site.served["/index.xml"] = site.served["/rss"] = Response(
        200, {"Content-Type": XML}, site.sitemap()
    )
    nothing = crawl("-a", "site=feeds.yaml")
    assert (nothing.code, "list.feed (/b/) selects none of the 4 links" in nothing.err) == (2, True)
    profile(crawl, "/index.xml", "{feed: /a/}")
    asked(site)
    old = "<urlset><url><loc>/a/7</loc></url><url><loc>/a/1</loc></url></urlset>"
    site.served["/old.xml"] = Response(200, {"Content-Type": XML}, old.encode())
    site.served["/index.xml"] = Response(
        200, {"Content-Type": XML}, INDEX.format(day=date.today()).encode()
    )
    few = crawl("-a", "site=feeds.yaml", "-a", "max_pages=1")
    assert (few.code, few.count("new")) == (0, 3), few.out
    asked(site)
    run = crawl("-a", "site=feeds.yaml")
    assert (run.code, run.count("new")) == (0, 1), run.out + run.err
    assert sorted(asked(site)) == ["/a/7", "/index.xml", "/map.xml.gz", "/old.xml"]
    # The old one has not changed since it was read, by the index.
    assert crawl("-a", "site=feeds.yaml").count("new") == 0
    assert sorted(asked(site)) == ["/index.xml", "/map.xml.gz"]
    site.served["/map.xml.gz"] = Response(404, {}, b"")
    gone = crawl("-a", "site=feeds.yaml")
    assert gone.code == 3
    assert "list page failed (HTTP 404): http://feeds.test/map.xml.gz" in gone.out


BAD = [
    (410, "", 2, "410"),
    (200, "<html><body>请登录</body></html>", 2, "is no feed, but a page"),
    (
        200,
        "<rss><channel><item><link>/a/1</link></item><item><link>/a/2",
        3,
        "cut off after 1 entries",
    ),
    (200, "<rss><channel></channel></rss>", 0, "the list is empty"),
    (200, "", 2, "empty"),
    (200, "%PDF-1.4", 2, "is a file"),
]


@pytest.mark.parametrize(("status", "body", "code", "said"), BAD)
def test_what_is_wrong_with_a_feed_is_said(
    crawl: Crawler, site: FeedSite, status: int, body: str, code: int, said: str
) -> None:
    profile(crawl)
    site.served["/rss"] = Response(status, {"Content-Type": XML, "ETag": '"1"'}, body.encode())
    run = crawl("-a", "site=feeds.yaml")
    assert run.code == code, run.out + run.err
    assert said in run.out + run.err
    assert "Traceback" not in run.err
    tried = warm_scrapy.run(
        ["trysite", "feeds.yaml", *NO_DELAYS], cwd=crawl.folder, env=os.environ | crawl.environment
    )
    assert (tried.returncode, said in tried.stdout + tried.stderr) == (code, True), tried
    # A feed that is cut off is not taken for read.
    site.served.clear()
    assert crawl("-a", "site=feeds.yaml").code == 0
    assert len(crawl.rows("select * from articles where is_complete")) == 3
