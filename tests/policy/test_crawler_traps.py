"""Crawler traps are refused, ordinary pages are followed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.policy.crawler_traps import (
    ACTION,
    BARREN_PATH,
    CALENDAR,
    LONG_URL,
    REPEATED_PARAMETER,
    REPEATED_PATH,
    SESSION_ID,
    TOO_DEEP,
    TOO_MANY_PARAMETERS,
    TrapRules,
    Traps,
)

PAGES = """
/
/2019/07/12/word2vec/
/2019/07/12/word2vec/page/2/
/2026/11/20/
/archives/2019/07/
/archives/2019/07/page/12/
/archives/1234
/2019/2019/
/zh/zh/
/2011/11/11/11/
/3017/07/26/misdated-post/
/posts/1801/2/
/t/topic/1661/6
/topic/2101/10
/content/18/0901/23/11935121_783145790.shtml
/content/18/0901/09/11935121_783145790.shtml
/posts/20311231.html
/p/2077
/2022/02/08/year/2022/2/a-post/
/categories/%E6%B7%B1%E5%BA%A6%E5%AD%A6%E4%B9%A0/page/2/
/%E7%BD%91%E9%A1%B5%E8%A7%A3%E6%9E%90/
/exiftool/exiftool/blob/11.70/lib/Image/ExifTool/DjVu.pm
/blob/master/web/example/src/main/java/example/users/web/UserController.java
/calendar/2026/11/
/event/2099/tasks/
/tags/share/
/tags/login/
/posts/login-with-oauth/
/2019/07/12/how-to-add-to-cart/
/tutorial/register.html
/thread-123-1-1.html
/forum-2-15.html
/forum.php?mod=viewthread&tid=1
/forum.php?mod=viewthread&tid=123456&extra=page%3D1&page=2
/forum.php?mod=forumdisplay&fid=2&filter=typeid&typeid=3&orderby=dateline&page=2
/home.php?mod=space&uid=1999&do=blog&id=203105
/plus/view.php?aid=1
/plus/list.php?tid=12&TotalResult=300&PageNo=5
/index.php?m=content&c=index&a=show&catid=1&id=2
/index.php?m=content&c=index&a=lists&catid=203105&page=7
/?p=123
/?m=201907
/?cat=7&paged=3
/?s=word2vec
/wiki/index.php?title=%E7%8E%89%E7%B1%B3
/films?year=1960&genre=5
/news.asp?sid=42
/show.php?sid=fSaqZq
/talks?sessionid=12
/ConferenceStatistics/MainPage?name=NIPS&year=2018
/list?date=1573546800
/a?author_share=1&mpshare=1
/s?__biz=MzI5&mid=2652278247&idx=1&sn=0448&chksm=f7486473&mpshare=1&scene=23&srcid=0919MUX
""".split()

TRAPS = [
    ("/calendar/2031/05/", CALENDAR),
    ("/calendar/2031/5", CALENDAR),
    ("/calendar/2031", CALENDAR),
    ("/calendar/month/2031-05.html", CALENDAR),
    ("/events/1970/", CALENDAR),
    ("/huangli/20310512.html", CALENDAR),
    ("/2031/05/12/", CALENDAR),
    ("/2031/5/12", CALENDAR),
    ("/2031-05", CALENDAR),
    ("/archives/2031/05/page/2/", CALENDAR),
    ("/1994/12/31/", CALENDAR),
    ("/cal.php?year=2031&month=5", CALENDAR),
    ("/cal.php?month=12&year=1969", CALENDAR),
    ("/cal.php?date=2031-05-12", CALENDAR),
    ("/cal.php?tribe-bar-date=2031-05-12", CALENDAR),
    ("/?m=203105", CALENDAR),
    ("/show.jsp;jsessionid=B2EBD814B4E0?id=1", SESSION_ID),
    ("/show.php?id=1&PHPSESSID=k3j4h5", SESSION_ID),
    ("/show.php?sid=0123456789abcdef", SESSION_ID),
    ("/show.php?s=0123456789abcdef0123456789ABCDEF&id=1", SESSION_ID),
    ("/(S(lit3py55t21z5v55vlm25s55))/list.aspx", SESSION_ID),
    ("/list?" + "&".join(f"filter{n}=1" for n in range(13)), TOO_MANY_PARAMETERS),
    ("/list?a=1&a=1&a=1", REPEATED_PARAMETER),
    ("/a/b/a/b/a/b", REPEATED_PATH),
    ("/a/a/a/", REPEATED_PATH),
    ("/news/list/news/show/news/1.html", REPEATED_PATH),
    ("/" + "a" * 1000, LONG_URL),
    ("/" + "/".join(map(str, range(21))), TOO_DEEP),
    ("/" * 30, TOO_DEEP),
    ("/2019/07/12/word2vec/?replytocom=42", ACTION),
    ("/2019/07/12/word2vec/?share=weibo", ACTION),
    ("/shop/?add-to-cart=99", ACTION),
    ("/shop/add-to-wishlist/99/", ACTION),
    ("/login", ACTION),
    ("/user/Login/", ACTION),
    ("/cart/", ACTION),
    ("/wp-login.php?redirect_to=x", ACTION),
    ("/print.php?id=7", ACTION),
    ("/forum.php?mod=viewthread&action=printable&tid=1", ACTION),
    ("/member.php?mod=logging&action=login", ACTION),
    ("/index.php?m=member&c=index&a=register", ACTION),
]


def traps(**rules: int) -> Traps:
    return Traps(TrapRules(**rules), this_year=2026)


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_followed(path: str) -> None:
    assert traps().refusal("http://a.test" + path, 3) == ""


@pytest.mark.parametrize(("path", "reason"), TRAPS)
def test_traps_are_refused(path: str, reason: str) -> None:
    assert traps().refusal("http://a.test" + path, 3) == reason


def test_depth_is_limited() -> None:
    assert traps(depth=5).refusal("http://a.test/", 5) == ""
    assert traps(depth=5).refusal("http://a.test/", 6) == TOO_DEEP


@given(st.text() | st.text("ab12/?&=;([]:.%", max_size=60), st.integers(-1, 2000))
def test_no_url_raises(url: str, depth: int) -> None:
    known = traps(yield_pages=1)
    first = known.refusal(url, depth)
    assert known.refusal(url, depth) == first == traps().refusal(url, depth)
    known.judged(url, is_relevant=False)
    assert known.refusal(url, depth) in {first, BARREN_PATH}


@given(
    st.lists(st.text("ab1-%玉", min_size=1, max_size=8), min_size=1, max_size=6).filter(
        lambda names: not all(name.isdigit() for name in names)
    ),
    st.integers(3, 200),
)
def test_a_path_that_repeats_itself_is_refused(names: list[str], times: int) -> None:
    url = "http://a.test" + "".join(f"/{name}" for name in names) * times
    assert traps().refusal(url, 3) in {REPEATED_PATH, TOO_DEEP, LONG_URL}


def post(number: int) -> str:
    return f"http://a.test/posts/{number}/x/"


def test_a_path_without_a_relevant_page_is_barren() -> None:
    known = traps(yield_pages=50)
    for number in range(49):
        known.judged(post(number), is_relevant=False)
    assert known.refusal(post(1000), 3) == ""
    known.judged(post(49), is_relevant=False)
    assert known.refusal(post(1000), 3) == BARREN_PATH
    assert known.refusal("http://a.test/about/", 3) == ""
    assert known.refusal("http://b.test/posts/1/x/", 3) == ""


def test_relevant_pages_extend_the_budget_of_a_path_and_reopen_it() -> None:
    known = traps(yield_pages=50)
    known.judged(post(0), is_relevant=True)
    for number in range(1, 100):
        known.judged(post(number), is_relevant=False)
    assert known.refusal(post(1000), 3) == ""
    known.judged(post(100), is_relevant=False)
    assert known.refusal(post(1000), 3) == BARREN_PATH
    known.judged(post(101), is_relevant=True)
    assert known.refusal(post(1000), 3) == ""


def test_duplicates_of_a_relevant_page_do_not_count_as_yield() -> None:
    known = traps(yield_pages=50)
    known.judged(post(0), is_relevant=True)
    for number in range(1, 26):
        known.judged(post(number), is_relevant=True, is_new=False)
    assert known.refusal(post(1000), 3) == BARREN_PATH


def test_parts_of_a_script_are_told_apart_by_parameter_names() -> None:
    known = traps(yield_pages=20)
    for month in range(20):
        known.judged(f"http://a.test/index.php?year=2019&month={month}", is_relevant=False)
    assert known.refusal("http://a.test/index.php?month=1&year=2018", 3) == BARREN_PATH
    assert known.refusal("http://a.test/index.php?catid=1&id=2", 3) == ""


def test_the_number_of_remembered_paths_is_limited() -> None:
    known = Traps(TrapRules(yield_pages=2), most_prefixes=10)
    for number in range(11):
        known.judged(f"http://a{number}.test/", is_relevant=False)
    # The first was evicted and starts from zero; the last is still known.
    known.judged("http://a0.test/", is_relevant=False)
    known.judged("http://a10.test/", is_relevant=False)
    assert known.refusal("http://a0.test/", 3) == ""
    assert known.refusal("http://a10.test/", 3) == BARREN_PATH
