"""The simplest selector that fits all examples is found."""

from __future__ import annotations

import pytest
from lxml.etree import _Element

from focuscrawl.sites.induction.selector_search import Example, find_rule, valid_rules
from focuscrawl.sites.site_profile import Rule
from tests.sites.induction.pages import tree


def found(html: str, path: str) -> Rule | None:
    page = tree(html)
    targets = page.xpath(path)
    return find_rule([Example(page, targets)], lambda rule, root: rule.select(root) == targets)


@pytest.mark.parametrize(
    ("html", "path", "css"),
    [
        ('<div><p class="text">a</p><p>b</p></div>', "//p[1]", "p.text"),
        ('<div id="main"><p>a</p></div><p>b</p>', "//div/p", "#main p"),
        ('<div id="main-1234"><p>a</p></div><p>b</p>', "//div/p", "div p"),
        ('<ul class="x"><li>a</li><li>b</li></ul><ul><li>c</li></ul>', "//ul[1]/li", "ul.x li"),
        ('<p class="css-1x2y3z lead">a</p><p class="css-9">b</p>', "//p[1]", "p.lead"),
    ],
)
def test_classes_and_ids_come_before_structure(html: str, path: str, css: str) -> None:
    rule = found(html, path)
    assert rule is not None
    assert rule.css == css


def test_where_nothing_tells_elements_apart_their_position_does() -> None:
    rule = found("<div><p>a</p><p>b</p><p>c</p></div>", "//p[2]")
    assert rule is not None
    assert rule.xpath == "./body[1]/div[1]/p[2]"


def test_two_kinds_of_examples_are_joined() -> None:
    roots = tree('<li><h2>a</h2><p>x</p></li><li><b class="t">b</b><p>y</p></li>').xpath("//li")
    wanted = dict(zip(roots, "ab", strict=True))

    def fits(rule: Rule, root: _Element) -> bool:
        return rule.first(root) == wanted[root]

    rule = find_rule([Example(root, [root[0]]) for root in roots], fits)
    assert rule is not None
    assert {rule.first(root) for root in roots} == {"a", "b"}


def test_attributes_and_own_texts_are_selected() -> None:
    page = tree('<a class="x" href="u"> t<b>d</b></a>')
    (link,) = page.xpath("//a")
    example = [Example(page, [link])]
    href = find_rule(example, lambda rule, root: rule.first(root) == "u", "::attr(href)")
    text = find_rule(example, lambda rule, root: rule.first(root) == "t", "::text")
    assert (href and href.css, text and text.css) == ("a.x::attr(href)", "a.x::text")


def test_names_that_no_selector_may_have_are_left_out() -> None:
    given = [{"xpath": './b"x[1]'}, {"css": "a..b"}, {"css": "a.b"}]
    assert [rule.css for rule in valid_rules(given)] == ["a.b"]


@pytest.mark.parametrize(("odd", "is_found"), [(1, True), (8, False)])
def test_a_rule_must_fit_most_examples(odd: int, is_found: bool) -> None:
    entries = "".join(f"<li><b>{n}</b></li>" for n in range(10))
    roots = tree(f"<ul>{entries}</ul>").xpath("//li")
    wanted = {root: "another" if n < odd else str(n) for n, root in enumerate(roots)}
    examples = [Example(root, [root[0]]) for root in roots]
    rule = find_rule(examples, lambda rule, root: rule.first(root) == wanted[root])
    assert (rule is not None and rule.css == "b") == is_found
