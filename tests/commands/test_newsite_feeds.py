"""``scrapy newsite`` and ``scrapy trysite`` on feeds, sitemaps, and pages that link to a feed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from focuscrawl.demo import DemoServer, Response
from focuscrawl.sites.site_profile import FeedListRules, ListRules, load_profile
from tests.commands.test_newsite import run, serving
from tests.commands.test_newsite_pages import TITLES, article, entries, page

HOST = "http://feeds.test"
NUMBERS = range(6)
CONTENT = 'xmlns:content="http://purl.org/rss/1.0/modules/content/"'


def rss(count: int = 6, text: str = "") -> str:
    texts = [whole(n) if text == "whole" else text for n in range(count)]
    contents = [
        f"<content:encoded><![CDATA[{one}]]></content:encoded>" if one else "" for one in texts
    ]
    items = (
        f"<item><title>{TITLES[n]}</title><link>/a/{n}.html</link><pubDate>2024-03-{20 - n}</pubDate>{contents[n]}</item>"
        for n in range(count)
    )
    return f'<?xml version="1.0"?>\n<rss {CONTENT}><channel>{"".join(items)}</channel></rss>'


def whole(number: int) -> str:
    """Return the text of an article, as its page has it."""
    return article(number).partition('<div class="text">')[2].partition('<p class="editor">')[0]


def linking(feed: str, more: str = "") -> str:
    head = f'<link rel="alternate" type="application/rss+xml" title="RSS" href="{feed}">'
    comments = '<link rel="alternate" type="application/rss+xml" title="评论" href="/404.xml">'
    return page(entries() + more, head=comments + head)


LOCS = "".join(f"<url><loc>{HOST}/a/{n}.html</loc></url>" for n in NUMBERS)
PAGES = {
    "/rss.xml": rss(), "/whole.xml": rss(text="whole"), "/five.xml": rss(5), "/summary.xml": rss(text="只有摘要"),
    "/atom.xml": '<feed xmlns="http://www.w3.org/2005/Atom">'
    + "".join(f'<entry><title>{TITLES[n]}</title><link href="/a/{n}.html"/><updated>2024-03-{20 - n}T01:00:00Z</updated></entry>' for n in NUMBERS)
    + "</feed>",
    "/json": json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": [{"id": f"{HOST}/a/{n}.html", "title": TITLES[n]} for n in NUMBERS]}),
    "/map.xml": f"<urlset>{LOCS}<url><loc>{HOST}/</loc></url><url><loc>{HOST}/about.html</loc></url></urlset>",
    "/index.xml": "<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap><sitemap><loc>/post.xml</loc></sitemap></sitemapindex>",
    "/numbered.xml": "<sitemapindex><sitemap><loc>/cat.xml</loc><lastmod>2024-03-20</lastmod></sitemap><sitemap><loc>/s1.xml</loc></sitemap></sitemapindex>",
    "/s1.xml": f"<urlset>{LOCS}</urlset>", "/cat.xml": f"<urlset><url><loc>{HOST}/about.html</loc></url></urlset>",
    "/post.xml": f"<urlset>{LOCS}</urlset>", "/pages.xml": f"<urlset><url><loc>{HOST}/about.html</loc></url></urlset>",
    "/covered.html": linking("whole.xml"), "/short.html": linking("/five.xml"),
    "/long.html": linking("/rss.xml", '<div class="page">共9页 <b>1</b><a href="list2.html">2</a></div>'),
    **{f"/a/{n}.html": article(n).replace("下一页", "") for n in NUMBERS},
}  # fmt: skip


class FeedsSite:
    """The pages above; feeds come as pages of HTML, as some servers send them."""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        body = PAGES.get(path, "")
        return Response(200 if body else 404, {"Content-Type": "text/html"}, body.encode())


@pytest.fixture(scope="module")
def web() -> Iterator[DemoServer]:
    yield from serving("feeds.test", FeedsSite())


@pytest.mark.parametrize(
    ("path", "said", "feed", "is_whole"),
    [
        ("/rss.xml", "older articles are not in an RSS feed: 6 entries back to 2024-03-15", "", False),
        ("/whole.xml", "6 entries back to 2024-03-15", "", True),
        ("/summary.xml", "6 entries back to 2024-03-15", "", False),
        ("/atom.xml", "no date of publication; that of the last change is taken", "", False),
        ("/json", "the entries show no date", "", False),
        ("/map.xml", f"list.feed leaves out 2 links of other kinds, such as {HOST}/", r"//[^/]+/a/[^/]*\d[^/]*/?$", False),
        ("/index.xml", "an unknown number of list pages of 6 entries", "", False),
        ("/numbered.xml", "an unknown number of list pages of 6 entries", "", False),
    ],
)  # fmt: skip
def test_a_feed_gets_a_profile(
    web: DemoServer, tmp_path: Path, path: str, said: str, feed: str, is_whole: bool
) -> None:
    done = run(web, tmp_path, "newsite", HOST + path, "--name", "mine")
    assert said in done.stdout
    assert "expected: 6 entries" in done.stdout or path in ("/index.xml", "/numbered.xml")
    profile = load_profile(str(tmp_path / "sites" / "mine.yaml"))
    assert profile.start_urls == [HOST + path]
    assert isinstance(profile.list, FeedListRules)
    assert profile.list.feed == feed
    assert profile.article.feed == is_whole
    assert profile.article.body is not None
    assert profile.article.body.css == "div.text"
    tried = run(web, tmp_path, "trysite", "sites/mine.yaml")
    assert "6 entries of " in tried.stdout
    assert TITLES[0] in tried.stdout


@pytest.mark.parametrize(
    ("path", "option", "feed", "said"),
    [
        ("/covered.html", "--force", "/whole.xml", "has 6 entries back to 2024-03-15, the list 6 entries back to 2024-03-15; the feed is read, scrapy newsite --no-feed"),
        ("/covered.html", "--no-feed", "", ""),
        ("/short.html", "--force", "", "of which the feed lacks 1; for what comes from now on: scrapy newsite http://feeds.test/five.xml"),
        ("/long.html", "--force", "", "and 8 further pages; for what comes from now on"),
    ],
)  # fmt: skip
def test_a_feed_stands_for_a_list_that_it_has_whole(
    web: DemoServer, tmp_path: Path, path: str, option: str, feed: str, said: str
) -> None:
    done = run(web, tmp_path, "newsite", HOST + path, "--name", "mine", option)
    text = (tmp_path / "sites" / "mine.yaml").read_text("utf-8")
    assert said in done.stdout
    assert said in text
    assert ("note: the feed" in done.stdout) == bool(said)
    profile = load_profile(str(tmp_path / "sites" / "mine.yaml"))
    assert profile.start_urls == [HOST + (feed or path)]
    assert isinstance(profile.list, FeedListRules if feed else ListRules)
    assert profile.article.feed == bool(feed)
