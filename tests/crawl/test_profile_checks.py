"""A profile that gets a part of the articles only is reported by the crawl."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import focuscrawl.sites
from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler

SHIPPED = Path(focuscrawl.sites.__file__).parent / "demo.yaml"


@pytest.mark.parametrize(
    ("right", "wrong", "sentence", "code"),
    [
        ("link: ./a/@href", "link: //a/@href", "have the link", 2),
        ("下一页", "向后", "list.next selects nothing, but the page links to", 3),
        ("ul.newslist > li}", "ul.newslist > li:first-child}", "list.entry selects 1 of", 3),
    ],
)
def test_articles_that_a_rule_misses_make_the_run_incomplete(
    crawl: Crawler,
    demo: Callable[..., DemoWeb],
    right: str,
    wrong: str,
    sentence: str,
    code: int,
) -> None:
    demo(days=10)
    profile = crawl.folder / "mine.yaml"
    profile.write_text(SHIPPED.read_text("utf-8").replace(right, wrong), "utf-8")
    done = crawl("-a", f"site={profile}")
    (line,) = (line for line in done.out.splitlines() if sentence in line)
    assert line.split()[:2] == ["not", "done"]
    assert f"see `scrapy trysite {profile}`" in line
    # The home page, where all entries of the first profile lead, has no body either.
    assert done.code == code


def test_a_rule_that_selects_nothing_is_noted(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=10)
    profile = crawl.folder / "mine.yaml"
    text = SHIPPED.read_text("utf-8").replace("span.date", "span.day")
    profile.write_text(text, "utf-8")
    done = crawl("-a", f"site={profile}")
    assert "list.date selects nothing in" in done.out
    assert done.code == 0, done.out
