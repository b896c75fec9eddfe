"""Links of arbitrary pages, and of recorded ones compared with Scrapy's LinkExtractor."""

from __future__ import annotations

import random
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.pages.link import Link, Position
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import LinkFeatures

REPLAY = Path(__file__).resolve().parents[3] / "shared" / "replay"
URL = "http://a.test/dir/page.html"

tags = st.sampled_from(
    '<a href="/x"> <a href=y> </a> <a> <a href="http://[bad"> <a href="javascript:f()"> <li> </ul> <nav>'
    " </nav> <h2> </h2> <div class=footer> </div> <p> <b> </b> <script> </script> <base href=/b/> <img"
    ' alt=图 src=i.png> <table> <th> <!-- --> <a href="?q=中"> \ufdd0 &#xFDD1; \x00 <template> </template>'.split(
        " "
    )
)
pages = (
    st.binary(max_size=200)
    | st.text(max_size=200)
    | st.lists(tags | st.text(max_size=8), max_size=40).map(" ".join)
)


@settings(deadline=None, max_examples=300)
@given(pages)
def test_any_page_has_sound_links(html: bytes | str) -> None:
    page = parse_page(html, URL)
    urls = [link.url for link in page.links]
    assert len(urls) == len(set(urls))
    for link in page.links:
        assert urlsplit(link.url).scheme in ("http", "https")
        assert "#" not in link.url
        assert canonical_url(link.url) == link.url
        assert isinstance(link.position, Position)
        for text in (link.anchor, link.before, link.after, link.title, link.heading, link.rel):
            assert text == text.strip()
            assert len(text) <= 200
    LinkClassifier(LinkFeatures(["机器学习"])).score(page.links)


def links_of(html: str, **options: object) -> dict[str, Link]:
    return {link.url.removeprefix("http://a.test"): link for link in parse_page(html, URL).links}


def test_the_context_is_the_nearest_link_within_the_window_else_the_text() -> None:
    far = "远" * 60
    found = links_of(
        f"<p>前文<a href=/1>甲</a>和<a href=/2>乙</a>{far}</p><p>{far}关于丙的话<a href=/3>丙</a>后文</p>"
    )
    assert (found["/1"].before, found["/1"].after) == ("前文", "乙")
    assert found["/2"].before == "甲"
    assert set(found["/2"].after) == {"远"}
    assert found["/3"].before.endswith("关于丙的话")
    assert found["/3"].after == "后文"


def test_positions_of_links() -> None:
    found = links_of(
        "<nav><a href=/home>首页</a></nav><h2>神经网络</h2><ul><li><a href=/1 title=长标题 rel='NoFollow'>"
        "<img alt=图片说明 src=x.png></a></ul><div class='site-footer footer'><a href=/icp>备案</a></div>"
    )
    assert found["/home"].position is Position.NAVIGATION
    assert found["/icp"].position is Position.FOOTER
    picture = found["/1"]
    assert (picture.anchor, picture.title, picture.heading) == ("图片说明", "长标题", "神经网络")
    assert (picture.position, picture.rel) == (Position.BODY, "nofollow")


def test_omitted_and_duplicate_links() -> None:
    found = links_of(
        "<base href='/b/'><a href='mailto:x@y.cn'>信</a><a href='javascript:void(0)'>脚</a><a href='#top'>顶</a>"
        "<a href='paper.pdf'>文</a><a href='HTTP://A.TEST:80/./c/../1#x'>甲</a><a href='/1'>乙</a><a href='r'>相对</a>"
    )
    assert list(found) == ["/1", "/b/r"]
    assert set("甲乙") <= set(found["/1"].anchor)


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/x>" * 5000,
        "<div>" * 300 + "<a href=/x>深</a>",
        "字" * 1_000_000 + "<a href=/x>长</a>",
    ],
)
def test_monstrous_pages(html: str) -> None:
    assert [link.url for link in parse_page(html, URL).links] == ["http://a.test/x"]


def test_recorded_pages_have_the_links_that_scrapy_finds() -> None:
    recording = REPLAY / "blogs-2026.warc.gz"
    if not recording.exists():
        pytest.skip(f"the recorded sites are not here ({REPLAY})")
    chosen = random.Random(3).sample(range(6000), 60)
    scrapy_finds = LinkExtractor(canonicalize=False)
    different = total = 0
    for number, page in enumerate(recorded_pages(recording)):
        if number > max(chosen):
            break
        if number not in chosen or page.status != 200:
            continue
        ours = {link.url for link in parse_page(page.body, page.url).links}
        response = HtmlResponse(page.url, body=page.body, encoding="utf-8")
        theirs = {canonical_url(link.url) for link in scrapy_finds.extract_links(response)}
        # Ours omit the page itself (by fragment) and a few more file types.
        theirs.discard(canonical_url(page.url))
        different += len(theirs ^ ours)
        total += len(theirs)
    assert total > 1000
    assert different < 0.04 * total
