"""Pagers of many kinds of sites: the rule leads from the first page to the second, and from there on."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.paging.further_pages import further_pages
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


# The pager of the first, the second and the last of three pages.
PAGERS = {
    "box without a name": (
        "<div><b>1</b> <a href='l2.html'>2</a> <a href='l3.html'>3</a></div>",
        "<div><a href='l1.html'>1</a> <b>2</b> <a href='l3.html'>3</a></div>",
        "<div><a href='l1.html'>1</a> <a href='l2.html'>2</a> <b>3</b></div>",
    ),
    "box with a name of its own": (
        "<div class='manu'><span class='current'>1</span><a href='l2.html'>2</a><a href='l3.html'>3</a></div>",
        "<div class='manu'><a href='l1.html'>1</a><span class='current'>2</span><a href='l3.html'>3</a></div>",
        "<div class='manu'><a href='l1.html'>1</a><a href='l2.html'>2</a><span class='current'>3</span></div>",
    ),
    "square brackets": (
        "<p align='center'>[1] [<a href='l2.html'>2</a>] [<a href='l3.html'>3</a>]</p>",
        "<p align='center'>[<a href='l1.html'>1</a>] [2] [<a href='l3.html'>3</a>]</p>",
        "<p align='center'>[<a href='l1.html'>1</a>] [<a href='l2.html'>2</a>] [3]</p>",
    ),
    "brackets in links": (
        "<td><font color='red'>[1]</font> <a href='l2.html'>[2]</a> <a href='l3.html'>[3]</a></td>",
        "<td><a href='l1.html'>[1]</a> <font color='red'>[2]</font> <a href='l3.html'>[3]</a></td>",
        "<td><a href='l1.html'>[1]</a> <a href='l2.html'>[2]</a> <font color='red'>[3]</font></td>",
    ),
    "round brackets": (
        "<div class='bottom'><strong>(1)</strong><a href='l2.html'>(2)</a><a href='l3.html'>(3)</a></div>",
        "<div class='bottom'><a href='l1.html'>(1)</a><strong>(2)</strong><a href='l3.html'>(3)</a></div>",
        "<div class='bottom'><a href='l1.html'>(1)</a><a href='l2.html'>(2)</a><strong>(3)</strong></div>",
    ),
    "第2页": (
        "<div class='fy'><span>第1页</span><a href='l2.html'>第2页</a><a href='l3.html'>第3页</a></div>",
        "<div class='fy'><a href='l1.html'>第1页</a><span>第2页</span><a href='l3.html'>第3页</a></div>",
        "<div class='fy'><a href='l1.html'>第1页</a><a href='l2.html'>第2页</a><span>第3页</span></div>",
    ),
    "numbers in a list, the page links to #": (
        "<ul class='bar'><li><a href='#'>1</a></li><li><a href='l2.html'>2</a></li><li><a href='l3.html'>3</a></li></ul>",
        "<ul class='bar'><li><a href='l1.html'>1</a></li><li><a href='#'>2</a></li><li><a href='l3.html'>3</a></li></ul>",
        "<ul class='bar'><li><a href='l1.html'>1</a></li><li><a href='l2.html'>2</a></li><li><a href='#'>3</a></li></ul>",
    ),
    "aria-current": (
        "<nav><a href='l1.html' aria-current='page'>1</a><a href='l2.html'>2</a><a href='l3.html'>3</a></nav>",
        "<nav><a href='l1.html'>1</a><a href='l2.html' aria-current='page'>2</a><a href='l3.html'>3</a></nav>",
        "<nav><a href='l1.html'>1</a><a href='l2.html'>2</a><a href='l3.html' aria-current='page'>3</a></nav>",
    ),
    "Bootstrap, state in the class": (
        "<ul class='pagination'><li class='page-item active'><a class='page-link' href='l1.html'>1</a></li>"
        "<li class='page-item'><a class='page-link' href='l2.html'>2</a></li>"
        "<li class='page-item'><a class='page-link' href='l3.html'>3</a></li></ul>",
        "<ul class='pagination'><li class='page-item'><a class='page-link' href='l1.html'>1</a></li>"
        "<li class='page-item active'><a class='page-link' href='l2.html'>2</a></li>"
        "<li class='page-item'><a class='page-link' href='l3.html'>3</a></li></ul>",
        "<ul class='pagination'><li class='page-item'><a class='page-link' href='l1.html'>1</a></li>"
        "<li class='page-item'><a class='page-link' href='l2.html'>2</a></li>"
        "<li class='page-item active'><a class='page-link' href='l3.html'>3</a></li></ul>",
    ),
    "style of the page": (
        "<div><a href='l1.html' style='color:red'>1</a><a href='l2.html'>2</a><a href='l3.html'>3</a></div>",
        "<div><a href='l1.html'>1</a><a href='l2.html' style='color:red'>2</a><a href='l3.html'>3</a></div>",
        "<div><a href='l1.html'>1</a><a href='l2.html'>2</a><a href='l3.html' style='color:red'>3</a></div>",
    ),
    "generated classes": (
        "<div class='sc-1a2b3c kXyZab'><a class='sc-9f8e7d hGfEdc' href='l1.html'><b>1</b></a>"
        "<a class='sc-9f8e7d aBcDef' href='l2.html'>2</a><a class='sc-9f8e7d aBcDef' href='l3.html'>3</a></div>",
        "<div class='sc-7z8y9x bCdEfg'><a class='sc-5f6e7d aBcDef' href='l1.html'>1</a>"
        "<a class='sc-5f6e7d hGfEdc' href='l2.html'><b>2</b></a><a class='sc-5f6e7d aBcDef' href='l3.html'>3</a></div>",
        "<div class='sc-7z8y9x bCdEfg'><a class='sc-5f6e7d aBcDef' href='l1.html'>1</a>"
        "<a class='sc-5f6e7d aBcDef' href='l2.html'>2</a><a class='sc-5f6e7d hGfEdc' href='l3.html'><b>3</b></a></div>",
    ),
    "下页": (
        "<div>首页 上页 <a href='l2.html'>下页</a> <a href='l3.html'>尾页</a></div>",
        "<div><a href='l1.html'>首页</a> <a href='l1.html'>上页</a> <a href='l3.html'>下页</a> <a href='l3.html'>尾页</a></div>",
        "<div><a href='l1.html'>首页</a> <a href='l2.html'>上页</a> 下页 尾页</div>",
    ),
    "后一页 in a table cell": (
        "<table><tr><td>前一页</td><td><a href='l2.html'>后一页&gt;&gt;</a></td></tr></table>",
        "<table><tr><td><a href='l1.html'>&lt;&lt;前一页</a></td><td><a href='l3.html'>后一页&gt;&gt;</a></td></tr></table>",
        "<table><tr><td><a href='l2.html'>&lt;&lt;前一页</a></td><td>后一页</td></tr></table>",
    ),
    "下一頁 with the numbers of pages": (
        "<div class='pg'><a href='l2.html'>下一頁(2/3)</a></div>",
        "<div class='pg'><a href='l1.html'>上一頁(1/3)</a><a href='l3.html'>下一頁(3/3)</a></div>",
        "<div class='pg'><a href='l2.html'>上一頁(2/3)</a></div>",
    ),
    "更早的文章": (
        "<nav><a href='l2.html'>更早的文章</a></nav>",
        "<nav><a href='l3.html'>更早的文章</a><a href='l1.html'>较新的文章</a></nav>",
        "<nav><a href='l2.html'>较新的文章</a></nav>",
    ),
    "Older Entries": (
        "<nav><a href='l2.html'>« Older Entries</a></nav>",
        "<nav><a href='l3.html'>« Older Entries</a><a href='l1.html'>Newer Entries »</a></nav>",
        "<nav><a href='l2.html'>Newer Entries »</a></nav>",
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
    "input with a script": (
        "<p><input type='button' value='下一页' onclick='window.location=\"l2.html\"'></p>",
        "<p><input type='button' value='上一页' onclick='window.location=\"l1.html\"'>"
        "<input type='button' value='下一页' onclick='window.location=\"l3.html\"'></p>",
        "<p><input type='button' value='上一页' onclick='window.location=\"l2.html\"'></p>",
    ),
    "javascript: with the address": (
        "<p><a href=\"javascript:location.href='l2.html'\">下一页</a></p>",
        "<p><a href=\"javascript:location.href='l1.html'\">上一页</a><a href=\"javascript:location.href='l3.html'\">下一页</a></p>",
        "<p><a href=\"javascript:location.href='l2.html'\">上一页</a></p>",
    ),
    "address in a data attribute": (
        "<p><a href='javascript:;' data-href='l2.html'>下一页</a></p>",
        "<p><a href='javascript:;' data-href='l1.html'>上一页</a><a href='javascript:;' data-href='l3.html'>下一页</a></p>",
        "<p><a href='javascript:;' data-href='l2.html'>上一页</a></p>",
    ),
    "下一页 leads nowhere, the numbers do": (
        "<div class='pages'><b>1</b><a href='l2.html'>2</a><a href='l3.html'>3</a><a href='#'>下一页</a></div>",
        "<div class='pages'><a href='l1.html'>1</a><b>2</b><a href='l3.html'>3</a><a href='#'>下一页</a></div>",
        "<div class='pages'><a href='l1.html'>1</a><a href='l2.html'>2</a><b>3</b><a href='#'>下一页</a></div>",
    ),
    "options": (
        "<select onchange='go(this)'><option value='l1.html' selected>第1页</option><option value='l2.html'>第2页</option>"
        "<option value='l3.html'>第3页</option></select>",
        "<select onchange='go(this)'><option value='l1.html'>第1页</option><option value='l2.html' selected>第2页</option>"
        "<option value='l3.html'>第3页</option></select>",
        "<select onchange='go(this)'><option value='l1.html'>第1页</option><option value='l2.html'>第2页</option>"
        "<option value='l3.html' selected>第3页</option></select>",
    ),
    "icon and label for readers": (
        "<ul><li><a href='l2.html' aria-label='Next'><span>x</span></a></li></ul>",
        "<ul><li><a href='l1.html' aria-label='Previous'><span>x</span></a></li>"
        "<li><a href='l3.html' aria-label='Next'><span>x</span></a></li></ul>",
        "<ul><li><a href='l2.html' aria-label='Previous'><span>x</span></a></li></ul>",
    ),
    "class of the link": (
        "<div><a class='item nextpage' href='l2.html'><img></a></div>",
        "<div><a class='item prevpage' href='l1.html'><img></a><a class='item nextpage' href='l3.html'><img></a></div>",
        "<div><a class='item prevpage' href='l2.html'><img></a></div>",
    ),
    "rel in the head": (
        "<link rel='stylesheet' href='x.css'><link rel='next' href='l2.html'>",
        "<link rel='stylesheet' href='x.css'><link rel='prev' href='l1.html'><link rel='next' href='l3.html'>",
        "<link rel='stylesheet' href='x.css'><link rel='prev' href='l2.html'>",
    ),
    "total before the number": (
        "<div>共 3 页 1 <a href='l2.html'>2</a> <a href='l3.html'>3</a></div>",
        "<div>共 3 页 <a href='l1.html'>1</a> 2 <a href='l3.html'>3</a></div>",
        "<div>共 3 页 <a href='l1.html'>1</a> <a href='l2.html'>2</a> 3 </div>",
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
