"""Feeds and sitemaps, read as lists."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date

import pytest

from focuscrawl.errors import ProfileError
from focuscrawl.sites import feed_list
from focuscrawl.sites.feed_list import FeedPage, feed_article, feed_kind, read_feed
from focuscrawl.sites.site_profile import FeedListRules

TODAY = date(2026, 11, 1)
URL = "http://host/feed/all.xml"
LONG = "<p>山东玉米价格稳中有涨,企业收购积极。</p>" * 3


def read(text: str, url: str = URL, feed: str = "") -> FeedPage:
    return read_feed(text, url, FeedListRules(feed=feed), TODAY)


def rss(*items: str, head: str = "", root: str = 'rss version="2.0"') -> str:
    body = "".join(f"<item>{item}</item>" for item in items)
    name = root.split()[0]
    return f'<?xml version="1.0" encoding="gbk"?>{head}<{root}><channel><title>站</title>{body}</channel></{name}>'


def atom(*entries: str, more: str = "") -> str:
    body = "".join(f"<entry>{one}</entry>" for one in entries)
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {more}>{body}</feed>'


def one(text: str) -> tuple[str, str, date | None]:
    (entry,) = read(text).entries
    return entry.url, entry.title, entry.published


LINKS = [
    ("<link>/a/1.html</link>", "http://host/a/1.html"),
    ("<link>http://host/a?x=1&y=2&copy=3</link>", "http://host/a?x=1&y=2&copy=3"),
    ("<link><![CDATA[ http://host/a?x=1&y=2 ]]></link>", "http://host/a?x=1&y=2"),
    ("<guid>http://host/a/2.html</guid>", "http://host/a/2.html"),
    ('<guid isPermaLink="false">7</guid><link>http://host/a/7</link>', "http://host/a/7"),
    ("<link>http://host/a/1?utm_source=rss</link>", "http://host/a/1"),
    ("<link>http://feed.test/~r/1</link><feedburner:origLink>http://host/a/9</feedburner:origLink>", "http://host/a/9"),
]  # fmt: skip


@pytest.mark.parametrize(("item", "url"), LINKS)
def test_a_link_is_that_of_the_article(item: str, url: str) -> None:
    head = 'rss version="2.0" xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"'
    assert one(rss(f"<title>价</title>{item}", root=head))[0] == url


def test_links_of_atom_are_relative_to_its_base() -> None:
    entry = '<title>价</title><link rel="self" href="x.xml"/><link href="1.html"/>'
    assert one(atom(entry))[0] == "http://host/feed/1.html"
    assert one(atom(entry, more='xml:base="http://other/b/"'))[0] == "http://other/b/1.html"


@pytest.mark.parametrize(
    ("title", "read_as"),
    [
        ("<![CDATA[<b>玉米</b> &amp; 小麦]]>", "玉米 & 小麦"),
        ("玉米&nbsp;价格 &ldquo;涨&rdquo; A&B", "玉米 价格 “涨” A&B"),
        ("&lt;em&gt;玉米&lt;/em&gt;&amp;amp;小麦", "玉米&小麦"),
        ("\x0b玉米\n 价格\x00", "玉米 价格"),
        ("", ""),
    ],
)
def test_titles_are_plain_text(title: str, read_as: str) -> None:
    page = read(rss(f"<title>{title}</title><link>http://host/a</link>"))
    assert (page.entries[0].title, page.note) == (read_as, "")


DATES = [
    ("Wed, 04 Mar 2026 16:30:00 GMT", date(2026, 3, 5)),
    ("Wed, 04 Mar 2026 23:30:00 +0800", date(2026, 3, 4)),
    ("2026-03-04T16:30:00Z", date(2026, 3, 5)),
    ("2026-03-04T23:30:00+08:00", date(2026, 3, 4)),
    # Without a time zone, the day that is written.
    ("2026-03-04 23:30:00", date(2026, 3, 4)),
    ("2026-03-04T23:30:00", date(2026, 3, 4)),
    ("Wed, 04 Mar 2026 23:30:00", date(2026, 3, 4)),
    ("2026-03-04", date(2026, 3, 4)),
    ("2026年3月4日 23:30", date(2026, 3, 4)),
    ("二〇二六年三月四日", date(2026, 3, 4)),
    ("", None),
    ("soon", None),
]


@pytest.mark.parametrize(("text", "day"), DATES)
def test_dates_are_days_in_china(text: str, day: date | None) -> None:
    assert one(rss(f"<link>http://host/a</link><pubDate>{text}</pubDate>"))[2] == day


def test_the_last_change_is_the_stamp_and_no_date_beside_that_of_publication() -> None:
    both = "<published>2026-03-04T01:00:00Z</published><updated>2026-03-09T01:00:00Z</updated>"
    page = read(atom(f'<link href="/1"/>{both}', '<link href="/2"/>'))
    assert [(e.published, e.stamp) for e in page.entries] == [
        (date(2026, 3, 4), "2026-03-09T01:00:00Z"),
        (None, ""),
    ]
    assert page.has_dates
    only = read(atom('<link href="/1"/><updated>2026-03-09T01:00:00Z</updated>'))
    assert only.entries[0].published == date(2026, 3, 9)
    assert not only.has_dates


def test_the_time_at_which_a_feed_was_made_is_no_stamp() -> None:
    entries = (f'<link href="/{n}"/><updated>2026-03-09T01:00:0{n}Z</updated>' for n in range(3))
    assert all(entry.proves_nothing for entry in read(atom(*entries)).entries)
    assert not any(entry.proves_nothing for entry in read(SITEMAP).entries)


SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> http://host/n/1?a=1&amp;b=2 </loc><lastmod>2026-03-05</lastmod>
<news:news><news:publication><news:name>报</news:name></news:publication><news:publication_date>2026-03-04</news:publication_date>
<news:title>玉米&lt;涨&gt;</news:title></news:news><image:image><image:title>图</image:title></image:image></url>
<url><loc>http://host/n/2</loc><lastmod>2026-03-01T20:00:00+00:00</lastmod><image:image><image:title>图</image:title></image:image></url>
<url><loc>http://host/about</loc></url></urlset>"""


def test_a_sitemap_has_last_changes_and_that_of_news_titles() -> None:
    page = read(SITEMAP, feed=r"/n/\d")
    assert [(e.url, e.title, e.published, e.changed, e.stamp) for e in page.entries] == [
        ("http://host/n/1?a=1&b=2", "玉米<涨>", date(2026, 3, 4), date(2026, 3, 5), "2026-03-05"),
        ("http://host/n/2", "", None, date(2026, 3, 2), "2026-03-01T20:00:00+00:00"),
    ]
    assert (page.kind, page.other) == ("a sitemap", 1)
    # A sitemap of an index may have other links only.
    assert (read(SITEMAP, feed="x/y").entries, read(SITEMAP, feed="x/y").other) == ([], 3)


def test_an_index_has_sitemaps() -> None:
    page = read(
        "<sitemapindex><sitemap><loc>/s/1.xml.gz</loc><lastmod>2026-03-05</lastmod></sitemap>"
        "<sitemap><loc>http://host/2.xml</loc></sitemap></sitemapindex>"
    )
    assert page.sitemaps == (
        ("http://host/s/1.xml.gz", date(2026, 3, 5)),
        ("http://host/2.xml", None),
    )


def test_a_json_feed() -> None:
    items = [
        {"id": "http://host/1", "title": "玉米", "date_published": "2026-03-04T20:00:00Z",
         "date_modified": "2026-03-06", "content_html": LONG},
        {"id": 7, "url": "2.html", "content_text": "两行\n" + "文字" * 9},
        {"id": "x", "title": "无链接"}, "nothing",
    ]  # fmt: skip
    text = json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items})
    page = read(text)
    first, second = page.entries
    assert (first.url, first.published, first.stamp) == (
        "http://host/1",
        date(2026, 3, 5),
        "2026-03-06",
    )
    assert (second.url, page.unlinked) == ("http://host/feed/2.html", 1)
    assert (article := feed_article(second))
    assert article.text.startswith("两行\n文字")
    with pytest.raises(ProfileError, match="cut off or broken"):
        read(text[:-30])


CONTENT = "http://purl.org/rss/1.0/modules/content/"
WHOLE = [
    (f"<content:encoded><![CDATA[{LONG}]]></content:encoded>", True),
    (f"<description>山东</description><content:encoded><![CDATA[{LONG}]]></content:encoded>", True),
    # A description is a summary, however long, and so is a second one.
    (f"<description><![CDATA[{LONG}]]></description>", False),
    (f"<description>山东</description><description><![CDATA[{LONG}]]></description>", False),
    (f"<description><![CDATA[{LONG}]]></description><content:encoded><![CDATA[{LONG}]]></content:encoded>", False),
    (f"<content:encoded><![CDATA[{LONG}<p>今日价格……</p>]]></content:encoded>", False),
    (f"<content:encoded><![CDATA[{LONG}<a href='/1'>阅读全文 &raquo;</a>]]></content:encoded>", False),
    (f"<content:encoded><![CDATA[{LONG}Continue reading →]]></content:encoded>", False),
    ("<content:encoded><![CDATA[<img src='/1.png'>]]></content:encoded>", False),
    ("<content:encoded/>", False),
]  # fmt: skip


@pytest.mark.parametrize(("item", "is_whole"), WHOLE)
def test_a_text_is_taken_only_if_it_is_whole(item: str, is_whole: bool) -> None:
    root = f'rss version="2.0" xmlns:content="{CONTENT}"'
    for head in (root, 'rss version="2.0"'):
        (entry,) = read(
            rss(f"<title>价</title><link>http://host/1</link>{item}", root=head)
        ).entries
        article = feed_article(entry)
        assert (article is not None) == is_whole
        assert (
            not article or article.text.split("\n") == ["山东玉米价格稳中有涨,企业收购积极。"] * 3
        )


def test_a_text_of_atom_is_markup_or_plain() -> None:
    for kind, text in (
        ("html", "&lt;p&gt;甲乙丙丁戊&lt;/p&gt;己"),
        ("text", "甲乙丙丁戊\n己"),
        ("xhtml", "<div><p>甲乙丙丁戊</p>己</div>"),
    ):
        (entry,) = read(atom(f'<link href="/1"/><content type="{kind}">{text}</content>')).entries
        assert (article := feed_article(entry))
        assert article.text.split("\n") == ["甲乙丙丁戊", "己"]


BOMB = '<!DOCTYPE rss [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'


def test_entities_of_a_document_type_are_not_expanded() -> None:
    text = rss("<title>x&b;y&f;z</title><link>http://host/1</link>", head=BOMB)
    assert one(text)[1] == "xyz"


def test_a_feed_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    items = [f"<title>第{n}条</title><link>http://host/a/{n}{n}</link>" for n in range(3)]
    whole = rss(*items)
    page = read(whole[: whole.rindex("/a/22") + 4])
    assert [entry.url for entry in page.entries] == ["http://host/a/00", "http://host/a/11"]
    assert page.cut == "an RSS feed that is cut off after 2 entries"
    assert len(read(whole[: whole.rindex("</channel>")]).entries) == 3
    assert not read(whole).cut


def test_what_is_not_well_formed_is_noted() -> None:
    page = read(
        rss("<title>甲</b></title><link>http://host/1</link>", "<link>http://host/2</link>")
    )
    # Not silently: the end tag in the title has ended its entry.
    assert ([entry.url for entry in page.entries], page.unlinked) == (["http://host/2"], 1)
    assert "not well-formed" in page.note


def test_a_long_feed_is_read_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_list, "MOST_ENTRIES", 20)
    page = read(rss(*(f"<link>http://host/{n}</link>" for n in range(25))))
    assert [entry.url for entry in page.entries] == [f"http://host/{n}" for n in range(20)]
    assert page.cut == "an RSS feed of 25 entries, of which the first 20 are read"


def test_each_article_is_there_once_and_those_without_a_link_are_counted() -> None:
    page = read(
        rss(
            "<title>甲</title><link>/1</link>",
            "<title>甲</title><link>/1</link>",
            "<title>乙</title>",
        )
    )
    assert ([e.title for e in page.entries], page.unlinked) == (["甲"], 1)
    assert read(rss()).entries == []
    with pytest.raises(ProfileError, match="an RSS feed, but none of its entries has a link"):
        read(rss("<title>乙</title>"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (rss(), "an RSS feed"),
        ("\ufeff  <!-- <html> -->\n" + atom(), ""),
        ("Warning: x in <b>y.php</b>\n" + rss(), "an RSS feed"),
        ('<?xml version="1.0"?><rdf:RDF><item/></rdf:RDF>', "an RSS feed"),
        (atom(), "an Atom feed"),
        ("<html><body>&lt;rss><p>x<rss></p></body></html>", ""),
        ('{"items": []}', ""),
        ("", ""),
    ],
)
def test_the_kind_of_a_feed(text: str, kind: str) -> None:
    assert feed_kind(text) == kind
    if not kind:
        with pytest.raises(ProfileError, match="newsite"):
            read(text)


def test_feedparser_is_loaded_where_a_feed_is_read_only() -> None:
    code = (
        "import sys; from datetime import date; import focuscrawl.spiders.list_detail;"
        "from focuscrawl.sites.feed_list import read_feed;"
        "from focuscrawl.sites.site_profile import FeedListRules;"
        "read = lambda text: (read_feed(text, 'http://host/', FeedListRules(feed=''), date(2026, 1, 1)),"
        " print('feedparser' in sys.modules));"
        "read('<urlset></urlset>'); read('<rss></rss>')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "True"], done.stderr
