"""What newsite says of pages without a list that a profile could read."""

from __future__ import annotations

from datetime import date

import pytest
from parsel import Selector

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.list_draft import ListDraft, draft_list
from tests.sites.induction.pages import LIST_URL, MENU, list_page, rows, tree

TODAY = date(2026, 11, 1)
NUMBERS = range(1, 9)
TITLE = "山东玉米价格行情第#N期分析"
ENTRY = f'<li><a href="/a/#N.html">{TITLE}</a><span>2026-03-2#N</span></li>'


def draft(html: str) -> ListDraft:
    return draft_list(tree(html), LIST_URL, TODAY)


def said(html: str) -> str:
    with pytest.raises(ProfileError) as caught:
        draft_list(Selector(html).root, LIST_URL, TODAY)
    return str(caught.value)


def many(form: str, joint: str = "") -> str:
    """Return the form with each number in place of ``#N``."""
    return joint.join(form.replace("#N", str(n)) for n in NUMBERS)


OBJECT = '{title: "TITLE", id: #N}'.replace("TITLE", TITLE)
JSON = '{"id":#N,"bt":"TITLE"}'.replace("TITLE", TITLE)
ROW = f"['/a/#N.html', '{TITLE}']"
RECORD = f"<record><![CDATA[{ENTRY}]]></record>"
RECORDS = {
    "jpage": f'<script type="text/xml"><datastore><recordset>{many(RECORD)}</recordset></datastore></script>',
    "objects": f"<script>var list = [{many(OBJECT, ',')}];</script>",
    "json": f"<script type='application/json'>[{many(JSON, ',')}]</script>",
    "rows": f"<script>rows = [{many(ROW, ',')}]</script>",
    "write": f"<script>document.write('{many(ENTRY)}')</script>",
    "escaped": "<script>draw('{}')</script>".format(many(ENTRY).replace('"', '\\"').replace("/", "\\/")),
    "script template": f'<script type="text/template">{many(ENTRY)}</script>',
    "template": f"<template><ul>{many(ENTRY)}</ul></template>",
    "unicode": "<script>x = [{}]</script>".format(many(JSON, ",").encode("unicode_escape").decode()),
}  # fmt: skip


@pytest.mark.parametrize("records", RECORDS.values(), ids=RECORDS)
def test_records_that_a_script_draws_are_named(records: str) -> None:
    menu = '<div class="top"><a href="/">首页</a><a href="/about.html">关于我们</a></div>'
    sentence = said(f"<body>{menu}<div id=list>{records}</div></body>")
    assert sentence.startswith(
        f"{LIST_URL}: a script draws a list of 8 records inside of the page ('山东玉米价格行情第1期分析' and"
    )
    (doubt,) = draft(list_page(rows() + records)).doubts
    assert doubt.startswith("a script draws a list of 8 records")


def test_records_of_what_the_page_shows_are_no_other_list() -> None:
    shown = f"<ul class='list'>{many(ENTRY)}</ul>"
    assert draft(list_page(shown + RECORDS["objects"])).doubts == []


NAV = f"<ul class='nav'>{MENU}</ul>"
APP = '<div id="app"></div><script src="/app.js"></script>'
PAGES = {
    f"{NAV}<h1>页面不存在</h1>": "says that there is no such page; check the address",
    f'{NAV}<form action="/s"><input type="text" name="q"><input type="submit"></form>': "is a search form; search by hand, and give the URL of the results",
    f'{NAV}<form><input name="u"><input type="password" name="p"></form>': "asks for a login; give the URL of a list that everyone can read",
    f"{NAV}<a href='/login'>登录</a><p>抱歉，您尚未登录，没有权限访问该版块</p>": "asks for a login; give the URL of a list that everyone can read",
    NAV: "has menus only; give the URL of a page that lists articles",
    "": "is empty; check the address",
    f"{APP}<script>window.__INITIAL_STATE__ = {{}}</script>": "has its list as data of a script (__INITIAL_STATE__); profiles read no scripts",
}  # fmt: skip


@pytest.mark.parametrize(("body", "sentence"), PAGES.items(), ids=PAGES.values())
def test_pages_of_other_kinds_are_named(body: str, sentence: str) -> None:
    assert said(f"<body>{body}</body>").startswith(f"{LIST_URL} {sentence}")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("<p>暂无数据</p>", "the list on URL is empty (暂无数据); give the URL of a list with articles"),
        (many(f'<li><a href="javascript:void(0)">{TITLE}</a></li>'), "8 links on URL lead nowhere ('山东玉米价格行情第1期分析'), since a script opens them; profiles read no scripts"),
        (many(f'<li><a href="/detail">{TITLE}</a></li>'), "all 8 entries of URL have the link http://news.example/detail"),
    ],
)  # fmt: skip
def test_lists_without_articles_are_named(body: str, sentence: str) -> None:
    html = f"<body>{NAV}<ul class='list'>{body}</ul></body>"
    assert said(html).startswith(sentence.replace("URL", LIST_URL, 1))


OTHER = "http://news.example/list/"


@pytest.mark.parametrize(
    "head",
    [
        '<script>window.location.href="/list/";</script>',
        "<script>window.top.location = '/list/'</script>",
        '<script>self.location.replace("/list/")</script>',
        "<script>window['location']['href'] = '/list/'</script>".replace("['location']", ".location"),
        "<script>setTimeout(\"location.href='/list/'\", 500)</script>",
        "<script>setTimeout(function () { location.href = '/list/' }, 500)</script>",
        "<script>var to = '/list/'; location.href = to;</script>",
        "<script>location.href = '/li' + 'st/'</script>",
        "<script><!--\nlocation.href='/list/'\n//--></script>",
        "<script>// location.href='/old/'\nlocation.href='/list/'</script>",
        "<script>/* location.href='/old/' */ window.open('/list/', '_self')</script>",
        "<noscript><meta http-equiv=refresh content='0;url=/list/'></noscript>",
        "<meta http-equiv='Refresh' content=\"0; URL='/list/'\">",
        "<base href='http://news.example/list/x'><script>location.href='./'</script>",
    ],
)  # fmt: skip
def test_the_target_of_a_redirect_by_a_script_is_named(head: str) -> None:
    for body in ("", "<p>正在跳转，请稍候……</p><a href='/list/'>点击这里</a><a href='/'>首页</a>"):
        sentence = said(f"<html><head>{head}</head><body>{body}</body></html>")
        assert sentence == f"{LIST_URL} leads to {OTHER} by a script; give that URL"


@pytest.mark.parametrize(
    ("html", "target"),
    [
        ("<body onload=\"location.href='/list/'\"></body>", OTHER),
        ("<body onload=\"setTimeout('top.location=&quot;/list/&quot;', 10)\">正在跳转</body>", OTHER),
        ("<script>location.href = 'http://' + host + '/list/'</script>", "another page"),
        ("<script>if (phone) location = '/m/'; else location = '/list/'</script>", f"http://news.example/m/ or {OTHER}"),
    ],
)  # fmt: skip
def test_redirects_may_be_uncertain(html: str, target: str) -> None:
    assert said(html) == f"{LIST_URL} leads to {target} by a script; give that URL"


@pytest.mark.parametrize(
    "script",
    ["if (location.href == '/list/') x()", "location.href = '/xinwen/'", "x = location.href", "a.relocation='/list/'"],
)  # fmt: skip
def test_other_uses_of_the_address_are_no_redirect(script: str) -> None:
    assert said(f"<script>{script}</script>") == f"{LIST_URL} is empty; check the address"


def test_a_page_with_a_list_may_have_a_redirect() -> None:
    page = list_page(rows()) + "<script>function go(n) { location.href = '?p=' + n }</script>"
    assert draft(page).doubts == []


@pytest.mark.parametrize("route", ["#/article/#N", "#!article-#N", "#?id=#N", "http://news.example/xinwen/#/a/#N"])  # fmt: skip
def test_routes_behind_a_hash_are_named(route: str) -> None:
    entries = many(f'<li><a href="{route}">{TITLE}</a><span>2026-03-2#N</span></li>')
    menu = f'<ul class="nav">{MENU}</ul>'
    sentence = said(f"<body>{menu}<ul class='list'>{entries}</ul></body>")
    assert sentence.startswith(
        f"{LIST_URL}: 8 links lead to {route.replace('#N', '1')} and so on, which a"
    )
    assert (
        "the site needs JavaScript; profiles read no scripts; fetch it with a browser" in sentence
    )
    (doubt,) = draft(list_page(rows() + f"<ul>{entries}</ul>")).doubts
    assert "needs JavaScript" in doubt


def article(signs: str, text: str) -> str:
    related = many(f'<li><a href="/b/#N.html">{TITLE}</a><span>2026-03-2#N</span></li>') * 3
    return (
        f"<title>玉米价格下周可能上涨_粮食网</title>{NAV}{signs}"
        f"<div class='content'>{text}</div><ul class='side'>{related}</ul>"
    )


HEADING = "<h1>玉米价格下周可能上涨</h1>"
BYLINE = "<p>作者：佚名 来源：<a href='/'>粮食网</a> 点击数：9</p>"
NEIGHBOURS = "<p>上一篇：<a href='/b/11.html'>小麦</a></p><p>下一篇：没有了</p>"
TEXT = "<p>山东地区深加工企业玉米收购价格今日稳中偏强运行，企业门前到货量有所减少。</p>" * 5


@pytest.mark.parametrize("signs", [HEADING + BYLINE, HEADING + NEIGHBOURS, BYLINE + NEIGHBOURS])
def test_an_article_beside_long_lists_is_refused(signs: str) -> None:
    assert "is a single article; give the URL of a page that lists" in said(article(signs, TEXT))


@pytest.mark.parametrize(
    ("signs", "text"),
    [(HEADING, TEXT), (HEADING + BYLINE, TEXT[:90]), (HEADING + BYLINE * 9, TEXT)],
)
def test_one_sign_of_an_article_is_not_enough(signs: str, text: str) -> None:
    assert draft(article(signs, text)).rules.entry
