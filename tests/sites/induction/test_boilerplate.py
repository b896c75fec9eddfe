"""Boilerplate inside of bodies gets rules that remove nothing else."""

from __future__ import annotations

import pytest
from lxml.etree import _Element

from focuscrawl.sites.induction.profile_draft import boilerplate_rules
from focuscrawl.sites.page_reading import text_without
from tests.sites.induction.pages import tree


def bodies(*inner: str) -> list[_Element]:
    return [tree(f"<div id='text'>{one}</div>").find(".//div") for one in inner]


@pytest.mark.parametrize(
    "form",
    [
        "<p>正文{n}。</p><p class='editor'>责任编辑:张{n}</p>",
        "<p>正文{n}。</p><p>责任编辑:张{n}</p>",
        "<p>正文{n}。</p><div class='share'>分享到:<a href='#'>微信</a></div>",
        "<p>正文{n}。</p><div class='nav'><a href='{n}.html'>上一篇:标题</a></div>",
        "<p>正文{n}。</p><p>版权声明:本文为原创文章。</p><p class='x'>【打印】</p>",
    ],
)
def test_what_the_articles_share_is_removed(form: str) -> None:
    pages = bodies(*(form.replace("{n}", str(n)) for n in range(3)))
    rules = boilerplate_rules(pages)
    assert [text_without([body], rules) for body in pages] == ["正文0。", "正文1。", "正文2。"]


@pytest.mark.parametrize(
    "texts",
    [
        # The subject of one article.
        ["<p>打印机怎么用</p>", "<p>正文</p>", "<p>正文</p>"],
        ["<p>正文说到上一篇</p>", "<p>正文也说到上一篇</p>"],
        ["<p>责任编辑:张三</p>"],
    ],
)
def test_what_is_text_is_kept(texts: list[str]) -> None:
    assert boilerplate_rules(bodies(*texts)) == []


def test_a_rule_that_would_select_nothing_is_not_written() -> None:
    # XPath does not take a no-break space for white space.
    pages = bodies(*(f"<p>正文{n}。</p><p>&nbsp;责任编辑:张{n}</p>" for n in range(3)))
    for rule in boilerplate_rules(pages):
        assert all(map(rule.select, pages))
