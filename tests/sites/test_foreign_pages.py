"""Pages that are no articles, told from articles that are like each other."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from lxml import html

from focuscrawl.sites.foreign_pages import ForeignPages, PageAnswer, shows_title

TODAY = date(2026, 3, 5)
URL = "http://host/a/1.html"


def answer(number: int, text: str = "", *, is_titled: bool | None = True) -> PageAnswer:
    body = (
        text
        or f"{number}日各地玉米收购价格有涨有跌，企业按质论价，成交一般。" + "行情平稳。" * number
    )
    title = f"第{number}期行情"
    return PageAnswer.of(f"http://host/a/{number}.html", title, None, body, is_titled=is_titled)


def judged(*answers: PageAnswer, state: Any = None, today: date = TODAY) -> ForeignPages:
    pages = ForeignPages(state, today)
    for one in answers:
        pages.add(one)
    return pages


GOOD = [answer(number) for number in range(10, 14)]


@pytest.mark.parametrize(
    ("texts", "is_titled", "found"),
    [
        # A number of the request in each.
        ([f"请输入验证码，编号{number}" for number in range(3)], False, 3),
        (["哎呀，小二忙不过来了"] * 2, False, 2),
        (["请求过于频繁，请稍后再试"] * 2, True, 2),
        (["见附件"] * 2, True, 2),
        (["各地行情平稳，" * 60 + "Fatal error: Out of memory in /a.php on line 3"], True, 1),
        (["本文不存在或已被删除"], False, 1),
        (["歇一会儿"], False, 1),
        # Bulletins that differ in their prices only, and those of a holiday.
        ([f"今日玉米价格230{number}元，企业收购积极，市场购销活跃，行情稳定" for number in range(3)], True, 0),
        (["今日玉米价格2300元，企业收购积极，市场购销活跃，行情稳定，下游需求一般"] * 6, True, 0),
        # Pictures alone.
        ([" "] * 6, True, 0),
        # The list has titles of its own.
        (["关于企业登录系统升级的通知，" + "各单位按时完成各项工作。" * 12], False, 0),
    ],
)  # fmt: skip
def test_what_answers_share_tells_pages_that_are_no_articles(
    texts: list[str], is_titled: bool, found: int
) -> None:
    odd = [answer(number, text, is_titled=is_titled) for number, text in enumerate(texts)]
    assert len(judged(*GOOD, *odd).found) == found


def test_those_that_came_before_the_second_are_found_late() -> None:
    odd = [answer(number, "哎呀，小二忙不过来了", is_titled=False) for number in range(3)]
    # Whether articles show their titles is not known yet.
    pages = judged(*odd, *[answer(number) for number in range(10, 15)])
    assert len(pages.found) == len(pages.late) == 3
    assert pages.sentence(8) == (
        "3 of 8 entries gave a page that is no article (same text); the next run requests them again"
    )


@pytest.mark.parametrize(
    ("text", "is_titled", "outcomes"),
    [
        ("见附件", True, ["again", "again", "believed"]),
        ("本文不存在或已被删除", False, ["again", "again", "gone"]),
        ("请登录后查看全文", True, ["again", "again", "believed"]),
        ("请输入验证码", False, ["again", "again", "again"]),
        ("平台今晚升级维护，请稍后访问", True, ["again", "again", "believed"]),
        ("今日休市", False, ["again", "again", "believed"]),
    ],
)
def test_the_same_answer_in_three_runs_is_settled(
    text: str, is_titled: bool, outcomes: list[str]
) -> None:
    state: Any = None
    for run, outcome in enumerate(outcomes):
        odd = [answer(number, text, is_titled=is_titled) for number in (1, 2)]
        pages = judged(*GOOD, *odd, state=state, today=TODAY + timedelta(days=run))
        assert pages.outcome(odd[1], holds_other=False) == outcome
        state = pages.to_json()
    later = judged(answer(3, text, is_titled=is_titled), state=state, today=TODAY)
    assert bool(later.found) == (text != "见附件")


def test_an_answer_is_not_believed_where_a_text_is_stored() -> None:
    state: Any = None
    for outcome in ("again", "again", "gone"):
        odd = [answer(number, "见附件") for number in (1, 2)]
        pages = judged(*GOOD, *odd, state=state)
        assert pages.outcome(odd[1], holds_other=True) == outcome
        state = pages.to_json()


@pytest.mark.parametrize("text", ["", "行情", "Microsoft VBScript 运行时错误 '800a000d'"])
def test_what_is_left_of_a_stored_text_is_settled_after_two_days(text: str) -> None:
    stored, state = "各地玉米收购价格有涨有跌，企业按质论价，成交一般。", None
    for day, outcome in ((0, "again"), (0, "again"), (0, "again"), (2, "gone")):
        odd = answer(1, text)
        odd.replaces(stored, text, is_closed=bool(text))
        odd.is_titled = not text
        pages = judged(*GOOD, odd, state=state, today=TODAY + timedelta(days=day))
        assert pages.outcome(odd, holds_other=True) == outcome
        state = pages.to_json()


def test_an_edited_text_may_be_shorter() -> None:
    stored = "各地玉米收购价格有涨有跌，企业按质论价，成交一般。"
    for text, is_closed in ((stored[:12], True), (stored[-12:], False), (stored[:20], False)):
        odd = answer(1, text)
        odd.replaces(stored, text, is_closed=is_closed)
        assert not judged(*GOOD, odd).found


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("http://host/", "sent home"),
        ("http://host/index.php", "sent home"),
        ("http://host/user/login.php?from=1", "sent to a login"),
        ("http://host/a/", "sent to the list"),
        ("http://host/404.html", "sent to an error page"),
        ("http://www.host/a/1.html", ""),
        ("http://host/news/2026/1.html", ""),
    ],
)
def test_the_target_of_a_redirect_tells(given: str, sent: str) -> None:
    one = answer(1, is_titled=False)
    one.redirected(URL, given, is_list=False, is_other=False)
    assert judged(one).found.get(URL, one).sent == sent
    assert one.reason == sent


def test_stored_texts_that_are_shared_are_found() -> None:
    stored = [answer(number, is_titled=None) for number in range(10, 20)]
    stored += [answer(n, f"访问异常，请输入验证码 {n}", is_titled=None) for n in range(2)]
    pages = ForeignPages(None, TODAY)
    assert pages.needs_audit
    assert [one.url[-6:] for one in pages.audit(stored)] == ["0.html", "1.html"]
    assert not pages.needs_audit


@pytest.mark.parametrize(
    ("page", "is_shown"),
    [
        ("<title>山东玉米价格第5期_粮网</title><p>正文", True),
        ("<div>山东<b>玉米价格</b>第5期</div>", True),
        ("<h1>山東玉米價格第5期（繁體版）</h1>", True),
        ("<a href='/b'>山东玉米价格第5期</a><p>首页", False),
        ("<h1>山东玉米价格第6期</h1>", False),
        ("<h1>安全检查</h1>", False),
    ],
)
def test_the_title_counts_outside_of_links(page: str, is_shown: bool) -> None:
    tree = html.document_fromstring(f"<html><body>{page}</body></html>")
    assert shows_title(tree, URL, "山东玉米价格第5期") == is_shown
