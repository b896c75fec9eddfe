"""The bulletin site, requested without a server."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from itertools import pairwise
from urllib.parse import urljoin

import pytest
from lxml import html

from focuscrawl.demo import ArticleTruth, DemoWeb, Response

TODAY = date(2026, 3, 5)
SITE = "http://bulletins.demo.test"
STAMP = re.compile(r"更新时间：(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")


def get(web: DemoWeb, url: str, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.respond(urljoin(SITE, url), named)


def tree(response: Response, encoding: str = "gb2312") -> html.HtmlElement:
    assert response.status == 200
    return html.fromstring(response.body.decode(encoding))


def list_pages(web: DemoWeb) -> Iterator[html.HtmlElement]:
    url = f"{SITE}/list/"
    while url:
        page = tree(get(web, url))
        yield page
        following = page.xpath('//div[@class="pager"]/a[text()="下一页"]/@href')
        url = urljoin(url, following[0]) if following else ""


def listed(web: DemoWeb) -> list[tuple[str, str, str, str]]:
    """Return date words, absolute URL, title and stamp of each entry, in order."""
    return [
        (
            item.findtext("span[@class='date']"),
            urljoin(SITE, item.find("a").get("href")),
            item.findtext("a"),
            STAMP.search(item.find("a").get("title"))[1],
        )
        for page in list_pages(web)
        for item in page.xpath('//ul[@class="newslist"]/li')
    ]


def article_pages(web: DemoWeb, article: ArticleTruth) -> list[html.HtmlElement]:
    """Return the pages of an article by following 下一页."""
    url, pages = article.url, []
    while url:
        page = tree(get(web, url), article.encodings[len(pages)])
        pages.append(page)
        following = page.xpath('//div[@class="pages"]/a[text()="下一页"]/@href')
        url = urljoin(url, following[0]) if following else ""
    return pages


def one(web: DemoWeb, encoding: str) -> ArticleTruth:
    return next(article for article in web.truth().values() if encoding in article.encodings)


def all_bodies(web: DemoWeb) -> list[bytes]:
    return [get(web, url).body for url in ("/list/", *web.truth())]


def test_the_seed_alone_decides_on_the_bytes(web: DemoWeb) -> None:
    assert all_bodies(web) == all_bodies(DemoWeb(7, 30, TODAY))
    assert all_bodies(web) != all_bodies(DemoWeb(8, 30, TODAY))
    long = DemoWeb(7, 300, TODAY)
    assert [get(web, url) for url in web.truth()] == [get(long, url) for url in web.truth()]


@pytest.mark.parametrize("days", [1, 10])
def test_lists_name_every_day_and_every_article_of_the_truth(days: int) -> None:
    web = DemoWeb(7, days, TODAY)
    entries = listed(web)
    expected = {(TODAY - timedelta(n)).strftime("[%m-%d]") for n in range(days)}
    assert {words for words, *_ in entries} == expected
    known = {url: (article.title, article.stamp) for url, article in web.truth().items()}
    assert {url: (title, stamp) for _, url, title, stamp in entries} == known


def test_lists_are_newest_first_with_twenty_entries_a_page_and_some_twice(web: DemoWeb) -> None:
    pages = [page.xpath('//ul[@class="newslist"]/li/a/@href') for page in list_pages(web)]
    assert {len(page) for page in pages[:-1]} == {20}
    assert 1 <= len(pages[-1]) <= 20
    days = [re.search(r"/news/(\d{8})", url)[1] for page in pages for url in page]
    assert days == sorted(days, reverse=True)
    assert any(len(set(hrefs)) < len(hrefs) for hrefs in pages)
    assert all(page[-1] == following[0] for page, following in pairwise(pages))


def test_the_truth_has_every_price_of_the_pages_and_no_other(web: DemoWeb) -> None:
    """Counts the prices with a unit in prose and the rows of tables."""
    assert {article.pages for article in web.truth().values()} == {1, 2, 3, 4}
    for article in web.truth().values():
        pages = article_pages(web, article)
        assert len(pages) == article.pages
        text = "\n".join(page.find_class("content")[0].text_content() for page in pages)
        for quote in article.quotes:
            assert quote.mention in text
            per_jin = f"{quote.low / 2000:g}元/斤"
            per_ton = f"{quote.low}-{quote.high}" if quote.low < quote.high else str(quote.low)
            assert per_jin in text or per_ton in text
        prose = "".join(p.text_content() for page in pages for p in page.xpath("//p"))
        rows = [row for page in pages for row in page.xpath("//table//tr[td]")]
        priced = re.findall(r"\d元/(?:斤|吨|噸)", prose)
        assert len(article.quotes) == len(priced) + len(rows) > 0


def test_every_page_declares_its_charset_in_meta_alone(web: DemoWeb) -> None:
    for article in web.truth().values():
        response = get(web, article.url)
        assert response.headers["Content-Type"] == "text/html"
        declared = b"big5" if "big5" in article.encodings else b"gb2312"
        assert b'content="text/html; charset=' + declared in response.body


def test_one_page_is_utf8_though_it_declares_gb2312(web: DemoWeb) -> None:
    article = one(web, "utf-8")
    assert article.encodings[0] == "gb2312"
    last = get(web, article.url.replace(".html", f"_{article.pages}.html")).body
    assert b"charset=gb2312" in last
    assert "元/吨" in last.decode("utf-8")
    with pytest.raises(UnicodeDecodeError):
        last.decode("gb18030")


def test_some_pages_have_characters_or_a_charset_of_their_own(web: DemoWeb) -> None:
    text = "".join(page.text_content() for page in article_pages(web, one(web, "gbk")))
    assert {"镕", "瑀"} <= {*text}
    with pytest.raises(UnicodeEncodeError):
        text.encode("gb2312")
    body = get(web, one(web, "big5").url).body
    assert "玉米平艙價" in body.decode("big5")
    assert b"charset=big5" in body
    cells = [
        cell
        for article in web.truth().values()
        for page in article_pages(web, article)
        for cell in page.xpath("//td/text()")
    ]
    # It looks like a formula.
    assert "=1+1" in cells


def test_an_article_is_answered_304_while_it_is_unchanged(web: DemoWeb) -> None:
    url = next(iter(web.truth()))
    first = get(web, url)
    etag, changed = first.headers["ETag"], first.headers["Last-Modified"]
    earlier = format_datetime(parsedate_to_datetime(changed) - timedelta(seconds=1), usegmt=True)
    for headers in (
        {"if_none_match": etag},
        {"if_none_match": f'"other", W/{etag}'},
        {"if_none_match": "*"},
        {"if_modified_since": changed},
        {"if_none_match": etag, "if_modified_since": "Mon, 01 Jan 2001 00:00:00 GMT"},
    ):
        again = get(web, url, **headers)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["ETag"] == etag
    for headers in (
        {"if_none_match": '"other"'},
        {"if_none_match": '"other"', "if_modified_since": changed},
        {"if_modified_since": earlier},
        {"if_modified_since": "yesterday"},
        {"if_modified_since": "Mon, 01 Jan 2001 00:00:00"},
    ):
        assert get(web, url, **headers).body == first.body
    # List pages have no validators.
    assert set(get(web, "/list/").headers) == {"Content-Type"}


@pytest.mark.parametrize(
    "path",
    [
        "/nothing.html",
        "/list/index_99.html",
        "/news/202603061.html",
        "/news/202603057.html",
        "/news/000101011.html",
        "/news/202603051_9.html",
        "/news/２０２６03051.html",
    ],
)
def test_what_is_not_there_is_404(web: DemoWeb, path: str) -> None:
    assert get(web, path).status == 404


def test_articles_older_than_the_lists_stay_reachable(web: DemoWeb) -> None:
    assert get(web, "/news/202501011.html").status == 200
    assert get(web, "/news/195001011.html").status == 200
    assert get(web, "/robots.txt").body == b"User-agent: *\nDisallow: /private/\n"
    assert get(web, "/private/").status == 200


def test_a_day_later_one_article_has_changed_one_is_gone_and_new_ones_are_on_top(
    web: DemoWeb,
) -> None:
    before, old = web.truth(), {url: get(web, url) for url in web.truth()}
    web.advance(1)
    after = web.truth()

    new = after.keys() - before.keys()
    assert new
    assert {after[url].published for url in new} == {TODAY + timedelta(1)}
    assert listed(web)[0][1] in new

    (gone,) = before.keys() - after.keys()
    assert get(web, gone).status == 404

    changed = {url for url in before.keys() & after.keys() if before[url] != after[url]}
    (url,) = changed
    assert after[url].stamp > before[url].stamp
    assert len(after[url].quotes) == len(before[url].quotes) + 1
    etag = old[url].headers["ETag"]
    assert get(web, url, if_none_match=etag).status == 200
    assert get(web, url, if_modified_since=old[url].headers["Last-Modified"]).status == 200
    same = before.keys() - {gone, url}
    assert all(get(web, u, if_none_match=old[u].headers["ETag"]).status == 304 for u in same)


def test_a_web_started_later_equals_one_that_was_advanced(web: DemoWeb) -> None:
    web.advance(4)
    assert all_bodies(web) == all_bodies(DemoWeb(7, 34, TODAY + timedelta(4)))
