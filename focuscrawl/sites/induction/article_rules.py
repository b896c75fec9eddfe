"""Rules for the body, the title and the date of articles of one template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from lxml.etree import _Element

from focuscrawl.sites.induction.article_body import ArticleExample, without_spaces
from focuscrawl.sites.induction.link_groups import dated_text, text_of
from focuscrawl.sites.induction.selector_search import Example, find_rule
from focuscrawl.sites.page_reading import date_text
from focuscrawl.sites.site_profile import Rule
from focuscrawl.text.chinese_dates import find_date, find_full_date
from focuscrawl.text.cut_titles import completes, is_cut

_NO_TITLE = ("title", "a", "option", "head", "meta")
_SHORTEST_TITLE = 4
_HEADINGS = ("h1", "h2", "h3")
# Characters of the longest line of meta data with the date in it.
_LONGEST_LINE = 120
_MOST_HOLDERS = 30


def body_rule(examples: Sequence[ArticleExample], bodies: Sequence[_Element]) -> Rule | None:
    """Return the rule that selects the body of each page and nothing else."""
    body_of = {one.page: body for one, body in zip(examples, bodies, strict=True)}
    return find_rule(
        [Example(page, [body]) for page, body in body_of.items()],
        lambda rule, page: rule.select(page) == [body_of[page]],
    )


def heading_rule(examples: Sequence[ArticleExample]) -> Rule | None:
    """Return the rule for the title: that of the list, or the beginning of the title of the window."""
    titles = {one.page: without_spaces(one.title) for one in examples if one.title}
    found = []
    for one in examples:
        holder = next(_title_holders(one.page, titles.get(one.page, "")), None)
        if holder is not None:
            found.append(Example(one.page, [holder]))
            titles[one.page] = without_spaces(text_of(holder))
    return find_rule(found, lambda rule, page: without_spaces(rule.first(page)) == titles[page])


def article_date_rule(
    examples: Sequence[ArticleExample],
    bodies: Mapping[_Element, _Element],
    listed: Mapping[_Element, date],
    today: date,
) -> Rule | None:
    """Return the rule for the date of publication: of each page, the date of the list if it prints that.

    ``bodies`` and ``listed`` have the body and the date in the list by page; a date inside the body
    counts only where there is no other.
    """

    def is_listed(rule: Rule, page: _Element) -> bool:
        return find_date(date_text(rule, page, today), today) == listed.get(page)

    def is_date(rule: Rule, page: _Element) -> bool:
        return find_full_date(date_text(rule, page, today), today) is not None

    first, *rest = (one.page for one in examples)
    others = [Example(page, []) for page in rest]
    holders = list(_date_holders(first, bodies.get(first), today))[:_MOST_HOLDERS]
    for fits in (is_listed, is_date) if listed else (is_date,):
        for holder in holders:
            rule = find_rule([Example(first, [holder]), *others], fits)
            if rule and all(fits(rule, page) for page in (first, *rest)):
                return rule
    return None


def _title_holders(page: _Element, title: str) -> Iterator[_Element]:
    named = without_spaces(" ".join(map(text_of, page.iter("title"))))

    def is_title(node: _Element) -> bool:
        text = without_spaces(text_of(node))
        if is_cut(title):
            return len(text) <= _LONGEST_LINE and completes(text, title)
        if title:
            return text == title
        # Most sites put the title first in that of the window.
        return len(text) >= _SHORTEST_TITLE and named.startswith(text)

    # Headings first, and the innermost of elements with the same text.
    yield from (node for node in page.iter(*_HEADINGS) if is_title(node))
    others = (n for n in reversed(list(page.iter("*"))) if n.tag not in _NO_TITLE and is_title(n))
    # The first sentence of an article may begin like its title.
    yield from sorted(others, key=lambda n: len(text_of(n))) if is_cut(title) else others


def _date_holders(page: _Element, body: _Element | None, today: date) -> Iterator[_Element]:
    """Yield small elements with a full date: ``time`` first, those outside the body before others."""
    inside = set(body.iter()) if body is not None else set()
    dated = [
        node
        for node in page.iter("*")
        if node.tag not in ("html", "body", "head", "title", "meta")
        and len(text_of(node)) <= _LONGEST_LINE
        and find_full_date(dated_text(node, today), today)
    ]
    smallest = [node for node in dated if not any(child in dated for child in node)]
    yield from sorted(smallest, key=lambda node: (node in inside, node.tag != "time"))
