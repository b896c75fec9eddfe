"""URL patterns: which are understood, and what is said of the others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.articles.url_patterns import UrlPattern, read_patterns
from focuscrawl.errors import ArgumentError

HOST = "http://host.test"


@pytest.mark.parametrize(
    ("pattern", "number", "url"),
    [
        ("/article/{n}.htm", 80000, "/article/80000.htm"),
        ("/{n:06d}", 123, "/000123"),
        ("/{n:06}", 1234567, "/1234567"),
        ("/{n:d}", 7, "/7"),
        ("/{n//1000}/{n}", 80321, "/80/80321"),
        ("/{ n // 1000 :03d}/{n%1000:03d}", 80321, "/080/321"),
        ("/{(n+999)//1000}/{n}.html?id={n*2-1}", 1000, "/1/1000.html?id=1999"),
        ("/a,{n},b", 5, "/a,5,b"),
        ("/文章/{n}", 5, "/文章/5"),
    ],
)
def test_numbers_stand_where_the_pattern_says(pattern: str, number: int, url: str) -> None:
    assert UrlPattern(HOST + pattern).url(number) == HOST + url


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "write http://host/article/{n}.htm"),
        ("/article/{n}.htm", "write http://host/article/{n}.htm"),
        ("http://host/{n} .htm", "write http://host/article/{n}.htm"),
        ("http://host/1.htm", "write {n} in place of the number"),
        ("http://host/{}", "not an expression of n"),
        ("http://host/{n", "use braces only for expressions of n"),
        ("http://host/{n!r}", "not an expression of n"),
        ("http://host/{n:>8}", "'>8' is not a width"),
        ("http://host/{n/2}", "not an expression of n"),
        ("http://host/{n**9}", "not an expression of n"),
        ("http://host/{n//0}", "not an expression of n"),
        ("http://host/{9//n}/{n}", "not an expression of n"),
        ("http://host/{n.real}", "not an expression of n"),
        ("http://host/{__import__('os')}", "not an expression of n"),
        ("http://host/{(lambda: n)()}", "is not a width"),
        ("http://host/{" + "(" * 30 + "n" + ")" * 29 + "}", "not an expression of n"),
        ("http://host/{" + "n+" * 40 + "n}", "not an expression of n"),
        ("http://host/{n*9999999999999}", "not an expression of n"),
        ("http://host/{n//1000}", "two numbers have the same URL"),
        ("http://host/#/{n}", "two numbers have the same URL; write {n} somewhere before a #"),
        ("http://host:99999/{n}", "host:99999 is not a valid host and port"),
        ("http://:80/{n}", ":80 is not a valid host"),
        ("http://[::1/{n}", "[::1 is not a valid host"),
        ("http://me:secret@host/{n}", "remove user and password"),
    ],
)
def test_what_is_no_pattern_gets_a_sentence(pattern: str, said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        read_patterns(pattern)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_several_patterns_are_parted_by_commas() -> None:
    patterns = read_patterns(f" {HOST}/a,{{n}}.htm, {HOST}/b/{{n}} ,http://other.test/{{n}},")
    assert [(p.text, p.site) for p in patterns] == [
        (f"{HOST}/a,{{n}}.htm", "host.test"),
        (f"{HOST}/b/{{n}}", "host.test"),
        ("http://other.test/{n}", "other.test"),
    ]
    with pytest.raises(ArgumentError, match="given twice"):
        read_patterns(f"{HOST}/{{n}},{HOST}/{{n}}")


@given(st.integers(0, 10**9))
def test_the_number_of_a_url_is_found_again(number: int) -> None:
    pattern = UrlPattern(f"{HOST}/2024/{{n//1000}}/{{n:06d}}.htm")
    assert pattern.number_of(pattern.url(number)) == number
    assert pattern.number_of(f"{HOST}/login?from={number}") is None


def test_the_number_of_a_url_is_found_in_the_form_a_server_gives_it() -> None:
    pattern = UrlPattern("http://例子.测试/文章/{n}.htm")
    served = "https://www.xn--fsqu00a.xn--0zwm56d/%E6%96%87%E7%AB%A0/7.htm"
    assert pattern.number_of(served) == 7
    assert pattern.number_of(served.replace("7.htm", "8.html")) is None


@given(st.text(max_size=40))
def test_any_text_is_a_pattern_or_gets_a_sentence(text: str) -> None:
    said = ""
    try:
        assert UrlPattern(f"{HOST}/{{{text}}}").url(1)
    except ArgumentError as error:
        said = str(error)
    assert len(said.splitlines()) <= 1
