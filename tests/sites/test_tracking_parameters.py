"""Links without the parameters that do not name an article."""

from __future__ import annotations

import pytest

from focuscrawl.sites.page_reading import differing_parameters, without_tracking


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://h/a?id=7&utm_source=x&utm_medium=y", "http://h/a?id=7"),
        ("http://h/a/1.html?spm=5176.1a.0", "http://h/a/1.html"),
        ("http://h/a?scm=1&id=7&fbclid=2&gclid=3", "http://h/a?id=7"),
        ("http://h/a?id=7&_t=1732351000", "http://h/a?id=7"),
        ("http://h/a/1.html?timestamp=1732351000&from=list", "http://h/a/1.html"),
        ("http://h/a;jsessionid=0A1B?id=7", "http://h/a?id=7"),
        ("http://h/a.asp?ASPSESSIONIDABC=0A1B&PHPSESSID=x&id=%E4%b8", "http://h/a.asp?id=%E4%b8"),
        ("http://h/a?utm_source=x", "http://h/a"),
    ],
)
def test_tracking_parameters_are_left_out(url: str, plain: str) -> None:
    assert without_tracking(url) == plain
    assert without_tracking(plain) == plain


@pytest.mark.parametrize(
    "url",
    [
        "http://h/a",
        "http://h/detail?from=12",
        "http://h/detail?_t=12",
        "http://h/a?id=7&&x&y=&id=7",
        "http://h/a?sid=7&uid=3&cid=4&ref=5&source=6&t=9&aid=1",
        "http://h/a;b=1?x=%zz",
        "http://h/a?",
        "http://h/utm_source/1.html?page=spm",
    ],
)
def test_other_urls_stay_as_they_are(url: str) -> None:
    assert without_tracking(url) == url


def test_parameters_of_the_profile_are_left_out() -> None:
    assert without_tracking("http://h/a?id=7&t=1&rnd=2&T=3", ["t", "rnd"]) == "http://h/a?id=7&T=3"
    assert without_tracking("http://h/detail?from=12", ["from"]) == "http://h/detail"


def test_parameters_that_differ_are_named() -> None:
    assert differing_parameters("http://h/a?id=1&t=2", "http://h/a?id=1&t=3&x=1") == {"t", "x"}
    assert differing_parameters("http://h/a?id=1", "http://h/b?id=2") == set()
