"""Rules for dates that stand beside the entries of a list: in a sibling, or in a heading above several."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import dated_text, text_of
from focuscrawl.sites.induction.selector_search import valid_rules
from focuscrawl.sites.induction.stable_names import class_condition
from focuscrawl.sites.site_profile import Rule
from focuscrawl.text.chinese_dates import find_date, find_full_date

_LONGEST, _LONGEST_HEADING = 60, 24
_NEAR, _SAMPLES, _TRIED = 3, 3, 5
_LEAST_SHARE = 0.8
_TEXT = "text()[normalize-space()][1]"


def sibling_date_rule(entries: Sequence[_Element], today: date) -> Rule | None:
    """Return the rule for dates in an element or text of its own before or behind each entry."""
    best, most = None, _LEAST_SHARE * len(entries)
    for rule in valid_rules({"xpath": path} for path in _paths(entries)):
        if all(_dated_place(rule, entry, today) is None for entry in entries[:_TRIED]):
            continue
        places = (_dated_place(rule, entry, today) for entry in entries)
        count = len(set(places) - {None})
        if count > most or (count == most and best is None):
            best, most = rule, count
    return best


def heading_date_rule(entries: Sequence[_Element], page: _Element, today: date) -> Rule | None:
    """Return the rule for dates in headings, each above the entries of a day."""
    inside = {node for entry in entries for node in entry.iter()}
    headings = [node for node in page.iter("*") if node not in inside and _is_heading(node, today)]
    paths = dict.fromkeys(f"preceding::{step}[1]" for node in headings for step in _steps(node))
    for rule in valid_rules({"xpath": path} for path in paths):
        days = [find_full_date(rule.first(entry), today) for entry in entries]
        # A single date above the list may be that of today.
        if all(days) and len(set(days)) > 1:
            return rule
    return None


def _paths(entries: Sequence[_Element]) -> Iterator[str]:
    samples = [*entries[: _SAMPLES - 1], entries[-1]]
    known: frozenset[_Element] = frozenset(entries)
    found: dict[str, None] = {}
    for up in ("", "../"):
        for axis, is_before in (("following-sibling", False), ("preceding-sibling", True)):
            for entry in samples:
                node = entry.getparent() if up else entry
                if node is None or node.tag == "body":
                    continue
                for step in _beside(node, known, is_before=is_before):
                    found[f"{up}{axis}::{step}"] = None
    yield from found


def _beside(node: _Element, entries: frozenset[_Element], *, is_before: bool) -> Iterator[str]:
    """Yield steps to the siblings of an element up to the next entry, and to the text beside it."""
    siblings = node.itersiblings("*", preceding=is_before)
    between = itertools.takewhile(lambda one: entries.isdisjoint(one.iter()), siblings)
    for sibling in itertools.islice(between, _NEAR):
        yield from (f"{step}[1]" for step in _steps(sibling))
    previous = node.getprevious()
    before = previous.tail if previous is not None else None
    if ((before if is_before else node.tail) or "").strip():
        yield _TEXT


def _dated_place(rule: Rule, entry: _Element, today: date) -> Any:
    """Return what identifies the element or text with the date that a rule selects; None without one."""
    for found in rule.select(entry)[:1]:
        if isinstance(found, _Element):
            return found if _is_date(dated_text(found, today), today) else None
        return (found.getparent(), found.is_tail) if _is_date(str(found), today) else None
    return None


def _is_date(text: str, today: date) -> bool:
    return len(text) <= _LONGEST and find_date(text, today) is not None


def _is_heading(node: _Element, today: date) -> bool:
    if node.tag in ("a", "script", "style", "title", "head", "html", "body"):
        return False
    text = text_of(node)
    return len(text) <= _LONGEST_HEADING and find_full_date(text, today) is not None


def _steps(node: _Element) -> Iterator[str]:
    """Yield the tag of an element with each class that stays, then the tag alone."""
    for name in (node.get("class") or "").split():
        if condition := class_condition(name):
            yield f"{node.tag}[{condition}]"
    yield str(node.tag)
