"""Rules for what articles of one template share inside of their bodies: share links, 责任编辑, 上一篇."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from lxml.etree import _Element

from focuscrawl.sites.induction.article_body import without_spaces
from focuscrawl.sites.induction.link_groups import stable_classes, text_of
from focuscrawl.sites.induction.selector_search import Example, find_rule, valid_rules
from focuscrawl.sites.site_profile import Rule

_LABEL = re.compile(
    r"\W*(责任编辑|责编|编辑[::]|上一[篇页]|下一[篇页]|上一则|下一则|分享到|分享至|[【\[]?打印|关闭窗口|版权声明|版权所有"
    r"|免责声明|特别声明|转载请|扫一扫|相关(?:阅读|文章|新闻|链接)|previous\b|share\b|copyright\b)",
    re.IGNORECASE,
)
_LONGEST = 300
_MOST_RULES = 4


def boilerplate_rules(bodies: Sequence[_Element]) -> list[Rule]:
    """Return rules, relative to the body, for elements that begin with the same label in most bodies.

    A rule selects nothing else in any of the bodies.
    """
    unwanted = {body: list(_labelled(body)) for body in bodies}
    by_label: dict[str, list[_Element]] = defaultdict(list)
    bodies_of: dict[str, set[_Element]] = defaultdict(set)
    for body, found in unwanted.items():
        for node in found:
            by_label[_label(node)].append(node)
            bodies_of[_label(node)].add(body)
    inside = {inner for found in unwanted.values() for node in found for inner in node.iter()}
    # In one body only, the word may be its subject.
    shared = [
        nodes
        for label, nodes in by_label.items()
        if len(bodies_of[label]) > 1 and 2 * len(bodies_of[label]) > len(bodies)
    ]
    rules: list[Rule] = []
    for nodes in sorted(shared, key=len, reverse=True):
        if len(rules) < _MOST_RULES and (rule := _rule(nodes, bodies, inside)) not in (
            None,
            *rules,
        ):
            rules.append(rule)  # type: ignore[arg-type]
    return rules


def _labelled(body: _Element) -> Iterator[_Element]:
    taken: set[_Element] = set()
    for node in body.iterdescendants("*"):
        if node.getparent() in taken:
            taken.add(node)
        elif _label(node) and len(without_spaces(text_of(node))) <= _LONGEST:
            taken.add(node)
            yield node


def _label(node: _Element) -> str:
    found = _LABEL.match(text_of(node))
    return found[1] if found else ""


def _rule(
    nodes: Sequence[_Element], bodies: Sequence[_Element], inside: set[_Element]
) -> Rule | None:
    of_body = {body: [node for node in nodes if body in node.iterancestors()] for body in bodies}
    examples = [Example(body, found) for body, found in of_body.items() if found]

    def fits(rule: Rule, body: _Element) -> bool:
        # A plain tag would select what other articles have in their text.
        return "." in rule.css and set(of_body[body]) <= set(rule.select(body)) <= inside

    named = any(stable_classes(node) for node in nodes)
    rule = find_rule(examples, fits) if named else None
    if rule and all(set(rule.select(body)) <= inside for body in bodies):
        return rule
    start = text_of(nodes[0])[: _end(nodes[0])]
    path = f'.//{nodes[0].tag}[starts-with(normalize-space(), "{start}")]'
    by_label = next(valid_rules([{"xpath": path}]), None)
    # XPath keeps no-break spaces before the label, which its text here is without.
    return by_label if by_label and any(map(by_label.select, bodies)) else None


def _end(node: _Element) -> int:
    found = _LABEL.match(text_of(node))
    return found.end(1) if found else 0
