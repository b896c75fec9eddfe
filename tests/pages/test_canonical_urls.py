"""Canonical URLs and resolved references."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import unquote_to_bytes, urljoin, urlsplit

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from focuscrawl.network.address_rules import reference as stripped
from focuscrawl.pages import canonical_urls
from focuscrawl.pages.canonical_urls import LONGEST_URL, canonical_url, is_file, resolve

ODD = "aZ0-._~/?#[]@!$&'()*+,;=:%\\ \t\n\"<>|^`{}例玉é\x00\x7f\udc80\u200b"
HOSTS = st.sampled_from(
    "a.test A.Test 例子.中国 xn--fsqu00a.test [::1] 127.0.0.1 u:p@a.test".split()
)
PATHS = st.lists(
    st.text(ODD, max_size=4)
    | st.sampled_from(". .. ./ ../ %41 %2e%2E/ %e7%8e%89 %zz // a/b".split()),
    max_size=6,
).map("".join)
URLS = st.builds(
    "{}://{}{}/{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    HOSTS,
    st.sampled_from(["", ":80", ":443", ":8080"]),
    PATHS,
)

EXAMPLES = [
    ("HTTP://A.Test", "http://a.test/"),
    ("http://a.test:80/x#top", "http://a.test/x"),
    ("https://a.test:443/", "https://a.test/"),
    ("http://a.test:443/", "http://a.test:443/"),
    ("http://a.test?q=1", "http://a.test/?q=1"),
    ("http://a.test/x?", "http://a.test/x"),
    ("http://a.test/a/./b/../c", "http://a.test/a/c"),
    ("http://a.test/../../x/..", "http://a.test/"),
    ("http://a.test/a/b/..", "http://a.test/a/"),
    ("http://a.test/%7euser/%41%2f%e7%8e%89", "http://a.test/~user/A%2F%E7%8E%89"),
    (
        "http://a.test/玉米?品种=先玉",
        "http://a.test/%E7%8E%89%E7%B1%B3?%E5%93%81%E7%A7%8D=%E5%85%88%E7%8E%89",
    ),
    ("http://a.test/a b", "http://a.test/a%20b"),
    ("http://a.test/?b=2&a=1&b=1", "http://a.test/?b=2&a=1&b=1"),
    ("http://a.test/50%", "http://a.test/50%25"),
    ("http://a.test/%a%41?%zz", "http://a.test/%25aA?%25zz"),
    ("http://例子.中国/", "http://xn--fsqu00a.xn--fiqs8s/"),
    ("http://ａ.test/", "http://a.test/"),
    ("http://a.test\\b", "http://a.test/b"),
    ("http://[::1]:80/", "http://[::1]/"),
    ("http://Me:Pw@a.test/", "http://Me:Pw@a.test/"),
    ("http://a.test//x", "http://a.test//x"),
]


@pytest.mark.parametrize(("url", "canonical"), EXAMPLES)
def test_canonical_url(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical


def test_a_query_is_written_in_the_charset_of_its_page_and_a_path_is_not() -> None:
    canonical = "http://a.test/%E7%8E%89?q=%D3%F1"
    assert canonical_url("http://a.test/玉?q=玉", "gb18030") == canonical
    assert canonical_url(canonical) == canonical


@pytest.mark.parametrize("charset", ["gb2312", "no-such-charset"])
def test_a_query_that_the_charset_cannot_write_is_utf_8(charset: str) -> None:
    assert canonical_url("http://a.test/?q=😀", charset) == "http://a.test/?q=%F0%9F%98%80"


BROKEN = [
    *(
        "",
        "a.test",
        "//a.test/",
        "http:///x",
        "http://",
        "http://[a]/",
        "http://a b/",
        "http://a:b/",
    ),
    *("ftp://a.test/", "javascript:alert(1)", "mailto:a@a.test", "http://<a>/", "http://%41/"),
    *("http://a.test:99999/", "http://./", "http://-/"),
]


@pytest.mark.parametrize("url", BROKEN)
def test_other_urls_raise(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical_url(url)


@given(URLS)
@example("http://a.test/%2e%2e/x")
@example("http://a.test/%252e/")
@example("http://a.test/.%2e")
@example("http://a.test/%a%41")
def test_canonical_urls_stay_as_they_are(url: str) -> None:
    canonical = canonical_url(url)
    assert canonical_url(canonical) == canonical
    assert safe_url_string(canonical) == canonical, "Scrapy would request another URL"
    assert canonical.isascii()
    assert "#" not in canonical
    parts = urlsplit(canonical)
    assert parts.path.startswith("/")
    assert not {".", ".."} & set(parts.path.split("/"))


@given(URLS)
def test_a_canonical_url_means_the_same(url: str) -> None:
    """Compared as bytes without any escape, against w3lib's spelling without dot segments."""
    before, after = urlsplit(safe_url_string(_writable(url))), urlsplit(canonical_url(url))
    assert before.hostname == after.hostname
    assert unquote_to_bytes(before.query) == unquote_to_bytes(after.query)
    if "." not in unquote_to_bytes(before.path).decode("latin-1"):
        assert unquote_to_bytes(before.path or "/") == unquote_to_bytes(after.path)


def _writable(url: str) -> str:
    return url.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


@given(st.text() | URLS, st.sampled_from(["utf-8", "gb2312", "big5"]))
def test_any_text_is_a_url_or_raises(text: str, charset: str) -> None:
    with suppress(ValueError):
        canonical_url(text, charset)


BASE = "http://a.test/dir/page.html?x=1"
REFERENCES = [
    ("/x", "http://a.test/x"),
    ("/x#part", "http://a.test/x"),
    ("x.html", "http://a.test/dir/x.html"),
    (" x.html\n", "http://a.test/dir/x.html"),
    ("/a/\t1\n.html", "http://a.test/a/1.html"),
    ("\x01\x0b/玉\r\n米\x1f", "http://a.test/%E7%8E%89%E7%B1%B3"),
    ("ht\ntp://b.\ttest/", "http://b.test/"),
    ("java\nscript:void(0)", None),
    ("./x", "http://a.test/dir/x"),
    ("../x", "http://a.test/x"),
    ("?y=2", "http://a.test/dir/page.html?y=2"),
    ("x?y=a/b", "http://a.test/dir/x?y=a/b"),
    ("//b.test/y", "http://b.test/y"),
    ("//B.test", "http://b.test/"),
    ("https://b.test", "https://b.test/"),
    ("HTTPS://b.test/", "https://b.test/"),
    ("/标签/机器学习/", "http://a.test/%E6%A0%87%E7%AD%BE/%E6%9C%BA%E5%99%A8%E5%AD%A6%E4%B9%A0/"),
    ("/a%20b/%e4", "http://a.test/a%20b/%E4"),
    ("a:b", None),
    ("./a:b", "http://a.test/dir/a:b"),
    ("#part", None),
    ("", None),
    (" ", None),
    ("javascript:void(0)", None),
    ("JavaScript:void(0)", None),
    ("mailto:a@a.test", None),
    ("tel:123", None),
    ("data:text/html,x", None),
    ("ftp://a.test/x", None),
    ("http://[broken", None),
    ("http://", None),
    ("http:///x", None),
    ("/x.PDF", None),
    ("/x.pdf?page=2", None),
    ("/x.tar.gz", None),
    ("/x?file=a.pdf", "http://a.test/x?file=a.pdf"),
    ("/x.pdf/", "http://a.test/x.pdf/"),
    (";", "http://a.test/dir/;"),
    ("/v1.2", "http://a.test/v1.2"),
    ("/" + "x" * LONGEST_URL, None),
    ("/玉" * 400, None),
]


@pytest.mark.parametrize(("reference", "url"), REFERENCES)
def test_resolve(reference: str, url: str | None) -> None:
    assert resolve(BASE, reference) == url


@pytest.mark.parametrize("url", ["/a/b.html", "c.html?x=1", "http://b.test/%E4%BD%A0/;"])
def test_regular_links_take_the_fast_path(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical_urls, "_thoroughly", lambda *_: None)
    assert resolve(BASE, url) is not None


def test_without_a_base_only_absolute_urls_are_resolved() -> None:
    assert resolve("", "http://b.test/x") == "http://b.test/x"
    assert [resolve("", reference) for reference in ("/x", "x", "//b.test/x", "?x")] == [None] * 4


@given(PATHS, st.sampled_from([BASE, "https://a.test:8080/", "http://a.test/d/?q=../x"]))
def test_the_fast_path_equals_the_slow_path(reference: str, base: str) -> None:
    reference = stripped(reference).partition("#")[0]
    # urljoin, as before RFC 3986, gives a semicolon in a path a special meaning.
    assume(reference and ";" not in reference)
    assert resolve(base, reference) == _page(base, reference)


@given(URLS)
def test_an_absolute_url_is_the_same_on_any_page(url: str) -> None:
    url = stripped(url).partition("#")[0]
    assert resolve(BASE, url) == resolve("", url) == _page("", url)


def _page(base: str, reference: str) -> str | None:
    try:
        canonical = canonical_url(urljoin(base, reference))
    except ValueError:
        return None
    return None if is_file(canonical) else canonical
