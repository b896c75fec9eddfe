from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.network.address_rules import reference


@pytest.mark.parametrize(
    "value",
    [
        "/a/\t1.html",
        "\n/a/1.html\n",
        "/a/1.\r\nhtml",
        "\x00\x1f /a/1.html ",
        "\u3000/a/\n1.html\xa0",
    ],
)
def test_what_browsers_drop(value: str) -> None:
    assert reference(value) == "/a/1.html"


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (r"\a\1.html", "/a/1.html"),
        (r"\\a.test\1.html", "//a.test/1.html"),
        (r"http:\\a.test\1.html", "http://a.test/1.html"),
        (r"..\a/b\?q=\1#\2", r"../a/b/?q=\1#\2"),
        (r"javascript:open('\x41')", r"javascript:open('\x41')"),
        (r"?a=b\c", r"?a=b\c"),
    ],
)
def test_backslashes_are_slashes_in_the_path(value: str, read: str) -> None:
    assert reference(value) == read


def test_a_blank_inside_stays() -> None:
    assert reference(" /a/1 2.html") == "/a/1 2.html"


@given(st.text())
def test_it_is_stable(value: str) -> None:
    once = reference(value)
    assert not set(once) & set("\t\r\n")
    assert reference(once) == once
    assert once.replace("\\", "/") in value.translate(str.maketrans("\\", "/", "\t\r\n"))
