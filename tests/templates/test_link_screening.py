"""Screening of links by their anchors, of links in scripts, and of links to next pages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.pages.link import Link, ScoredLink
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.scoring.lexicon_scorer import KeywordScorer
from focuscrawl.templates.keywords import keyword_pattern
from focuscrawl.templates.link_screening import (
    Screen,
    is_within,
    scripted_links,
    shown_pages,
    without_session,
)
from focuscrawl.templates.site_walk import SiteStep, SiteWalk
from focuscrawl.templates.template_model import Screening

HOME = "http://www.firm.example/"
TWO = Screening(layers=(("供求信息",), ("联系方式", "联系")), detours=("关于我们",), most=2)
ONE = Screening(layers=(("联系我们", "联系"),), addresses=("contact", "lxwm"), detours=("关于",))


def scored(screening: Screening, html: str, url: str = HOME) -> list[ScoredLink]:
    links = [*parse_page(html, url).links, *scripted_links(html, url)]
    return KeywordScorer("t", Screen(screening).keywords).score(links)


def leads(screening: Screening, html: str, layer: int = 0) -> list[str]:
    return [lead.url for lead in Screen(screening).leads(scored(screening, html), layer)]


def test_an_anchor_of_just_the_keyword_comes_first() -> None:
    html = '<a href="/n/1">关于变更公司联系电话的公告</a><a href="/c">联 系 我 們</a>'
    assert leads(ONE, html) == [f"{HOME}c", f"{HOME}n/1"]


def test_deeper_layers_are_used_if_the_next_is_missing() -> None:
    both = '<a href="/a">供求信息</a><a href="/b">联系方式</a>'
    assert leads(TWO, both) == [f"{HOME}a"]
    assert leads(TWO, both, 1) == [f"{HOME}b"]
    assert leads(TWO, '<a href="/b">联系方式</a>') == [f"{HOME}b"]
    assert leads(TWO, both, 2) == []


def test_the_number_of_links_followed_from_a_page_is_limited() -> None:
    many = "".join(f'<a href="/{n}">供求信息{n}</a>' for n in range(9))
    assert len(leads(TWO, many)) == 2


def test_an_image_link_is_recognised_by_its_url() -> None:
    html = (
        '<a href="/about/contact.html"><img src="c.png"></a><a href="/contacts-list">客户名单</a>'
    )
    assert leads(ONE, html) == [f"{HOME}about/contact.html"]


@pytest.mark.parametrize(
    ("html", "target"),
    [
        ("<a href=\"javascript:location.href='lx.html'\">联系我们</a>", "lx.html"),
        ("<a href=\"JavaScript:void(window.open('/lx.asp?id=3'))\">联系我们</a>", "lx.asp?id=3"),
        ("<span onclick=\"window.location='/lx/'\">联系我们</span>", "lx/"),
        ("<a href='#' onclick='go(\"../lx.php\")'><b>联系</b></a>", "lx.php"),
        ('<a href="//www.firm.example/lx">联系我们</a>', "lx"),
        ('<map><area href="/lx" alt="联系我们"></map>', "lx"),
        ('<base href="/zh/"><a href="lx">联系我们</a>', "zh/lx"),
        ("<base href='/zh/'><a href=\"javascript:go('a/lx.htm')\">联系我们</a>", "zh/a/lx.htm"),
    ],
)
def test_relative_and_scripted_links_are_resolved(html: str, target: str) -> None:
    assert leads(ONE, html) == [HOME + target]


@pytest.mark.parametrize(
    "html",
    [
        '<a href="javascript:void(0)">联系</a>',
        "<a onclick=\"show('联系')\">联系</a>",
        "<a>联系</a>",
    ],
)
def test_a_script_without_a_url_is_not_a_link(html: str) -> None:
    assert leads(ONE, html) == []


def test_a_long_script_takes_no_longer_than_its_length() -> None:
    # Searching for the end of the word from each of its letters would take minutes.
    assert list(scripted_links(f'<a onclick="{"a" * 300_000}">x</a>', HOME)) == []


@given(st.text(alphabet="<>a\"'=:/ javscriptonklhef()#。x", max_size=200))
def test_scripted_links_never_raise(text: str) -> None:
    assert all(link.url.startswith("http") for link in scripted_links(f"javascript: {text}", HOME))
    assert all(url.startswith("http") for url in shown_pages(f"<frame location {text}", HOME))


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("http://firm.example/a", True),
        ("https://m.firm.example/", True),
        ("http://www.firm.example.org/", False),
        ("http://otherfirm.example/", False),
        ("http://[::1/", False),
    ],
)
def test_a_site_is_a_host_with_its_subdomains(url: str, inside: bool) -> None:
    assert is_within(url, "firm.example") == inside


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("c.jsp;jsessionid=0A1B.node2?id=3", "c.jsp?id=3"),
        ("(S(lit3py55t21z5v55vlm25s55))/c.aspx", "c.aspx"),
        ("c.php?PHPSESSID=abc", "c.php"),
        ("c.php?PHPSESSID=abc&id=3", "c.php?id=3"),
        ("c.php?id=3&session_id=7", "c.php?id=3"),
        ("c.php?sid=3&id=4", "c.php?sid=3&id=4"),
        ("c.html", "c.html"),
    ],
)
def test_a_session_id_is_removed_from_a_url(path: str, plain: str) -> None:
    assert without_session(HOME + path) == HOME + plain


def walk(screening: Screening, pages: dict[str, str], seed: str = HOME) -> list[SiteStep]:
    """Return the steps of a walk over pages by URL."""
    site = SiteWalk(screening, Screen(screening), seed)
    site.arrived(seed)
    step, taken = SiteStep(seed, 0), []
    while step:
        html = pages.get(step.url, "")
        links, text = scored(screening, html, step.url), parse_page(html, step.url).text
        site.take(step, links, text, shown_pages(html, step.url))
        if following := site.next():
            taken.append(following)
        step = following  # type: ignore[assignment]
    return taken


def test_a_walk_is_depth_first_and_follows_next_pages_with_the_keyword() -> None:
    pages = {
        HOME: '<a href="/list">供求信息</a><a href="/other?p=2">下一页</a>',
        f"{HOME}list": '供求信息 <a href="/1">张三联系方式</a><a href="/list2">下一页 &raquo;</a>',
        f"{HOME}list2": '供求信息 <a href="/2">李四联系方式</a><a href="/list">下一页</a>',
        f"{HOME}1": '联系方式 <a href="/1b">下一页</a><a href="/x">下一页的故事</a>',
        f"{HOME}1b": '没有 <a href="/1c">下一页</a>',
    }
    screening = TWO.model_copy(update={"most": 9})
    steps = [(step.url.removeprefix(HOME), step.layer) for step in walk(screening, pages)]
    assert steps == [("list", 1), ("1", 2), ("1b", 2), ("list2", 1), ("2", 2), ("other?p=2", 0)]


def test_a_walk_takes_detours_over_home_page_and_about_us_without_a_link() -> None:
    seed = f"{HOME}products/7.html"
    pages = {
        seed: '<a href="/about">关于我们</a>',
        f"{HOME}about": '<a href="/c">联系我们</a><a href="/about2">关于分公司</a>',
    }
    steps = walk(ONE, pages, seed)
    assert steps[0] == SiteStep(HOME, 0, is_detour=True)
    assert [step.url for step in steps[1:]] == [f"{HOME}about", f"{HOME}c"]


def test_a_walk_stays_within_the_site_by_default() -> None:
    html = '<a href="http://other.example/c">联系我们</a>'
    assert [step.url for step in walk(ONE, {HOME: html})] == []
    free = ONE.model_copy(update={"within_site": False})
    assert [step.url for step in walk(free, {HOME: html})] == ["http://other.example/c"]


def test_fallbacks_are_menu_entries_by_keyword_and_position_within_the_limits() -> None:
    html = (
        f'<a href="/long">{"门店" * 9}</a><a href="/b">故事</a><a href="/shops">门店</a>'
        '<nav><a href="/">首页</a><a href="/index.php">主页</a><a href="/a">产品</a></nav>'
    )

    def followed(named: bool = False, **limits: int) -> list[str]:
        screening = Screening(layers=(("联系",),), fallbacks=("门店",), **limits)
        links = scored(screening, html)
        walk = SiteWalk(screening, Screen(screening), HOME)
        return [s.url[len(HOME) :] for s in iter(lambda: walk.fallback(links, named=named), None)]

    assert followed() == ["shops", "a", "b"]
    assert followed(named=True) == ["shops"]
    assert followed(most_fallbacks=2) == ["shops", "a"]
    assert followed(max_pages=2) == ["shops"]
    assert followed(most_fallbacks=0) == []


def test_fallbacks_follow_the_order_of_their_keywords() -> None:
    screening = Screening(layers=(("联系",),), fallbacks=("门店", "地图"))
    html = '<nav><a href="/map">地图</a></nav><a href="/shops">门店</a>'
    leads = Screen(screening).fallbacks(scored(screening, html), named=True)
    assert [lead.url[len(HOME) :] for lead in leads] == ["shops", "map"]


def test_unlikely_entries_come_last() -> None:
    screening = Screening(layers=(("联系",),), unlikely=("新闻",))
    html = '<nav><a href="/news">新闻</a><a href="/play">来玩</a></nav>'
    leads = Screen(screening).fallbacks(scored(screening, html), named=False)
    assert [lead.url[len(HOME) :] for lead in leads] == ["play", "news"]


def test_pages_about_a_site_are_found_by_short_anchors() -> None:
    screen = Screen(Screening(layers=(("联系",),), detours=("关于我们",), about=("概况", "关于")))
    html = '<a href="/n">关于放假的通知</a><a href="/g">学校概况</a>'
    assert screen.about(scored(ONE, html)) == [f"{HOME}g", f"{HOME}n"]
    html += '<a href="/u">走进青禾，关于我们</a>'
    assert screen.about(scored(ONE, html)) == [f"{HOME}u", f"{HOME}g", f"{HOME}n"]
    html += '<a href="/h">概况</a>'
    assert screen.about(scored(ONE, html)) == [f"{HOME}u", f"{HOME}h", f"{HOME}g"]
    assert screen.about(scored(ONE, "<a href='/p'>产品</a>")) == []


@pytest.mark.parametrize(
    "html",
    [
        '<frameset><frame src="/top.html"><frame src="http://other.example/"></frameset>',
        '<p>首页</p><iframe src="top.html"></iframe>',
        '<base href="/"><script>window.location.href = "top.html";</script>',
        "<script>setTimeout(\"location.replace('/top.html')\", 9)</script>",
    ],
)
def test_frames_and_script_redirects_are_followed(html: str) -> None:
    pages = {HOME: html, f"{HOME}top.html": '<a href="/c">联系我们</a>'}
    assert [step.url for step in walk(ONE, pages)][:2] == [f"{HOME}top.html", f"{HOME}c"]
    # Some contact pages show their data this way.
    deep = {HOME: '<a href="/c">联系我们</a>', f"{HOME}c": html.replace("other", "www.firm")}
    assert SiteStep(f"{HOME}top.html", 1) in walk(ONE, deep)


@pytest.mark.parametrize(
    "html",
    [
        '<a href="/c">联系我们</a><iframe src="/news.html"></iframe>',
        '<a href="/x">产品</a><script>function f() { location.href = "/login.html" }</script>',
        "<script>location.href='javascript:x'</script><iframe src='about:blank'></iframe>",
    ],
)
def test_a_page_with_links_is_not_searched_for_redirects(html: str) -> None:
    assert not any(
        step.url.endswith(("news.html", "login.html")) for step in walk(ONE, {HOME: html})
    )


def test_loops_and_endless_sites_end() -> None:
    endless = Screening(layers=(("联系",),), max_pages=5, most=1000)
    html = "".join(f'<a href="/{n}">联系{n}</a>' for n in range(50))
    pages = {HOME: html, f"{HOME}0": f'{html}<a href="/">联系</a>'}
    steps = walk(endless, pages)
    assert len(steps) == 4
    assert len({step.url for step in steps}) == 4


def test_reasons_add_up_to_the_score() -> None:
    scorer = KeywordScorer("t", [keyword_pattern([word]) for word in ("联系我们", "联系")])
    for anchor in ("联系我们", "与联系我们的记者", "新闻", ""):
        link = Link(HOME, anchor)
        (result,) = scorer.score([link])
        assert result.score == pytest.approx(sum(r.weight for r in scorer.explain(link)))
    assert re.match(r"t \(2 screening keywords\)", scorer.name)


def test_a_page_nested_too_deeply_has_the_links_before_that_point() -> None:
    html = "<a onclick=\"go('/lx.html')\">联系</a><iframe src=/f></iframe>" + "<div>" * 60_000
    html += "<a onclick=\"go('/far.html')\">联系</a><iframe src=/g></iframe>"
    assert [link.url for link in scripted_links(html, HOME)] == [f"{HOME}lx.html"]
    assert shown_pages(html, HOME) == [f"{HOME}f"]
