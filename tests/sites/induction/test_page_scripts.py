"""Traces of lists that scripts load."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.missing_list import script_traces
from tests.sites.induction.pages import LIST_URL, MENU, tree


@pytest.mark.parametrize(
    ("script", "url"),
    [
        ('fetch("/api/list?page=1")', "http://news.example/api/list?page=1"),
        ("axios.get('list.json', {params})", "http://news.example/xinwen/list.json"),
        ("$.ajax({type: 'GET', url: '/api/list', data: x})", "http://news.example/api/list"),
        ("$.getJSON('/api/list?p=' + page)", "http://news.example/api/list?p=1"),
        ("fetch(`/api/list/${page}`)", "http://news.example/api/list/1"),
        ("x.open('POST', '//api.news.example/q')", "http://api.news.example/q"),
    ],
)
def test_the_urls_of_data_are_found(script: str, url: str) -> None:
    traces = script_traces(tree(f"<p>x</p><script>{script}</script>"), LIST_URL)
    assert traces.data_urls == (url,)


@pytest.mark.parametrize(
    "script",
    ["fetch('/main.js')", "$.get('https://stats.other.com/hit')", "x = {url: '/next.html'}", "fetch('http://[')"],
)  # fmt: skip
def test_scripts_pages_and_other_sites_are_no_data(script: str) -> None:
    assert script_traces(tree(f"<p>x</p><script>{script}</script>"), LIST_URL).data_urls == ()


@pytest.mark.parametrize(
    ("body", "label"),
    [
        ("<div>加载更多</div>", "加载更多"),
        ("<a href='javascript:;'>点击加载更多</a>", "点击加载更多"),
        ("<button>Load more</button>", "Load more"),
        ("<a class='load-more' href='javascript:;'>更多</a>", "更多"),
        (f"<ul class='infinite-scroll'>{MENU}</ul>", "scrolling"),
        ("<div class='infinite-scroll'></div>", "scrolling"),
        ("<a href='/page/2'>加载更多</a>", ""),
        ("<div class='load-more'><a href='?page=2'>加载更多</a></div>", ""),
        ("<div class='load-more'><a href='page2.html'>加载更多</a></div>", ""),
        ("<div class='load-more'><a href='javascript:;'>加载更多</a></div>", "加载更多"),
        ("<p>本文加载更多图片</p>", ""),
        ("<p>上拉加载</p>", "上拉加载"),
        (f"<div class='loading-word'>加载中...</div><ul>{MENU}</ul>", ""),
        (f"<ul>{MENU}</ul><div class='card-widget'><div><span>加载中...</span></div></div>", ""),
        (f"<ul>{MENU}</ul><div class='loading'>加载中...</div>", "加载中..."),
    ],
)
def test_buttons_that_add_entries_are_found(body: str, label: str) -> None:
    assert script_traces(tree(body), LIST_URL).more == label


@pytest.mark.parametrize(
    ("body", "is_shell"),
    [
        ('<div id="app"></div><script src="a.js"></script>', True),
        ("<noscript>Please enable JavaScript</noscript><script src='a.js'></script>", True),
        ('<div id="app"></div>', False),
        (f'<ul>{MENU}</ul><div id="app"></div><script src="a.js"></script>', False),
        (f'<p>{"很长的正文。" * 50}</p><div id="app"></div><script src="a.js"></script>', False),
    ],
)  # fmt: skip
def test_an_empty_application_is_a_shell(body: str, is_shell: bool) -> None:
    assert script_traces(tree(body), LIST_URL).is_shell == is_shell


def test_data_in_the_page_is_named() -> None:
    page = '<script id="__NEXT_DATA__" type="application/json">{"props": {}}</script>'
    assert script_traces(tree(page), LIST_URL).inline_data == "__NEXT_DATA__"
