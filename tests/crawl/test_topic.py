"""Crawls of lists and numbered articles that are restricted to a topic."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from focuscrawl.demo import DemoWeb
from focuscrawl.demo.numbered_site import HOST, NumberedSite
from tests.crawl.conftest import TODAY, Crawler

pytestmark = pytest.mark.usefixtures("no_workbook")

Demo = Callable[..., DemoWeb]
WHEAT = ("-a", "site=demo", "-a", "topic=小麦")
LAST = ("-a", "profile=demo", "-a", "stop=40", "-a", "concurrency=16")


def articles_asked(web: DemoWeb) -> set[str]:
    found = {one.url for one in web.log if re.search(r"/(\d{8}|article/)", one.url)}
    web.log.clear()
    return found


def test_articles_off_the_topic_are_neither_kept_nor_asked_for_again(
    crawl: Crawler, demo: Demo
) -> None:
    web = demo(days=4)
    first = crawl(*WHEAT)
    assert first.code == 0, first.err
    stored = crawl.rows("select title, relevance from articles")
    assert stored
    assert all("小麦" in title and relevance > 0.5 for title, relevance in stored)
    judged = re.search(r"judged    (\d+) articles, (\d+) relevant", first.out)
    assert judged
    assert int(judged[2]) == len(stored)
    off = int(judged[1]) - len(stored)
    assert off > 5
    assert f"{off} off topic" in first.out
    asked = articles_asked(web)
    again = crawl(*WHEAT)
    assert again.code == 0, again.err
    assert f"0 new, 0 changed, {len(stored)} unchanged, 0 gone" in again.out
    assert not articles_asked(web) & asked
    # Without a topic the others are new; the verdicts of the first run stay.
    crawl("-a", "site=demo")
    found = dict(crawl.rows("select title, relevance from articles"))
    assert len(found) == int(judged[1])
    assert {title: found[title] for title, _ in stored} == dict(stored)
    assert sum(relevance is None for relevance in found.values()) == off


def test_all_articles_are_marked_and_low_links_left_out(crawl: Crawler, demo: Demo) -> None:
    web = demo(days=4)
    every = crawl(*WHEAT, "-a", "keep=all")
    marked = dict(crawl.rows("select title, relevance from articles"))
    assert "off topic" not in every.out
    assert {value > 0.4 for value in marked.values()} == {True, False}
    assert all(("小麦" in title) == (value > 0.4) for title, value in marked.items())
    crawl.database.unlink()
    web.log.clear()
    few = crawl(*WHEAT, "-a", "keep=all", "-a", "least_score=0.5")
    titles = {title for (title,) in crawl.rows("select title from articles")}
    assert titles == {title for title in marked if "小麦" in title}
    assert f"{len(marked) - len(titles)} below least_score" in few.out
    absent = crawl("-a", "site=demo", "-a", "topic=大熊猫")
    assert "articles is relevant: do they use the words of the topic?" in absent.out
    none = crawl(*WHEAT, "-a", "least_score=1")
    assert none.code == 0
    assert "no link scores 1, the best has 0." in none.out


def test_numbers_of_articles_off_the_topic_are_settled(crawl: Crawler, demo: Demo) -> None:
    site = NumberedSite(7, 40, today=TODAY, big_mb=0, faults=False)
    web = demo(more_sites={HOST: site})
    crawl.spider = "article"
    done = crawl(*LAST, "-a", "topic=心电图,关节炎,动态规划")
    assert done.code == 0, done.err
    kept = crawl.rows("select number, relevance from numbered_articles")
    assert kept
    assert re.search(r"dropped   \d+ off topic", done.out)
    articles_asked(web)
    again = crawl(*LAST, "-a", "topic=心电图,关节炎,动态规划")
    assert "judged    0 articles" in again.out
    third = crawl(*LAST, "-a", "topic=心电图,关节炎,动态规划")
    assert "judged    0 articles" in third.out
    crawl(*LAST, "-a", "topic=心电图,关节炎,动态规划", "-a", "keep=all")
    every = dict(crawl.rows("select number, relevance from numbered_articles"))
    assert len(every) > len(kept)
    assert dict(kept).items() <= every.items()
    assert None not in every.values()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-a", "topic=的,了"), "topic '的,了' has only words that are on every page"),
        (("-a", "topic=finanse"), "there is no topic 'finanse'; known: agriculture, finance"),
        (("-a", "keep=all"), "keep needs a topic; give -a topic=NAME"),
        (("-a", "least_score=0.5"), "least_score needs a topic"),
    ],
)
def test_a_mistaken_topic_is_refused(crawl: Crawler, arguments: tuple[str, ...], said: str) -> None:
    done = crawl("-a", "site=demo", *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
