from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.network.link_addresses import reference


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


def test_a_blank_inside_stays() -> None:
    assert reference(" /a/1 2.html") == "/a/1 2.html"


@given(st.text())
def test_it_is_stable(value: str) -> None:
    once = reference(value)
    assert not set(once) & set("\t\r\n")
    assert once in value.translate(str.maketrans("", "", "\t\r\n"))
