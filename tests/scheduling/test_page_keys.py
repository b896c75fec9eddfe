"""A page has the key of Scrapy's fingerprint, so that files of older versions stay of use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.utils.request import fingerprint

from focuscrawl.frontier.frontier_entries import key_of
from focuscrawl.scheduling.page_keys import key_of_page


def scrapy_key(url: str) -> int:
    return key_of(fingerprint(Request(url)))


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "https://blog.example.com/posts/2020/a-b_c.html",
        "http://a.example/b?z=1&a=%E7%8E%89%20x",
        "http://a.example:8080/~x/../y//z/.",
        "http://a.example/玉米?品种=2#top",
        "HTTP://A.Example",
        "http://a..b.example/-",
    ],
)
def test_the_key_is_that_of_the_request(url: str) -> None:
    assert key_of_page(url) == scrapy_key(url)


_paths = st.lists(
    st.sampled_from([*"/.aZ-_~!", "%E7%8E%89", "%7E", "%e7", "%2F", "%FF", "?a=b&", "#"]),
    max_size=8,
).map("".join)


@given(st.from_regex(r"https?://[a-z0-9.-]{1,12}/", fullmatch=True), _paths)
def test_any_url_has_the_key_of_its_request(start: str, path: str) -> None:
    url = start + path
    try:
        expected = scrapy_key(url)
    except ValueError:
        return
    assert key_of_page(url) == expected
