"""Pagers of many kinds of sites: the rule leads from the first page to the second, and from there on."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.paging.further_pages import further_pages, page_count
from focuscrawl.sites.induction.paging.next_link import next_link
from focuscrawl.sites.induction.paging.next_rule import next_rule
from focuscrawl.sites.page_reading import absolute_url
from focuscrawl.sites.site_profile import Rule
from tests.sites.induction.pages import LIST_URL, TITLES, list_page, rows, tree

ENTRIES = {f"{LIST_URL}{n}.html" for n in range(len(TITLES))}
SECOND = f"{LIST_URL}l2.html"


def rule_of(pager: str, url: str = LIST_URL) -> Rule | None:
    page = tree(list_page(rows(), pager))
    link = next_link(page, url, ENTRIES)
    return next_rule(link, page) if link is not None else None


def target(rule: Rule, pager: str, url: str) -> str:
    address = rule.first(tree(list_page(rows(), pager)))
    return absolute_url(url, address) if address.strip("#") else ""


LINK = "<a href='l{n}.html'>{n}</a>"
# The box, another page in it, and the page itself.
NUMBERS = {
    "box without a name": ("<div>{}</div>", f"{LINK} ", "<b>{n}</b> "),
    "box with a name of its own": ("<div class='manu'>{}</div>", LINK, "<span class='current'>{n}</span>"),
    "square brackets": ("<p align='center'>{}</p>", f"[{LINK}] ", "[{n}] "),
    "brackets in links": ("<td>{}</td>", "<a href='l{n}.html'>[{n}]</a> ", "<font color='red'>[{n}]</font> "),
    "round brackets": ("<div class='bottom'>{}</div>", "<a href='l{n}.html'>({n})</a>", "<strong>({n})</strong>"),
    "第2页": ("<div class='fy'>{}</div>", "<a href='l{n}.html'>第{n}页</a>", "<span>第{n}页</span>"),
    "the page links to #": ("<ul class='bar'>{}</ul>", f"<li>{LINK}</li>", "<li><a href='#'>{n}</a></li>"),
    "the page links to #, with a class": (
        "<ul id='pager'>{}</ul>", f"<li>{LINK}</li>", "<li class='active'><a href='#'>{n}</a></li>"),
    "a link without an address": ("<p class='page'>{}</p>", LINK, "<a>{n}</a>"),
    "a list item without a link": ("<ul class='pagination'>{}</ul>", f"<li>{LINK}</li>", "<li>{n}</li>"),
    "aria-current": ("<nav>{}</nav>", LINK, "<a href='l{n}.html' aria-current='page'>{n}</a>"),
    "Bootstrap, state in the class": (
        "<ul class='pagination'>{}</ul>", "<li class='page-item'><a class='page-link' href='l{n}.html'>{n}</a></li>",
        "<li class='page-item active'><a class='page-link' href='l{n}.html'>{n}</a></li>"),
    "style of the page": ("<div>{}</div>", LINK, "<a href='l{n}.html' style='color:red'>{n}</a>"),
    "下一页 leads nowhere": ("<div class='pages'>{}<a href='#'>下一页</a></div>", LINK, "<b>{n}</b>"),
    "options": (
        "<select onchange='go(this)'>{}</select>", "<option value='l{n}.html'>第{n}页</option>",
        "<option value='l{n}.html' selected>第{n}页</option>"),
    "total before the number": ("<div>共 3 页 {}</div>", f"{LINK} ", "{n} "),
}  # fmt: skip
# The box, the link back and the link on.
WORDS = {
    "后一页 in a table cell": (
        "<table><tr><td>{back}</td><td>{on}</td></tr></table>",
        "<a href='l{n}.html'>&lt;&lt;前一页</a>", "<a href='l{n}.html'>后一页&gt;&gt;</a>"),
    "下一頁 with the numbers of pages": (
        "<div class='pg'>{back}{on}</div>", "<a href='l{n}.html'>上一頁({n}/3)</a>", "<a href='l{n}.html'>下一頁({n}/3)</a>"),
    "更早的文章": ("<nav>{on}{back}</nav>", "<a href='l{n}.html'>较新的文章</a>", "<a href='l{n}.html'>更早的文章</a>"),
    "Older Entries": (
        "<nav>{on}{back}</nav>", "<a href='l{n}.html'>Newer Entries »</a>", "<a href='l{n}.html'>« Older Entries</a>"),
    "加载更多": ("<div>{on}</div>", "", "<a href='l{n}.html'>加载更多</a>"),
    "input with a script": (
        "<p>{back}{on}</p>", "<input type='button' value='上一页' onclick='window.location=\"l{n}.html\"'>",
        "<input type='button' value='下一页' onclick='window.location=\"l{n}.html\"'>"),
    "javascript: with the address": (
        "<p>{back}{on}</p>", "<a href=\"javascript:location.href='l{n}.html'\">上一页</a>",
        "<a href=\"javascript:location.href='l{n}.html'\">下一页</a>"),
    "address in a data attribute": (
        "<p>{back}{on}</p>", "<a href='javascript:;' data-href='l{n}.html'>上一页</a>",
        "<a href='javascript:;' data-href='l{n}.html'>下一页</a>"),
    "icon and label for readers": (
        "<ul>{back}{on}</ul>", "<li><a href='l{n}.html' aria-label='Previous'><span>x</span></a></li>",
        "<li><a href='l{n}.html' aria-label='Next'><span>x</span></a></li>"),
    "icon in a box with a name": (
        "<div class='pager'>{back}{on}</div>", "<a href='l{n}.html'><i class='fa fa-angle-left'></i></a>",
        "<a href='l{n}.html'><i class='fa fa-angle-right'></i></a>"),
    "image": (
        "<div>{back}{on}</div>", "<a href='l{n}.html'><img src='p.gif' alt='上一页'></a>",
        "<a href='l{n}.html'><img src='n.gif' alt='下一页'></a>"),
    "class of the link": (
        "<div>{back}{on}</div>", "<a class='item prevpage' href='l{n}.html'><img></a>",
        "<a class='item nextpage' href='l{n}.html'><img></a>"),
    "rel in the head": (
        "<link rel='stylesheet' href='x.css'>{back}{on}", "<link rel='prev' href='l{n}.html'>",
        "<link rel='next' href='l{n}.html'>"),
}  # fmt: skip


def numbered(box: str, other: str, own: str) -> list[str]:
    """Return the pager of the first, the second and the last of three pages."""
    pages = ((own if n == at else other).format(n=n) for at in (1, 2, 3) for n in (1, 2, 3))
    return [box.format("".join(three)) for three in zip(pages, pages, pages, strict=True)]


def worded(box: str, back: str, on: str) -> list[str]:
    """Return the pager of the first, the second and the last of three pages."""
    return [
        box.format(back=back.format(n=at - 1) if at > 1 else "", on=on.format(n=at + 1) if at < 3 else "")
        for at in (1, 2, 3)
    ]  # fmt: skip


PAGERS = {
    **{name: numbered(*form) for name, form in NUMBERS.items()},
    **{name: worded(*form) for name, form in WORDS.items()},
    "generated classes": (
        "<div class='sc-1a2b3c kXyZab'><a class='sc-9f8e7d hGfEdc' href='l1.html'><b>1</b></a>"
        "<a class='sc-9f8e7d aBcDef' href='l2.html'>2</a><a class='sc-9f8e7d aBcDef' href='l3.html'>3</a></div>",
        "<div class='sc-7z8y9x bCdEfg'><a class='sc-5f6e7d aBcDef' href='l1.html'>1</a>"
        "<a class='sc-5f6e7d hGfEdc' href='l2.html'><b>2</b></a><a class='sc-5f6e7d aBcDef' href='l3.html'>3</a></div>",
        "<div class='sc-7z8y9x bCdEfg'><a class='sc-5f6e7d aBcDef' href='l1.html'>1</a>"
        "<a class='sc-5f6e7d aBcDef' href='l2.html'>2</a><a class='sc-5f6e7d hGfEdc' href='l3.html'><b>3</b></a></div>",
    ),
    "» to the last page": (
        "<div class='pages'><b>1</b><a href='l2.html'>2</a><a href='l3.html'>3</a><a href='l3.html'>»</a></div>",
        "<div class='pages'><a href='l1.html'>1</a><b>2</b><a href='l3.html'>3</a><a href='l3.html'>»</a></div>",
        "<div class='pages'><a href='l1.html'>1</a><a href='l2.html'>2</a><b>3</b></div>",
    ),
    "words without a link": (
        "<div>首页 上页 <a href='l2.html'>下页</a> <a href='l3.html'>尾页</a></div>",
        "<div><a href='l1.html'>首页</a> <a href='l1.html'>上页</a> <a href='l3.html'>下页</a> <a href='l3.html'>尾页</a></div>",
        "<div><a href='l1.html'>首页</a> <a href='l2.html'>上页</a> 下页 尾页</div>",
    ),
    "‹ and ›, « and »": (
        "<div class='p'><a href='l2.html'>›</a><a href='l3.html'>»</a></div>",
        "<div class='p'><a href='l1.html'>«</a><a href='l1.html'>‹</a><a href='l3.html'>›</a><a href='l3.html'>»</a></div>",
        "<div class='p'><a href='l1.html'>«</a><a href='l2.html'>‹</a></div>",
    ),
    "button with a script": (
        "<div><button disabled>上一页</button><button onclick=\"location.href='l2.html'\">下一页</button></div>",
        "<div><button onclick=\"location.href='l1.html'\">上一页</button><button onclick=\"location.href='l3.html'\">下一页</button></div>",
        "<div><button onclick=\"location.href='l2.html'\">上一页</button><button disabled>下一页</button></div>",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second", "last"), PAGERS.values(), ids=PAGERS)
def test_the_rule_leads_on_and_never_back(first: str, second: str, last: str) -> None:
    rule = rule_of(first)
    assert rule is not None
    assert target(rule, first, LIST_URL) == SECOND
    assert target(rule, second, SECOND) == f"{LIST_URL}l3.html"
    assert target(rule, last, f"{LIST_URL}l3.html") == ""


# No rule leads on from the second page, and what the page says about further ones.
WITHOUT_RULE = {
    "all numbers alike": (
        "<div class='pages'><a href='l1.html'>1</a><a href='l2.html'>2</a><a href='l3.html'>3</a></div>", "3"),
    "Element": (
        "<div class='el-pagination'><button disabled><i></i></button><ul class='el-pager'><li class='number active'>1</li>"
        "<li class='number'>2</li><li class='number'>3</li></ul><button class='btn-next'><i></i></button></div>", "3"),
    "Ant Design": (
        "<ul class='ant-pagination'><li class='ant-pagination-item ant-pagination-item-active'><a>1</a></li>"
        "<li class='ant-pagination-item'><a>2</a></li><li class='ant-pagination-next'><button></button></li></ul>", "2"),
    "scripts with numbers": (
        "<div><a href='javascript:goPage(1)'>首页</a><a href='javascript:goPage(2)'>下一页</a></div>", "下一页"),
    "下一页 to #": ("<div><a href='#'>上一页</a><a href='#'>下一页</a></div>", "下一页"),
    "onclick with a number": ("<div><span onclick='toPage(2)'>下一页</span></div>", "下一页"),
    "a form": (
        "<form><input type='button' value='下一页' onclick='this.form.submit()'></form>", "下一页"),
    "only a total": ("<div>共 9 页 <input name='p'> <button>跳转</button></div>", "共 9 页"),
    "English, to #": ("<p><a href='#'>Previous</a> | <a href='#'>Next</a></p>", "Next"),
    "English numbers": ("<div><span>Page 1 of 11</span> <a href='#'><i></i></a></div>", "Page 1 of 11"),
    "only a fraction": ("<div class='page'><i>1/12</i> 页</div>", "1/12 页"),
    "a script of a government site": (
        "<div class='page'><script>createPageHTML(25, 0, 'index', 'html');</script></div>", "createPageHTML(25, 0"),
    "options with numbers": (
        "<select name='page'><option value='1' selected>1</option><option value='2'>2</option></select>", "2"),
    "options without a mark": (
        "<select class='page'><option value='l1.html'>1</option><option value='l2.html'>2</option></select>", "2"),
}  # fmt: skip


@pytest.mark.parametrize(("pager", "sign"), WITHOUT_RULE.values(), ids=WITHOUT_RULE)
def test_further_pages_without_a_rule_are_seen(pager: str, sign: str) -> None:
    assert rule_of(pager) is None
    page = tree(list_page(rows(), pager))
    assert further_pages(page, LIST_URL, page.xpath("//ul[@class='list']/li")) == sign


@pytest.mark.parametrize(
    "pager",
    [
        "",
        "<div class='page'>共1页</div>",
        "<div class='page'>第1/1页</div>",
        "<div class='pages'><b>1</b></div>",
        "<div class='page'>第 9 页 共 9 页 <a href='#'>下一页</a></div>",
        "<div class='pages'><a href='l1.html'>1</a><b>2</b></div>",
        "<div><a class='disabled' href='#'>下一页</a></div>",
        "<div><button disabled>下一页</button></div>",
        "<div><span>下一页</span></div>",
        "<ul class='el-pager'><li class='number active'>1</li></ul>",
        "<p>Theme by <a href='/theme/'>NexT.Muse</a>, <a href='https://other.example/'>Next</a></p>",
        "<li class='menus'><i>分站</i><a href='#'>Next</a></li>",
        "<ul class='focus-dots'><li class='on'>1</li><li>2</li><li>3</li></ul>",
        "<table class='calendar'><tr><td>1</td><td><a href='/2024/03/02'>2</a></td><td>3</td></tr></table>",
        "<p>本报告共 36 页，由农业农村部市场预警专家委员会编写，于今年三月正式发布。</p>",
    ],
)
def test_a_single_page_shows_no_further_ones(pager: str) -> None:
    page = tree(list_page(rows(), pager))
    assert rule_of(pager) is None
    assert further_pages(page, LIST_URL, page.xpath("//ul[@class='list']/li")) == ""


def test_totals_in_titles_of_entries_do_not_count() -> None:
    page = tree(list_page(rows().replace(TITLES[0], "年度报告(共36页)"), ""))
    assert further_pages(page, LIST_URL, page.xpath("//ul[@class='list']/li")) == ""


@pytest.mark.parametrize(
    ("pager", "following", "count"),
    [
        ("共12页", "2.html", 12),
        ("共 3 页/45 条", "2.html", 3),
        ("第1/20页", "2.html", 20),
        ("页次:1/7", "2.html", 7),
        ("Page 1 of 9", "2.html", 9),
        ('<a href="list_2.html">2</a><a href="list_30.html">尾页</a>', "list_2.html", 30),
        # The first page has no number, the second has 1.
        ('<a href="index_1.html">2</a><a href="index_4.html">末页</a>', "index_1.html", 5),
        ('<a href="?page=2&amp;c=1">2</a><a href="?page=5&amp;c=1">5</a>', "?page=2&c=1", 5),
        ('<a href="list_2.html">下一页</a>', "list_2.html", None),
        ('<a href="list_2.html">2</a><i>…</i><a href="#">13</a>', "list_2.html", 13),
        ('<a href="page/2/">2</a><span>…</span><a href="page/9/">9</a>', "page/2/", 9),
        ('<a href="older">下一页</a>', "older", None),
    ],
)
def test_the_pages_are_counted(pager: str, following: str, count: int | None) -> None:
    page = tree(f'<ul><li><a href="/2024/12.html">第3页的文章</a></li></ul><div>{pager}</div>')
    assert page_count(page, LIST_URL, LIST_URL + following) == count
