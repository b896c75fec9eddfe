"""URLs and result pages of every shipped search engine."""

from __future__ import annotations

import base64
import contextlib
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import serp
from focuscrawl.errors import SearchEngineError
from focuscrawl.templates.search_engines.search_engine import (
    SearchEngine,
    engine_names,
    load_search_engine,
    scripted_target,
)

ROOT = Path(__file__).resolve().parents[3]
SAVED = ROOT.parent / "shared" / "contacts" / "serp"
SEARXNG = "searxng@http://127.0.0.1:8888/"

# One result each in the layout of the engine, an advertisement, and the link to the next page.
PAGES = {
    "baidu": """<div id=content_left>
        <div class="result c-container" data-tuiguang=1><h3><a href=//ad.test/>x</a></h3></div>
        <div class="result c-container"><h3><a href="/baidu.php?url=9">x</a></h3></div>
        <div class="result c-container" mu="http://firm.test/"><h3 class=t>
            <a href="/link?url=abc">蓝湖 <em>软件</em></a></h3></div>
        <div class="result c-container" mu="http://nourl.ubs.baidu.com/1"><h3>
            <a href="/link?url=def">青石</a></h3></div></div>
        <div id=page><a class=n href=1>上一页</a> <a class=n href=3>下一页 &gt;</a></div>""",
    "bing": """<ol id=b_results><li class=b_ad><h2><a href="http://ad.test">x</a></h2></li>
        <li class=b_algo><h2><a href="/ck/a?p=1&u=a1{bing}">蓝湖 <b>软件</b></a></h2>
        <cite>firm.test</cite></li><li class=b_algo><h2><a href="/ck/a?p=1">青石</a></h2></li></ol>
        <a class=sb_pagN href=2>下一页</a>""",
    "sogou": """<div class=results><div class="sponsored vrwrap"><h3><a href=x>x</a></h3></div>
        <div class=vrwrap><p>还搜了</p></div>
        <div class=vrwrap><h3 class=vr-title><a href="/link?url=1">蓝湖 软件</a></h3>
        <div class=r-sech data-url="http://firm.test/"></div></div>
        <div class=rb><h3 class=pt><a href="/link?url=2">青石</a></h3></div></div>
        <a id=sogou_next href=2>下一页</a>""",
    "so360": """<div id=e_idea_pp><li class=res-list><h3><a href=x>x</a></h3></li></div>
        <ul class=result><li class=res-list><h3 class=res-title>
        <a href="/link?m=1" data-mdurl="http://firm.test/">蓝湖 软件</a></h3></li>
        <li class=res-list><h3 class=res-title><a href="/link?m=2">青石</a></h3></li></ul>
        <a id=snext href=2>下一页</a>""",
    "demo": """<div id=results><div class="result promoted"><h3><a href=x>x</a></h3></div>
        <div class=result data-real="http://firm.test/"><h3><a href="/link?url=1">蓝湖 软件</a></h3>
        </div><div class=result><h3><a href="/link?url=2">青石</a></h3></div></div>
        <a class=next href=2>下一页</a>""",
}
HOSTS = {
    "baidu": "https://www.baidu.com/s",
    "bing": "https://www.bing.com/search",
    "sogou": "https://www.sogou.com/web",
    "so360": "https://www.so.com/s",
    "demo": "http://search.demo.test/s",
}
NOTHING = {
    "baidu": "<div class=nors>抱歉没有找到与“x”相关的网页</div>",
    "bing": "<ol id=b_results><li class=b_no>无</li></ol>",
    "sogou": "<p>抱歉，没有找到与“<em>x</em>”相关的网页</p>",
    "so360": "<p>抱歉，未找到和“x”相关的网页</p>",
    "demo": "<p class=nothing>没有</p>",
}
WALLS = {
    "baidu": "<title>x</title><div>百度安全验证</div>",
    "bing": "<div class=captcha></div>",
    "sogou": "<img id=seccodeImage>",
    "so360": "<p>系统检测到您操作过于频繁</p>",
    "demo": "<form id=captcha></form>",
}


def page_of(name: str) -> str:
    bing = base64.urlsafe_b64encode(b"http://firm.test/").decode().rstrip("=")
    return PAGES[name].replace("{bing}", bing)


def own(folder: Path, text: str, name: str = "mine") -> SearchEngine:
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return load_search_engine(name, folder)


MINE = """
name: mine
title: Mine
url: "http://s.test/?q={keyword}&p={page}"
encoding: gb2312
most_pages: 2
html: {results: [li], titles: [a], shown: [cite], next_page: [.next]}
real_url: {redirects: ["/go"]}
"""


def test_every_shipped_engine_loads() -> None:
    names = engine_names()

    assert {"baidu", "bing", "sogou", "so360", "searxng", "demo"} <= set(names)
    for name in names:
        assert load_search_engine(SEARXNG if name == "searxng" else name).title


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("baidu", "https://www.baidu.com/s?wd=%E5%9B%9B%E5%B7%9D%26&pn=10&ie=utf-8"),
        ("bing", "https://www.bing.com/search?q=%E5%9B%9B%E5%B7%9D%26&first=11"),
        ("sogou", "https://www.sogou.com/web?query=%E5%9B%9B%E5%B7%9D%26&page=2&ie=utf8"),
        ("so360", "https://www.so.com/s?q=%E5%9B%9B%E5%B7%9D%26&pn=2&ie=utf-8"),
        (SEARXNG, "http://127.0.0.1:8888/search?q=%E5%9B%9B%E5%B7%9D%26&pageno=2&format=json"),
        ("demo", "http://search.demo.test/s?wd=%CB%C4%B4%A8%26&pn=10"),
    ],
)
def test_url_of_the_second_page_of_each_engine(name: str, second: str) -> None:
    assert list(islice(load_search_engine(name).pages("四川&"), 2))[1] == second


def test_baidu_serves_76_pages_of_ten() -> None:
    pages = list(load_search_engine("baidu").pages("x"))

    assert len(pages) == 76
    assert "pn=750&" in pages[-1]


def test_braces_in_a_keyword_are_not_placeholders(tmp_path: Path) -> None:
    first = next(own(tmp_path, MINE).pages("{page}龍囧"))

    # A character that GB2312 lacks is encoded in its superset.
    assert first == "http://s.test/?q=%7Bpage%7D%FD%88%87%E5&p=1"


@pytest.mark.parametrize("name", PAGES)
def test_results_are_read_without_advertisements(name: str) -> None:
    page = load_search_engine(name).read(page_of(name), HOSTS[name])

    assert [(one.rank, one.title, one.url) for one in page.results] == [
        (1, "蓝湖 软件", "http://firm.test/"),
        (2, "青石", None),
    ]
    assert all(one.href.startswith(HOSTS[name].rpartition("/")[0]) for one in page.results)
    assert not page.is_last
    # Without its next link it is the last.
    alone = page_of(name).replace("下一页", "").replace("class=sb_pagN", "")
    alone = alone.replace("sogou_next", "").replace("snext", "").replace("class=next", "")
    assert load_search_engine(name).read(alone, HOSTS[name]).is_last


@pytest.mark.parametrize("name", NOTHING)
def test_page_that_reports_no_results_may_be_empty(name: str) -> None:
    page = load_search_engine(name).read(NOTHING[name], HOSTS[name])

    assert page.results == ()
    assert page.is_last


@pytest.mark.parametrize("name", WALLS)
def test_captcha_is_an_error_that_names_the_engine(name: str) -> None:
    with pytest.raises(
        SearchEngineError, match=f"^search engine {name} asks for a captcha; .*another"
    ):
        load_search_engine(name).read(WALLS[name], HOSTS[name])


def test_captcha_is_recognised_by_its_url() -> None:
    with pytest.raises(SearchEngineError, match="asks for a captcha"):
        load_search_engine("baidu").read("<p></p>", "https://wappass.baidu.com/static/captcha/")


@pytest.mark.parametrize("body", ["", "<div id=content_left></div>", "<h1>502</h1>", "\0"])
@pytest.mark.parametrize("name", PAGES)
def test_page_without_results_or_a_notice_is_an_error(name: str, body: str) -> None:
    with pytest.raises(
        SearchEngineError, match=f"^search engine {name} returned a page with neither .*{name}.yaml"
    ):
        load_search_engine(name).read(body, HOSTS[name])


def test_printed_url_is_used_only_if_it_is_complete(tmp_path: Path) -> None:
    shown = [
        "https://a.test/b",
        "https://a.test/b...",
        "https://a.test › b",
        "a.test/b",
        "https://",
    ]
    body = "".join(
        f"<li><a href=/go?{n}>x</a><cite>{text}</cite></li>" for n, text in enumerate(shown)
    )

    results = own(tmp_path, MINE).read(body, "http://s.test/").results

    assert [one.url for one in results] == ["https://a.test/b", None, None, None, None]
    assert [one.shown for one in results] == shown


def test_result_within_a_result_counts_once(tmp_path: Path) -> None:
    body = "<li><ul><li><a href=http://a.test/>x</a></li></ul></li>"

    results = own(tmp_path, MINE).read(body, "http://s.test/").results

    assert [one.url for one in results] == ["http://a.test/"]


def test_link_without_a_target_is_not_a_result(tmp_path: Path) -> None:
    links = ("http://[", "javascript:;", "ftp://a.test/", "mailto:a@b.test", " http://a.test/ ", "")
    body = "".join(f'<li><a href="{href}">x</a></li>' for href in links)

    page = own(tmp_path, MINE).read(body, "http://s.test/")

    assert [(one.rank, one.url) for one in page.results] == [(1, "http://a.test/")]


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(PAGES)))
def test_broken_pages_are_read_or_rejected_with_an_engine_error(
    data: st.DataObject, name: str
) -> None:
    page = page_of(name)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(page)))
        noise = data.draw(
            st.text(max_size=8) | st.sampled_from(["<", '"', "http://[", "%", "</h3>"])
        )
        page = page[:start] + noise + page[start + data.draw(st.integers(0, 30)) :]

    with contextlib.suppress(SearchEngineError):
        results = load_search_engine(name).read(page, HOSTS[name]).results
        assert [one.rank for one in results] == list(range(1, len(results) + 1))


def test_json_of_searxng() -> None:
    engine = load_search_engine(SEARXNG)
    body = '{"results": [{"title": "a\\n b", "url": "http://a.test/"}, {"title": "?"}, 3]}'

    page = engine.read(body, "http://127.0.0.1:8888/search")

    assert [(one.rank, one.title, one.url) for one in page.results] == [
        (1, "a b", "http://a.test/")
    ]
    assert not page.is_last
    assert engine.read('{"results": []}', "").is_last


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<html>403</html>", "did not return the expected JSON; check its address .*settings.yml"),
        ("[" * 100_000, "did not return the expected JSON"),
        ('{"error": 1}', "did not return the expected JSON"),
        ('{"results": [], "unresponsive_engines": [["bing", "timeout"]]}', "got no response"),
    ],
)
def test_searxng_in_trouble(body: str, words: str) -> None:
    with pytest.raises(SearchEngineError, match=words):
        load_search_engine(SEARXNG).read(body, "")


def test_own_engine_overrides_the_shipped_one(tmp_path: Path) -> None:
    engine = own(tmp_path, MINE.replace("mine", "baidu"), "baidu")

    assert engine.title == "Mine"
    assert load_search_engine("bing", tmp_path).title == "必应"


def test_one_engine_at_two_addresses() -> None:
    twin = load_search_engine("demo@http://search2.demo.test/")

    assert twin.name == "demo@http://search2.demo.test/"
    assert next(twin.pages("x")) == "http://search2.demo.test/s?wd=x&pn=0"
    assert load_search_engine("searxng@http://a.test").address == "http://a.test"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "gogle",
            "there is no search engine 'gogle'; known: baidu, bing, demo, .*engines/gogle.yaml",
        ),
        ("../x", "cannot be the name of a search engine"),
        ("searxng", "is self-hosted .*write it like searxng@http://127.0.0.1:8888"),
        ("searxng@127.0.0.1", "is self-hosted"),
        ("searxng@http://[", "is self-hosted"),
    ],
)
def test_engine_that_cannot_be_loaded(name: str, words: str) -> None:
    with pytest.raises(SearchEngineError, match=words) as caught:
        load_search_engine(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[li]", '["li["]', "html.results.0: 'li\\[' is not a valid CSS selector"),
        ("{page}", "1", "the url needs {keyword} and {page}"),
        ("{page}", "{page}{pages}", "the url needs"),
        ("gb2312", "big5", "encoding"),
        ('["/go"]', '["("]', "real_url.redirects.0: Input should be a valid regular expression"),
        ("html:", "json: {results: a, title: b, url: c}\nhtml:", "give either html or json"),
        ("most_pages: 2", "most_pages: 2\npags: 3", "pags"),
        ("name: mine", "name: yours", "has name: 'yours'; write name: mine"),
    ],
)
def test_invalid_engine_file(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(SearchEngineError, match=words) as caught:
        own(tmp_path, MINE.replace(old, new))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "target"),
    [
        (
            '<script>window.location.replace("http://a.test/?b=1&c")</script>',
            "http://a.test/?b=1&c",
        ),
        ("<script>location.href = 'https://a.test/'</script>", "https://a.test/"),
        (
            """<META http-equiv="refresh" content="0;URL='http://a.test/?b&amp;c'">""",
            "http://a.test/?b&c",
        ),
        ("<p>http://a.test/ location</p>", None),
    ],
)
def test_target_of_a_redirect_by_script(body: str, target: str | None) -> None:
    assert scripted_target(body) == target


@pytest.mark.skipif(not SAVED.is_dir(), reason="no saved result pages in ../shared/contacts/serp")
def test_every_result_of_the_saved_pages_with_its_real_url() -> None:
    counts = list(serp.counts(SAVED))

    assert len(counts) == 8
    for one in counts:
        assert one.results == one.found == one.in_place == one.titles, one
        assert one.real == one.told, one
        assert one.invented == 0, one


def test_a_long_page_is_searched_for_a_redirect_in_linear_time() -> None:
    # Searching for the second word from each of the first ones would take minutes.
    assert scripted_target("http-equiv=refresh " * 20_000) is None
