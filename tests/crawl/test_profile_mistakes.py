"""Mistakes in profiles: the message and the exit code of the crawl of each."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

import focuscrawl.sites
from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler

pytestmark = pytest.mark.usefixtures("no_workbook")

SHIPPED = pathlib.Path(focuscrawl.sites.__file__).parent / "demo.yaml"
NEXT = """next: //div[@class="pager"]/a[normalize-space()="下一页"]/@href"""
BODY = "body: {css: div.content}"

# What is wrong, the rule, what stands instead, the message, the exit code.
MISTAKES = [
    ("link without a dot", "link: ./a/@href", "link: //a/@href", "entries have the link", 2),
    ("next matches nothing", "下一页", "向后", "list.next selects nothing, but the page links to", 3),
    ("next leads back", NEXT, """next: //div[@class="pager"]/a[1]/@href""", "list.next leads back on", 3),
    ("next is missing", f"  {NEXT}\n", "", "list.next is missing, but the page links to", 0),
    ("entry is too narrow", "ul.newslist > li}", "ul.newslist > li:first-child}", "not done  list.entry selects 1 of", 3),
    ("entry matches nothing", "ul.newslist", "ul.olds", "list.entry (ul.olds > li) selects nothing on", 2),
    ("link is no URL", "link: ./a/@href", "link: ./a/@title", "entries gave no article", 3),
    ("title matches nothing", "title: ./a\n", "title: ./b\n", "list.title (./b) selects nothing on", 2),
    ("title is the same in all entries", "title: ./a\n", "title: ./a/@target\n", "entries have the title '_blank'", 0),
    ("date is no date", "date: {css: span.date}", "date: ./a/@href", "which is not a date", 0),
    ("date matches nothing", "span.date", "span.day", "list.date selects nothing in", 0),
    ("stamp matches nothing", "更新时间：", "改动：", "list.stamp selects nothing in", 0),
    ("body matches nothing", BODY, "body: {css: div.text}", "article.body (div.text) selects nothing on", 2),
    ("body is the title", BODY, "body: //h1", "article.body selects less text than the title has", 3),
    ("remove takes everything", BODY, f"{BODY}\n  remove: ['.//*', './text()']", "article.body selects less text than", 3),
    ("article title matches nothing", "]/h1", "]/h5", "article.title selects nothing", 0),
    ("article date is no date", "date: {css: div.info}", "date: //h1/@id", "article.date selects no date", 0),
    ("remove matches nothing", BODY, f"{BODY}\n  remove: [{{css: div.advert}}]", "article.remove (div.advert) selects nothing on", 0),
    ("article next matches nothing", 'div[@class="pages"]', 'div[@class="page"]', "selects nothing on", 0),
    ("remove without a body", BODY, "remove: [{css: div.advert}]", "article.remove has no effect without article.body", 0),
    ("not an XPath", "link: ./a/@href", "link: ./a[/@href", "list.link: './a[/@href' is not an XPath", 2),
    ("not a CSS selector", BODY, "body: {css: 'div..text'}", "article.body: 'div..text' is not a CSS selector", 2),
    ("unknown rule", "stamp:", "stemp:", "list.stemp: Extra inputs are not permitted", 2),
    ("missing rule", "  title: ./a\n", "", "list.title: Field required", 2),
    ("wrong start URL", "/list/\n", "/lists/\n", "list page failed (HTTP 404)", 2),
]  # fmt: skip


@pytest.mark.parametrize(
    ("right", "wrong", "message", "code"),
    [mistake[1:] for mistake in MISTAKES],
    ids=[mistake[0] for mistake in MISTAKES],
)
def test_a_mistake_is_told(
    crawl: Crawler,
    demo: Callable[..., DemoWeb],
    right: str,
    wrong: str,
    message: str,
    code: int,
) -> None:
    # A third page is the first that may lead back to the one before.
    demo(days=20 if "leads back" in message else 10)
    text = SHIPPED.read_text("utf-8")
    assert right in text
    (crawl.folder / "mine.yaml").write_text(text.replace(right, wrong, 1), "utf-8")
    done = crawl("-a", "site=mine.yaml")
    lines = [line for line in (done.out + done.err).splitlines() if message in line]
    assert lines, done.out + done.err
    assert done.code == code, done.out + done.err
    assert "Traceback" not in done.err
    if message.startswith("not done"):
        assert "see `scrapy trysite mine.yaml`" in lines[0]
