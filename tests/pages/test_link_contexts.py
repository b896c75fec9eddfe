"""Links with contexts: rules one by one, arbitrary input, recorded pages."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from focuscrawl.pages.canonical_urls import LONGEST_URL, canonical_url, is_file, resolve
from focuscrawl.pages.link import Link, ParsedPage, Position
from focuscrawl.pages.link_contexts import WINDOW, parse_page
from focuscrawl.pages.page_outline import LONGEST_TEXT, MOST_LINKS
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages
from tests.pages import plain_reader

SHARED = Path(__file__).resolve().parents[3] / "shared/replay"
PAGE = "http://a.test/dir/page.html"
FAR = "远" * WINDOW
TAGS = (
    "a href=/x,a href=/y title=t,a href=z,a href='#c',a href='javascript:x',a name=n,/a,b,/b,em,/em,"
    "i,/i,div,div class=nav,div class=widget-title,/div,table,tr,td,th,/table,svg,/svg,title,/title,"
    "noscript,/noscript,script,/script,style,/style,template,/template,select,option,h2,/h2,h3,p,"
    "base href=/q/,img alt=图,area href=w alt=区,iframe,/iframe,article,/article,header,/header,footer,"
    "button,object,nav,/nav,main,form,textarea,dl,dt,dd,body,/body,frameset,li,ul,!-- --"
)
WORDS = ["机器", "学习", "Python", "12", "&lt;", " ", "\n", "\x00", "\ufdd0", "&#xfdd1;"]
SOUP = st.lists(
    st.sampled_from([*(f"<{tag}>" for tag in TAGS.split(",")), *WORDS]), max_size=40
).map("".join)


def links(html: bytes | str, **options: object) -> list[Link]:
    return parse_page(html, PAGE, **options).links  # type: ignore[arg-type]


def link(html: bytes | str) -> Link:
    """Return the link of ``html`` that leads to /it."""
    [found] = [link for link in links(html) if link.url == "http://a.test/it"]
    return found


# Anchor


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<a href=/it>机器学习</a>", "机器学习"),
        ("<a href=/it> 机器\n\t学习　入门 </a>", "机器 学习 入门"),
        ("<a href=/it>机<b>器</b>学<em>习</em></a>", "机器学习"),
        ("<a href=/it>Python<span>12</span></a>", "Python 12"),
        ("<a href=/it><h3>题目</h3><p>摘要</p></a>", "题目 摘要"),
        ("<a href=/it><img src=x alt='封面 图'></a>", "封面 图"),
        ("<a href=/it><img src=x alt='' title=题图></a>", "题图"),
        ("<a href=/it title=说明><img src=x></a>", "说明"),
        ("<a href=/it title=说明></a>", "说明"),
        ("<a href=/it title=说明><img alt=图>文字</a>", "文字"),
        ("<a href=/it><i class=icon></i></a>", ""),
        ("<map><area href=/it alt=山东></map>", "山东"),
        ("<a href=/it>甲<script>var a</script><style>b</style>乙</a>", "甲乙"),
        ("<a href=/it>没有结束", "没有结束"),
        ("<a href=/it>外<a href=/other>内</a></a>", "外"),
        ("<a href=/it>外<table><tr><td><a href=/other>内</a></table></a>", "外 内"),
        ("<a href=/it>&lt;b&gt; &amp;</a>", "<b> &"),
    ],
)
def test_anchor(html: str, anchor: str) -> None:
    assert link(html).anchor == anchor


def test_an_unclosed_anchor_is_cut() -> None:
    assert link(f"<a href=/it>{'长' * 1_000_000}").anchor == "长" * LONGEST_TEXT


# Context: the paper's rule


def test_without_other_links_the_context_is_the_text_in_the_window() -> None:
    found = link("<p>请看这一篇<a href=/it>入门</a>，讲得清楚</p>")
    assert (found.before, found.after) == ("请看这一篇", "，讲得清楚")


def test_the_window_is_limited_in_characters() -> None:
    found = link(f"<p>{'前' * 300}<a href=/it>入门</a>{'后' * 300}</p>")
    assert found.before in {"前" * WINDOW, "前" * (WINDOW - 1)}
    assert found.after in {"后" * WINDOW, "后" * (WINDOW - 1)}
    [short] = links(f"<p>{'前' * 300}<a href=/it>入门</a>{'后' * 300}</p>", window=10)
    assert len(short.before) <= len(short.after) <= 10


def test_the_nearest_other_link_in_the_window_takes_the_place_of_the_text() -> None:
    html = "<a href=/1>甲</a>近<a href=/2>乙</a>前文<a href=/it>入门</a>后文<a href=/3>丙</a>"
    found = link(html)
    assert (found.before, found.after) == ("乙", "丙")


def test_a_link_outside_of_the_window_is_ignored() -> None:
    html = f"<a href=/1>甲</a>{FAR}<a href=/it>入门</a>{FAR}<a href=/3>丙</a>"
    found = link(html)
    assert set(found.before + found.after) == {"远"}


def test_each_side_has_its_own_context() -> None:
    found = link(f"<a href=/1>甲</a><a href=/it>入门</a>{FAR}<a href=/2>乙</a>")
    assert found.before == "甲"
    assert set(found.after) == {"远"}


def test_unnamed_links_and_links_to_the_same_page_are_ignored_in_contexts() -> None:
    found = link(
        "<a href=/1>甲</a><a href=/2><i></i></a><a href=/it><img alt=图></a><a href=/it>入门</a>"
    )
    assert found.before == "甲"


def test_links_without_a_page_count_in_contexts() -> None:
    found = link("<a href='#top'>顶部</a><a href=/it>入门</a><a href='javascript:x()'>分享</a>")
    assert (found.before, found.after) == ("顶部", "分享")


def test_latin_words_and_numbers_are_not_cut() -> None:
    words = "tokenization " * 10
    found = link(f"{words}<a href=/it>入门</a>{words}")
    assert set(found.before.split()) | set(found.after.split()) == {"tokenization"}


# Title, heading, position, rel


def test_title_and_rel() -> None:
    found = link("<a href=/it title=' 好\n文 ' rel=' NoFollow\tnoopener '>入门</a>")
    assert (found.title, found.rel) == ("好 文", "nofollow noopener")


@pytest.mark.parametrize(
    ("html", "heading"),
    [
        ("<h2>教程</h2><a href=/it>x</a>", "教程"),
        ("<h2>教程</h2><h3>入门</h3><a href=/it>x</a>", "入门"),
        ("<h1>站</h1><h2><a href=/it>题目</a></h2>", "站"),
        ("<h1>站</h1><h2>上一篇</h2><h2><a href=/it>题目</a></h2>", "站"),
        ("<h2><a href=/1>题目</a></h2><a href=/it>阅读全文</a>", "题目"),
        ("<h1>站</h1><nav><h3>菜单</h3></nav><a href=/it>x</a>", "站"),
        ("<article><header><h1>题</h1></header><p><a href=/it>x</a></article>", "题"),
        ("<article><h1>题</h1></article><a href=/it>x</a>", ""),
        ("<div class=widget><div class=widget-title>分类</div><a href=/it>x</a></div>", "分类"),
        (
            "<div><div class='card-title'><i></i> 友链</div><ul><li><a href=/it>x</a></ul></div>",
            "友链",
        ),
        ("<div class=title><a href=/it>x</a></div>", ""),
        (f"<div class=title>{'长' * 81}</div><a href=/it>x</a>", ""),
        ("<div class=site-title>某人的博客</div><a href=/it>x</a>", ""),
        ("<dl><dt>友情链接<dd><a href=/it>x</a></dl>", "友情链接"),
        ("<dl><dt>友情链接</dl><a href=/it>x</a>", ""),
        ("<table><tr><th>行业<td><a href=/it>x</a></table>", "行业"),
        ("<table><tr><th>甲<th>乙<tr><td><a href=/it>x</a></table>", ""),
        ("<table><caption>价格</caption><tr><td><a href=/it>x</a></table>", "价格"),
        ("<h2></h2><a href=/it>x</a>", ""),
        ("<h2>机<b>器</b>\n学习</h2><a href=/it>x</a>", "机器 学习"),
    ],
)
def test_heading(html: str, heading: str) -> None:
    assert link(html).heading == heading


@pytest.mark.parametrize(
    ("html", "position"),
    [
        ("<a href=/it>x</a>", Position.BODY),
        ("<nav><a href=/it>x</a></nav>", Position.NAVIGATION),
        ("<aside><p><a href=/it>x</a></aside>", Position.NAVIGATION),
        ("<header><a href=/it>x</a></header>", Position.NAVIGATION),
        ("<footer><a href=/it>x</a></footer>", Position.FOOTER),
        ("<div role=navigation><a href=/it>x</a></div>", Position.NAVIGATION),
        ("<div class='x main-menu'><a href=/it>x</a></div>", Position.NAVIGATION),
        ("<div id=sidebarLeft><a href=/it>x</a></div>", Position.NAVIGATION),
        ("<ul class=breadcrumb><li><a href=/it>x</a></ul>", Position.NAVIGATION),
        ("<div class=post-nav><a href=/it>x</a></div>", Position.NAVIGATION),
        ("<ol class=toc><li><a href=/it>x</a></ol>", Position.NAVIGATION),
        ("<div class=site-footer><a href=/it>x</a></div>", Position.FOOTER),
        ("<div class=copyright><a href=/it>x</a></div>", Position.FOOTER),
        ("<div class=hide-aside><a href=/it>x</a></div>", Position.BODY),
        ("<div class=has-sidebar><a href=/it>x</a></div>", Position.BODY),
        ("<div class=navigable><a href=/it>x</a></div>", Position.BODY),
        ("<article><header><a href=/it>x</a></header></article>", Position.BODY),
        ("<article><footer><a href=/it>x</a></footer></article>", Position.BODY),
        ("<header class=post-header><a href=/it>x</a></header>", Position.BODY),
        ("<div class=sidebar-left><main><a href=/it>x</a></main></div>", Position.BODY),
        ("<nav>x</nav><a href=/it>x</a>", Position.BODY),
        ("<nav><div><ul><li></ul></div></nav><p><a href=/it>x</a>", Position.BODY),
    ],
)
def test_position(html: str, position: Position) -> None:
    assert link(html).position is position


# Which links


def test_relative_references_are_resolved_by_the_page_or_its_base() -> None:
    html = "<a href=x>甲</a><a href=../y>乙</a><a href=//b.test/z>丙</a>"
    assert [link.url for link in links(html)] == [
        "http://a.test/dir/x",
        "http://a.test/y",
        "http://b.test/z",
    ]
    found = links(f"<base href=/other/><base href=/second/>{html}")
    assert [link.url for link in found][:2] == ["http://a.test/other/x", "http://a.test/y"]


@pytest.mark.parametrize("base", ["http://[", "javascript:x", "mailto:a@a.test", ""])
def test_an_invalid_base_is_ignored(base: str) -> None:
    assert links(f"<base href='{base}'><a href=x>甲</a>")[0].url == "http://a.test/dir/x"


def test_links_that_lead_to_no_page_are_omitted() -> None:
    references = (
        "mailto:a@a.test tel:1 javascript:x data:x # #a http://[ ftp://a/ /a.pdf /b.JPG x.zip"
    )
    html = "".join(f"<a href='{href}'>文字</a>" for href in references.split())
    assert links(f"{html}<a href=''>空</a><a>无</a><a href>无值</a><link href=/x>") == []


def test_descendants_of_invisible_elements_are_removed() -> None:
    # In an SVG, scripts and styles are ordinary elements that contain elements.
    page = parse_page(
        "<svg><style>甲<a href=/in>乙</a><script><g>丙</g><style><a href=/deep>丁</a></style></script>"
        "</style></svg><noscript><a href=/none>戊</a><script>1</script></noscript>"
        "<a href=/it>己</a><svg><script><noscript></noscript></script></svg>",
        PAGE,
    )
    assert [found.url for found in page.links] == ["http://a.test/it"]
    assert page.text == page.links[0].anchor == "己"


def test_invisible_elements_are_ignored_in_titles_and_rows() -> None:
    page = parse_page(
        "<svg><title>甲<style>乙</style></title></svg><table><tr><th>城市<script>1</script></th>"
        "<script>2</script><style>3</style><td><a href=/it>北京</a></table>",
        PAGE,
    )
    assert (page.title, page.links[0].heading) == ("甲", "城市")


def test_a_frameset_takes_the_links_of_the_body_with_it() -> None:
    for html in (
        "<a href=/it><frameset></frameset></html>\n<m",
        "<b><a href=/it><frameset></frameset></html><i>\n<m",
    ):
        page = parse_page(html, PAGE)
        assert (page.text, page.links) == ("", [])


def test_hidden_links_are_omitted() -> None:
    tags = ["noscript", "template", "iframe", "script", "style"]
    assert links("<p>" + "".join(f"<{tag}><a href=/{tag}>文字</a></{tag}>" for tag in tags)) == []


def test_a_page_with_an_invalid_url_keeps_its_absolute_links() -> None:
    html = "<a href=http://b.test/x>甲</a><a href=/y>乙</a>"
    assert [link.url for link in parse_page(html, "no address").links] == ["http://b.test/x"]


def test_a_query_is_encoded_in_the_charset_of_the_page() -> None:
    page = parse_page("<a href='/玉?q=玉'>甲</a>", PAGE, charset="gb18030")
    assert [link.url for link in page.links] == ["http://a.test/%E7%8E%89?q=%D3%F1"]


# One link for each URL


def test_a_url_linked_twice_is_one_link_with_all_its_texts() -> None:
    [first, found, *_] = links(
        "<footer><a href=/0>零</a><a href=/it rel=a>首页</a><a href=/1>甲</a></footer>"
        "<nav><a href=/2>乙</a><a href='/it#x' rel='b a' title=题>主页</a><a href=/3>丙</a></nav>"
        "<h2>推荐</h2><a href=/4>丁</a><a href=/it>首页</a><a href=/5>戊</a>"
    )
    assert first.url == "http://a.test/0"
    assert found == Link(
        "http://a.test/it", "首页 主页", "零 乙 丁", "甲 丙 戊", "题", "推荐", Position.BODY, "a b"
    )


def test_a_url_linked_thousands_of_times_stays_short() -> None:
    [found] = links("".join(f"<p>第{n}段<a href=/it>第{n}处</a>" for n in range(5000)))
    assert found.anchor.startswith("第0处 第1处 ")
    assert max(map(len, found)) <= LONGEST_TEXT


# Title and text


def test_title_and_text() -> None:
    page = parse_page(
        "<title> 玉米\n价格 </title><style>p{}</style><p>一斤<b>两</b>元<br>涨了<script>x</script>"
        "<ul><li>甲<li>乙</ul><noscript>开启脚本</noscript><svg><title>图标</title></svg><!-- 注 -->",
        PAGE,
    )
    assert page == ParsedPage("玉米 价格", "一斤两元 涨了 甲 乙 图标", [])


def test_links_left_out_for_their_length_are_counted() -> None:
    long = "x" * LONGEST_URL
    hrefs = (f"/{long}", f"http://b.test/{long}", f"javascript:{long}", "/x")
    page = parse_page("".join(f"<a href='{href}'>1</a>" for href in hrefs), PAGE)
    assert (len(page.links), page.too_long) == (1, 2)


@pytest.mark.parametrize("html", [b"", "", b"\xff\xfe\x00", "\udc80", "<frameset><frame src=x>"])
def test_pages_without_links(html: bytes | str) -> None:
    assert links(html) == []


def test_bytes_are_utf_8_with_or_without_a_bom() -> None:
    html = "<title>题</title><a href=/it>机器学习</a>"
    pages = [
        parse_page(page, PAGE) for page in (html, html.encode(), b"\xef\xbb\xbf" + html.encode())
    ]
    assert pages[0] == pages[1] == pages[2]
    assert "\ufffd" in link(b"<a href=/it>\xbb\xfa</a>").anchor


def test_the_mark_characters_may_occur_on_the_page() -> None:
    marks = "\ufdd0&#xfdd1;\ufdd2"
    found = link(f"<p>前{marks}<a href=/it>甲{marks}</a>后</p>")
    assert (found.before, found.anchor, found.after) == (
        "前\ufdd0\ufdd1\ufdd2",
        "甲\ufdd0\ufdd1\ufdd2",
        "后",
    )


# Pages that are large, deep, broken

LARGE = {
    "many links": ("".join(f"<li><a href=/{n}>第{n}条</a>" for n in range(20_000)), MOST_LINKS),
    "one URL": ("<a href=/x>甲</a>" * 20_000, 1),
    "one line": (f"{'机' * 1_000_000}<a href=/x>甲</a>{'x' * 1_000_000}", 1),
    "deep blocks": ("<a href=/x>甲</a>" + "<div>" * 50_000 + "<a href=/y>乙</a>", 1),
    "deep spans": ("<span>" * 50_000 + "<a href=/x>甲</a>", 1),
    "deep emphasis": ("<b>" * 50_000 + "<a href=/x>甲</a>", 1),
    "nested links": ("<a href=/x><table><tr><td>" * 5_000, 1),
    "nested titles": ("<h1>题<div class=nav>" * 5_000, 0),
    "long class": (f"<div class='{'nav ' * 100_000}'><a href=/x>甲</a></div>", 1),
    "long reference": (f"<a href='/{'x' * 1_000_000}'>甲</a>", 0),
    "no tags": ("<" * 500_000, 0),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_deep_and_broken_pages(name: str) -> None:
    html, count = LARGE[name]
    found = links(html)
    assert len(found) == count
    assert all(max(map(len, link[1:])) <= LONGEST_TEXT for link in found)


def test_blocks_closed_in_order_are_not_deep() -> None:
    html = "<div><ul><li>x</li></ul></div>" * 20_000 + "<a href=/it>甲</a>"
    assert link(html).anchor == "甲"


# Whatever comes in


@given(st.binary() | st.text() | SOUP)
@example("<svg><style><a href=/x>")
@example("<frameset></frameset><noframes><a href=/x>")
def test_any_page_is_read(html: bytes | str) -> None:
    page = parse_page(html, PAGE)
    urls = [link.url for link in page.links]
    assert len(set(urls)) == len(urls)
    for url in urls:
        assert url.startswith(("http://", "https://"))
        assert canonical_url(url) == url
        assert "#" not in url
        assert len(url) <= LONGEST_URL
    for text in (page.title, page.text, *(text for link in page.links for text in link[1:])):
        assert " ".join(text.split()) == text


@given(st.text(max_size=60))
def test_any_text_may_be_the_url_of_a_page(url: str) -> None:
    page = parse_page("<base href=x><a href=/x>甲</a><a href=http://b.test/>乙</a>", url)
    assert "http://b.test/" in [link.url for link in page.links]


def check_against_the_plain_reader(html: bytes | str, base: str) -> int:
    """Compare text, links, anchors, contexts and positions with the plain reader; return the links."""
    page = parse_page(html, base)
    text, seen = plain_reader.read(html)
    assert page.text == text
    pages = [resolve(base, link.href) for link in seen]
    once = {url for url in pages if url and pages.count(url) == 1}
    expected = {}
    for number, (place, url) in enumerate(zip(seen, pages, strict=True)):
        if url in once:
            expected[url] = (
                text[place.start : place.end].strip()[:LONGEST_TEXT].strip(),
                place.position,
                _nearest(text, seen, pages, number),
            )
    by_url = {link.url: link for link in page.links}
    assert set(by_url) == {url for url in pages if url}
    for url, (anchor, position, (before, after)) in expected.items():
        found = by_url[url]
        assert found.position is position
        if anchor:
            assert found.anchor == anchor
        if before is not None:
            assert found.before == before
        if after is not None:
            assert found.after == after
    return len(expected)


def _nearest(
    text: str, seen: list[plain_reader.Seen], pages: list[str | None], number: int
) -> tuple[str | None, str | None]:
    """Return the anchors of the nearest other links, None if the text is the context.

    Also None where a link without text stands between, whose name would have to be looked for.
    """
    own = seen[number]
    sides: list[str | None] = []
    for others in (range(number - 1, -1, -1), range(number + 1, len(seen))):
        side = None
        for other in others:
            link = seen[other]
            gap = own.start - link.end if other < number else link.start - own.end
            anchor = text[link.start : link.end].strip()[:LONGEST_TEXT].strip()
            if gap >= WINDOW or not anchor:
                break
            if pages[other] is None or pages[other] != pages[number]:
                side = anchor
                break
        sides.append(side)
    return sides[0], sides[1]


@given(SOUP)
@example("<a href=/x><frameset>")
def test_any_page_is_read_as_the_plain_reader_does(html: str) -> None:
    if not {"<base", "\ufdd0", "\x00"} & {
        html[i : i + n] for n in (1, 5) for i in range(len(html))
    }:
        check_against_the_plain_reader(html, PAGE)


# Recorded pages


@pytest.fixture(scope="module")
def blogs() -> list[Recorded]:
    file = SHARED / "blogs-2026.warc.gz"
    if not file.is_file():
        pytest.skip("the recorded blogs are not beside the repository (../shared)")
    pages = (page for page in recorded_pages(file) if page.status == 200)
    return list(islice(pages, 0, 1500, 25))


@pytest.mark.slow
def test_recorded_pages_are_read_as_the_plain_reader_does(blogs: list[Recorded]) -> None:
    pages = [page for page in blogs if b"<base" not in page.body]
    compared = sum(
        check_against_the_plain_reader(page.body, canonical_url(page.url)) for page in pages
    )
    assert compared > 1000


def test_recorded_pages_have_the_links_that_scrapy_finds(blogs: list[Recorded]) -> None:
    extractor = LinkExtractor(deny_extensions=[])
    both = 0
    for page in blogs:
        response = HtmlResponse(page.url, body=page.body, encoding="utf-8")
        found = extractor.extract_links(response)
        theirs = {url for link in found if (url := _canonical_or_nothing(link.url))}
        ours = {link.url for link in parse_page(page.body, page.url).links}
        both += len(ours & theirs)
        assert not ours - theirs
        hidden = {
            _canonical_or_nothing(response.urljoin(href))
            for href in response.css("noscript a::attr(href), iframe a::attr(href)").getall()
        }
        left_out = {
            url
            for url in theirs - ours - hidden
            # References within the page, files, and URLs that Scrapy would not request.
            if url != canonical_url(page.url) and not is_file(url) and len(url) <= LONGEST_URL
        }
        assert not left_out
    assert both > 1000


def _canonical_or_nothing(url: str) -> str:
    try:
        return canonical_url(url)
    except ValueError:
        return ""


def test_a_recorded_page_in_gb2312() -> None:
    file = SHARED / "maize-2017.warc.gz"
    if not file.is_file():
        pytest.skip("the recorded maize site is not beside the repository (../shared)")
    first = next(page for page in recorded_pages(file) if page.status == 200)
    page = parse_page(first.body.decode("gb18030", "replace"), first.url, charset="gb18030")
    assert "\ufffd" not in page.text
    assert "玉米" in page.text
    assert sum("玉米" in link.anchor for link in page.links) > 5


def test_only_the_first_links_of_a_page_are_read_and_the_others_are_counted() -> None:
    references = "".join(f"<a href=/{n}>{n}</a> " for n in range(MOST_LINKS + 70))
    page = parse_page(f"<p>{references}</p>", "http://a.test/")
    assert [link.url for link in page.links[:2]] == ["http://a.test/0", "http://a.test/1"]
    assert (len(page.links), page.unread) == (MOST_LINKS, 70)
    assert page.text.endswith(str(MOST_LINKS + 69))
    assert parse_page("<a href=/1>1</a>", "http://a.test/").unread == 0
