"""Profiles of numbered sites, and the arguments that change them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.crawler import Crawler

from focuscrawl.articles.article_profile import load_profile, make_profile
from focuscrawl.errors import ArgumentError, FocuscrawlError, ProfileError
from focuscrawl.spiders.article import ArticleSpider

URL = "http://host.test:8080/{n}.htm"


def test_the_shipped_profiles_can_be_used() -> None:
    for name in ("demo", "jb51"):
        assert load_profile(name).patterns
    with pytest.raises(ProfileError, match="known: demo, jb51"):
        load_profile("none")


def test_arguments_stand_before_the_profile() -> None:
    given = make_profile("jb51", url=f"{URL},http://b.test/{{n}}", start=None, stop=90_000, step=2)
    assert given.patterns == [URL, "http://b.test/{n}"]
    assert (given.name, given.start, given.stop, given.step) == ("jb51", 80_000, 90_000, 2)
    assert given.article.body
    rules = given.rules(read_ahead=5)
    assert (rules.start, rules.stop, rules.step, rules.read_ahead) == (80_000, 90_000, 2, 5)
    unknown = make_profile(None, url=URL)
    assert (unknown.name, unknown.start, unknown.article.body) == ("host.test-8080", 1, None)
    assert given.detects_missing
    assert not unknown.detects_missing


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "name: a\narticle: {body: 'find(//p)'}",
            "'find(//p)' cannot be used (Unregistered function)",
        ),
        ("name: a\nmissing: {select: '//b:p'}", "'//b:p' cannot be used (Undefined namespace"),
        ("name: a\npatterns: [http://a/1]", "patterns: 'http://a/1' is not a pattern"),
        ("name: a b", "name"),
        ("name: a\nmissing: {text: '('}", "missing.text: '(' is not a regular expression"),
        ("name: a\nmissing: {md5: [x]}", "missing.md5"),
        ("name: a\narticle: {body: '//['}", "is not an XPath"),
        ("name: a\narticle: {content: //p}", "article.content"),
        ("name: a\nstop_after: 0", "stop_after=0 never ends"),
        ("name: a\nstart: 9\nstop: 3", "stop=3 is below start=9"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_with_a_profile_is_said_in_a_sentence(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ProfileError) as caught:
        load_profile(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "give -a url=http://host/article/{n}.htm"),
        ({"url": URL, "start": "9" * 19}, f"argument start={'9' * 19}: write at most"),
        ({"url": URL, "step": "1000001"}, "argument step=1000001: write at most"),
        ({"url": "http://host.test/1"}, "write {n} in place of the number"),
        ({"url": URL, "stop_after": "0"}, "stop_after=0 never ends"),
        ({"url": URL, "start": "5", "stop": "4"}, "stop=4 is below start=5"),
        ({"url": URL, "start": "-1"}, "argument start='-1'"),
        ({"url": URL, "step": "0"}, "argument step='0'"),
        ({"url": URL, "concurrency": "0"}, "argument concurrency='0'"),
        ({"url": URL, "stopp": "4"}, "no argument 'stopp'"),
        ({"profile": "none"}, "no site profile 'none'"),
    ],
)
def test_arguments_are_checked(given: dict[str, str], said: str) -> None:
    with pytest.raises(FocuscrawlError) as caught:
        ArticleSpider.from_crawler(Crawler(ArticleSpider), **given)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_profile_without_patterns_needs_a_url(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("name: a\narticle: {title: //h1}", "utf-8")
    with pytest.raises(ArgumentError, match="has no URL pattern"):
        make_profile(str(path))
    assert make_profile(str(path), url=URL).article.title


def test_only_who_asks_for_it_is_impolite() -> None:
    crawler = Crawler(ArticleSpider, {"CONCURRENT_REQUESTS_PER_DOMAIN": 4})
    ArticleSpider.from_crawler(crawler, url=URL)
    assert crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") == 4
    crawler = Crawler(ArticleSpider)
    ArticleSpider.from_crawler(crawler, url=URL, concurrency="32")
    names = ("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN", "DOWNLOAD_DELAY")
    assert [crawler.settings.getint(name) for name in names] == [32, 32, 0]
    assert crawler.settings["AUTOTHROTTLE_ENABLED"] is False
