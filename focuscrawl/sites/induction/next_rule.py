"""Rule for the link to the next page of a list or of an article."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import text_of
from focuscrawl.sites.induction.next_link import icon_condition
from focuscrawl.sites.induction.selector_search import Example, find_rule, valid_rules
from focuscrawl.sites.site_profile import Rule


def next_rule(link: _Element, page: _Element) -> Rule | None:
    """Return a rule that selects the target of a link: by its text, its icon, or its place."""
    href = " ".join((link.get("href") or "").split())

    def fits(rule: Rule, root: _Element) -> bool:
        return rule.first(root) == href

    paths = ({"xpath": path} for path in _paths(link))
    rules = (rule for rule in valid_rules(paths) if fits(rule, page))
    return next(rules, None) or find_rule([Example(page, [link])], fits, "::attr(href)")


def _paths(link: _Element) -> Iterator[str]:
    text = text_of(link)
    if text.isdigit():
        yield from _after_current(link)
    elif text and '"' not in text:
        yield f'//a[normalize-space()="{text}"]/@href'
    elif condition := icon_condition(link):
        yield f"//a[{condition}]/@href"


def _after_current(link: _Element) -> Iterator[str]:
    """Yield paths to the number behind that of the page, which its pager marks."""
    item, inner = link, ""
    while item.getprevious() is None and (parent := item.getparent()) is not None:
        item, inner = parent, f"/{item.tag}{inner}"
    current, pager = item.getprevious(), item.getparent()
    if current is None or pager is None or not text_of(current).isdigit():
        return
    for condition in _marks(current, item):
        path = f"{current.tag}{condition}/following-sibling::{item.tag}[1]{inner}/@href"
        yield f"//{_step(pager)}/{path}"


def _marks(current: _Element, other: _Element) -> Iterator[str]:
    """Yield conditions that tell the number of the page from the next one."""
    others = set((other.get("class") or "").split())
    for name in (current.get("class") or "").split():
        if name not in others:
            yield f"[{_has_class(name)}]"
    if current.tag != other.tag:
        yield ""
    elif current.tag == "a" and current.get("href") is None:
        yield "[not(@href)]"
    elif current.find(".//a") is None and other.find(".//a") is not None:
        yield "[not(.//a)]"


def _step(pager: _Element) -> str:
    names = (pager.get("class") or "").split()
    if pager.get("id"):
        return f'{pager.tag}[@id="{pager.get("id")}"]'
    return f"{pager.tag}[{_has_class(names[0])}]" if names else str(pager.tag)


def _has_class(name: str) -> str:
    return f'contains(concat(" ", normalize-space(@class), " "), " {name} ")'
