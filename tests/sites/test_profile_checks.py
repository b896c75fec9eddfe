"""Checks of what profiles select, on made-up pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from focuscrawl.sites.page_reading import ArticlePage, ListEntry, ListPage
from focuscrawl.sites.profile_checks import (
    ArticleChecks,
    Problem,
    changed_addresses,
    list_problems,
    missed_next,
    paging_problems,
)
from focuscrawl.sites.site_profile import ArticleRules, ListRules, Rule
from focuscrawl.stored_records import KnownArticle
from tests.sites.induction.pages import LIST_URL, list_page, rows, tree
from tests.sites.stored import stored

SECOND = f"{LIST_URL}2.html"


def listing(*names: str, following: str = "") -> ListPage:
    entries = [ListEntry(f"{LIST_URL}{name}", name, None, "") for name in names]
    return ListPage(entries, following)


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        (listing("c", "d", following=f"{LIST_URL}3.html"), ""),
        (listing("c", "d"), ""),
        (listing("a", "c"), ""),
        (listing(), f"the second list page has no entries: {SECOND}"),
        (listing("b", "a"), f"the second list page has the same entries as the first: {SECOND}"),
        (listing("c", following=LIST_URL), f"list.next leads from the second list page to {LIST_URL}"),
        (listing("c", following=SECOND), f"list.next leads from the second list page to {SECOND}"),
    ],
)  # fmt: skip
def test_a_second_page_that_does_not_lead_on_is_told(second: ListPage, sentence: str) -> None:
    found = list(paging_problems(listing("a", "b"), second, LIST_URL, SECOND, "3.html"))
    assert found == ([sentence] if sentence else [])
    # The last page may link to itself.
    last = listing("c", following=SECOND)
    assert not list(paging_problems(listing("a", "b"), last, LIST_URL, SECOND, ""))


RULES = ListRules(
    entry=Rule(css="ul.list li"),
    link=Rule(xpath="a/@href"),
    title=Rule(css="a"),
    next=Rule(xpath='//a[.="下一页"]/@href'),
)


def problems(page: str, rules: ListRules = RULES) -> list[Problem]:
    return list(list_problems(tree(page), LIST_URL, rules, date(2026, 11, 1)))


def test_a_link_to_a_page_that_was_not_seen_is_found() -> None:
    page = tree('<p>1</p><a href="1.html">上一页</a><a href="3.html">下一页</a>')
    assert missed_next(page, SECOND, {LIST_URL}) == f"{LIST_URL}3.html"
    assert missed_next(page, SECOND, {f"{LIST_URL}3.html"}) == ""
    assert missed_next(tree("<p>1</p>"), SECOND, set()) == ""
    # Browsers write queries in the encoding of the page.
    chinese = tree('<a href="?kw=玉米">下一页</a>')
    assert missed_next(chinese, SECOND, {f"{SECOND}?kw=%D3%F1%C3%D7"}, "gbk") == ""


def test_rules_that_fail_on_most_pages_are_told() -> None:
    checks = ArticleChecks(ArticleRules(title=Rule(css="h1"), date=Rule(css="i")))
    full, bare = ArticlePage("标题", "正文比标题长", None, ""), ArticlePage("", "短", None, "")
    for page in (full, bare, bare):
        checks.add("标题二字", page, leads_away=False)
    assert [problem.sentence for problem in checks.problems()] == [
        "article.body selects less text than the title has",
        "article.title selects nothing",
        "article.date selects no date",
    ]
    assert [problem.loses_articles for problem in checks.problems()] == [True, False, False]


@pytest.mark.parametrize(
    ("pager", "following", "sentence", "loses_articles"),
    [
        ("<p>共 9 页</p>", None, "list.next is missing: the page shows further pages (共 9 页), but no link", True),
        ("<p>共 9 页</p>", "//a[.='后']/@href", "list.next selects nothing: the page shows further pages", True),
        ("<p>第 9 页 共 9 页</p>", "//a[.='后']/@href", "", False),
        ("<p><button onclick=\"go('2.html')\">下页</button></p>", None, "list.next is missing, but the page links to 2.html", False),
        ("<ul class='el-pager'><li class='active'>1</li><li>2</li></ul>", None, "list.next is missing: the page shows further pages (2)", True),
        ('<p><a href="javascript:go(2)">下一页</a></p>', None, "list.next is missing: the page shows further pages (下一页)", True),
        ('<p><a href="#" onclick="go(2)">下一页</a></p>', None, "list.next is missing: the page shows further pages (下一页)", True),
        ('<p><a href="javascript:void(0)">下一页</a></p>', None, "list.next is missing: the page shows further pages (下一页)", False),
        ('<p><a href="#">下一页</a></p>', None, "list.next is missing: the page shows further pages (下一页)", False),
    ],
)  # fmt: skip
def test_further_pages_that_no_rule_reaches_are_told(
    pager: str, following: str | None, sentence: str, loses_articles: bool
) -> None:
    rule = Rule(xpath=following) if following else None
    found = problems(list_page(rows(), pager), RULES.model_copy(update={"next": rule}))
    assert [problem.sentence[: len(sentence)] for problem in found] == (
        [sentence] if sentence else []
    )
    assert [problem.loses_articles for problem in found] == ([loses_articles] if sentence else [])


@pytest.mark.parametrize(
    ("first", "others", "is_told"),
    [
        ("/xinwen/", ["/xinwen/?page=2"], False),
        ("/xinwen/", ["/xinwen/page/2/", "/xinwen/page/3/"], False),
        ("/xinwen/index.html", ["/xinwen/index_2.html"], False),
        ("/xinwen/1.html", ["/xinwen/2.html"], False),
        ("/xinwen/?id=5&page=1", ["/xinwen/?id=5&page=2"], False),
        ("/xinwen/List_25.shtml", ["/xinwen/List_25_2.shtml"], False),
        ("/xinwen/List_25.shtml", ["/xinwen/List_26.shtml"], True),
        ("/xinwen/", ["/xinwen/zhengce/"], True),
        ("/xinwen/?id=5", ["/xinwen/?id=6"], True),
        ("/xinwen/", [], True),
    ],
)
def test_further_pages_among_the_start_urls_are_not_missed(
    first: str, others: list[str], is_told: bool
) -> None:
    rules = RULES.model_copy(update={"next": None})
    page = tree(list_page(rows(), "<p>共 9 页</p>"))
    starts = [f"http://news.example{path}" for path in (first, *others)]
    for url in starts:
        found = list(list_problems(page, url, rules, date(2026, 11, 1), starts))
        assert [problem.loses_articles for problem in found] == ([True] if is_told else [])
        assert not list(list_problems(page, url, rules, date(2026, 11, 1), starts[:1], 1))


@pytest.mark.parametrize(
    ("text", "away", "sentence", "loses_articles"),
    [
        # One is enough.
        ("正文比标题长 {}", {1}, "article.next leads to another article", True),
        ("版权所有 转载请注明出处 " * 9, set(), "article.body selects the same text on most articles", False),
    ],
)  # fmt: skip
def test_rules_that_select_something_else_are_told(
    text: str, away: set[int], sentence: str, loses_articles: bool
) -> None:
    checks = ArticleChecks(ArticleRules())
    for number in range(4):
        page = ArticlePage("", text.format(number), None, "")
        checks.add(f"标题{number}", page, leads_away=number in away)
    (problem,) = checks.problems()
    assert (problem.sentence, problem.loses_articles) == (sentence, loses_articles)


def test_rules_that_never_match_are_told() -> None:
    following, advert, editor = Rule(css="a.next"), Rule(css="div.ad"), Rule(css="i")
    checks = ArticleChecks(
        ArticleRules(body=Rule(css="b"), next=following, remove=[advert, editor])
    )
    assert list(checks.problems()) == []
    for number in range(3):
        page = ArticlePage("", f"正文比标题长 {number}", None, "")
        checks.add("标题", page, leads_away=False)
    # Many sites have the editor on the last page of an article only.
    last = ArticlePage("", "续", None, "", frozenset({editor}))
    checks.add("标题", last, leads_away=False, is_first=False)
    assert [tuple(problem) for problem in checks.problems()] == [
        ("article.next (a.next) selects nothing on 3 articles", False, True),
        ("article.remove (div.ad) selects nothing on 3 articles", False, True),
    ]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ('<a href="javascript:go(2)">下一页</a> 共9页', ["list.next selects 'javascript:go(2)': the page shows further pages (共9页)"]),
        ('<b>1</b><a href="javascript:;">2</a><a href="#">下一页</a>', ["list.next selects '#': the page shows further pages (2)"]),
        # The last page of many sites has the words with a dead link.
        ('<a href="javascript:;">下一页</a>', []),
        ('<a href="javascript:;">下一页</a> 共1页', []),
        ('<a href="2.html">下一页</a> 共9页', []),
    ],
)  # fmt: skip
def test_a_next_link_that_has_become_a_script_is_told(after: str, said: list[str]) -> None:
    found = problems(list_page(rows(), f'<div class="pages">{after}</div>'))
    assert [problem.sentence.split(", but")[0] for problem in found] == said
    assert all(problem.loses_articles for problem in found)


@pytest.mark.parametrize(
    ("link", "short", "long"),
    [
        ('href="#"', False, True),
        ('href=""', False, True),
        ('href="javascript:void(0)"', False, True),
        ('href="javascript:;" onclick="go(2)"', False, True),
        # The script says whether there is a second page.
        ('href="javascript:go(2)"', True, True),
        ("href=\"javascript:__doPostBack('pager$0','2')\"", True, True),
        ('href="javascript:go(1)"', False, False),
        (f'href="{LIST_URL}"', False, True),
        ('href="#" class="disabled"', False, False),
        ('href="?page=2"', False, False),
    ],
)
def test_a_next_link_that_leads_nowhere_is_told_below_a_page_of_many_entries(
    link: str, short: bool, long: bool
) -> None:
    for count, is_told in ((9, short), (10, long)):
        lines = "".join(f'<li><a href="/a/{n}.html">通知第{n}号</a></li>' for n in range(count))
        page = f'<ul class="list">{lines}</ul><div class="pages"><a {link}>下一页</a></div>'
        found = [one for one in problems(page) if "list.next" in one.sentence]
        assert any(one.loses_articles for one in found) == is_told, count


DAY = date(2026, 3, 5)


def entries(form: str, count: int = 4) -> list[ListEntry]:
    return [ListEntry(form.format(n=n), f"第{n}期", DAY, "") for n in range(count)]


def known(form: str, day: date = DAY) -> list[KnownArticle]:
    return [stored(entry, published=day) for entry in entries(form)]


def problem_of(new: list[ListEntry], held: list[KnownArticle]) -> str:
    found = list(changed_addresses(new, held))
    assert len(found) < 2
    assert not any(one.loses_articles for one in found)
    return found[0].sentence if found else ""


def test_the_parameters_that_change_are_named() -> None:
    sentence = problem_of(
        entries("http://h/a?id={n}&t=8&r=1{n}"), known("http://h/a?id={n}&t=7&r=2{n}")
    )
    assert sentence == (
        "4 of 4 new entries have title and date of a stored article with another address, such as "
        "http://h/a?id=0&t=8&r=10 and http://h/a?id=0&t=7&r=20; if r and t change at every run, write "
        "ignore_parameters: [r, t] in the profile"
    )


def test_another_path_is_told_without_parameters() -> None:
    sentence = problem_of(entries("http://h/b/{n}"), known("http://h/a/{n}"))
    assert sentence.endswith("the site may have given its articles other addresses")


def test_a_list_without_dates_is_compared_by_titles() -> None:
    new = [replace(entry, published=None) for entry in entries("http://h/a?id={n}&t=8")]
    assert "[t]" in problem_of(new, known("http://h/a?id={n}&t=7"))


def test_real_news_is_not_taken_for_old() -> None:
    new = entries("http://h/a?id={n}&t=8")
    assert problem_of(new, known("http://h/a?id={n}&t=7", date(2026, 3, 4))) == ""
    assert problem_of(new[:2], known("http://h/a?id={n}&t=7")) == ""
    assert problem_of(new, []) == ""
