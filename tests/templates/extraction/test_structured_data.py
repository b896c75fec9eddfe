"""Structured data of organisations, with what extruct 0.18 read of the same pages (except where marked)."""

from __future__ import annotations

import pytest

from focuscrawl.templates.extraction.structured_data import (
    item_names,
    item_values,
    organisation_items,
)
from focuscrawl.templates.template_model import ExtractionField, FieldType

FIELDS = {
    "phone": ExtractionField(title="电话", keywords=["电话"], type=FieldType.PHONE),
    "email": ExtractionField(title="邮箱", keywords=["邮箱"], type=FieldType.EMAIL),
    "address": ExtractionField(title="地址", keywords=["地址"], type=FieldType.ADDRESS),
}
FIRM = 'itemscope itemtype="http://schema.org/Organization"'
PLACE = 'itemscope itemtype="http://schema.org/PostalAddress"'


def script(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    ("html", "values", "names"),
    [
        (
            f'<html {FIRM}><b itemprop="legalName name">甲</b><div itemprop=address {PLACE}>'
            "<i itemprop=addressRegion>浙江</i><i itemprop=streetAddress>文三路</i></div>"
            "<p itemprop=telephone>1<p itemprop=telephone>2",
            [("phone", "1"), ("phone", "2"), ("address", "浙江文三路")], ["甲", "甲"],
        ),
        (
            f'<div {FIRM}><link itemprop=telephone href="tel:1"><time itemprop=email datetime=x>y</time>'
            "<data itemprop=telephone value=2>z</data><i itemprop=address content=内容>正文</i></div>",
            [("phone", "tel:1"), ("phone", "2"), ("email", "x"), ("address", "内容")], [],
        ),
        (
            f'<div {FIRM} itemref="a b"><i itemprop=name>n</i></div><p id=a itemprop=telephone>1</p>'
            "<div id=b><i itemprop=email>e@f.cn</i></div>",
            [("phone", "1"), ("email", "e@f.cn")], ["n"],
        ),
        (
            f"<div {FIRM}><i itemprop=telephone>1 <b>2</b><script>x</script><!--c--></i></div>",
            [("phone", "1 2")], [],
        ),
        (script('{"telephone":"1","name":["a","b"]}'), [("phone", "1")], ["a", "b"]),
        (
            script('// c\n{"telephone":"1 // no", /* x */ "name":"甲, }",}'),
            [("phone", "1 // no")], ["甲, }"],
        ),
        (script('{"@graph":[{"email":"a\tb"}]}'), [("email", "a\tb")], []),
        ("<p itemprop=telephone>1</p>", [], []),
        (script('{"telephone":"1"'), [], []),
        # extruct read nothing here.
        (script('{"telephone":"1"}') + script("{bad"), [("phone", "1")], []),
        ('<?xml version="1.0" encoding="gbk"?>' + script('{"telephone":"电"}'), [("phone", "电")], []),
    ],
)  # fmt: skip
def test_items_are_read(html: str, values: list[tuple[str, str]], names: list[str]) -> None:
    items = organisation_items(html)
    assert [found for item in items for found in item_values(item, FIELDS)] == values
    assert [name for item in items for name in item_names(item)] == names


def test_items_that_refer_to_each_other_end() -> None:
    html = (
        f"<div {FIRM} id=a itemprop=x itemref=b></div><div {FIRM} id=b itemprop=x itemref=a></div>"
    )
    assert organisation_items(html) == []


def test_nested_and_broken_data_takes_linear_time() -> None:
    for piece in ("/*", '"', "[", ",  ", "<!--", "//"):
        assert organisation_items(script(piece * 300_000)) == []
    assert organisation_items(f"<div {FIRM} itemprop=x>" * 50_000) == []
