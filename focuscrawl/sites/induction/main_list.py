"""Choice of the main list of a page among its groups of links."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from math import log
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import LinkGroup, dated_text, stable_classes, text_of
from focuscrawl.sites.induction.selector_search import valid_rules
from focuscrawl.sites.induction.stable_names import class_condition
from focuscrawl.sites.site_profile import Rule
from focuscrawl.text.chinese_dates import find_date, find_full_date

_ASIDE = re.compile(
    r"nav|menu|head|foot|side|aside|widget|recent|hot|recommend|related|slid|swiper|carousel|banner"
    r"|tag-?cloud|categor|crumb|pag(?:in|er)|toc|friend|copyright|toolbar|top|tab|share|social"
    r"|comment|author|left|right|search|lang|dropdown",
    re.IGNORECASE,
)
_FAR_ASIDE = re.compile(
    r"sidebar|footer|\bnav|menu|aside|widget|slider|swiper|carousel|breadcrumb|pagina",
    re.IGNORECASE,
)
_MAIN = re.compile(r"main|content|list|post|article|news|archive|entry|blog", re.IGNORECASE)
_MORE = re.compile(
    r"\W*(?:阅读|閱讀|查看|了解|继续|繼續|全文|更多|详情|詳情|详细|read|more|view|continue|点击|点此|\d+\s*$"
    r"|评论|評論|comments?)",
    re.IGNORECASE,
)
_LIST_URL = re.compile(r"/page/\d+|/tags?/|/categor|/archives?/?$|[?&]page=")
_LONG_TITLE = 25
_LEAST_TITLE = 2
_LONGEST_DATE = 20


class Evidence(NamedTuple):
    """Features of a group, each from 0 to 1 except ``size``."""

    size: float
    """Natural logarithm of the number of entries."""
    dated: float
    """Share of the entries that print a date."""
    title: float
    """Median length of the link texts, up to 25 characters."""
    untitled: float
    """1 if most links have no text."""
    more: float
    """Share of link texts such as 阅读全文."""
    aside: float
    """1 if the first entry is in an element with the name of a side part of a page."""
    far_aside: float
    """1 if it is in navigation, sidebar, slider or footer."""
    main: float
    """1 if it is in an element with the name of a main part."""
    text: float
    """Share of the entries in the text of the page, by the median entry."""
    numbered: float
    """Share of URLs with a digit in their last part."""
    same_host: float
    """Share of URLs on the host of the page."""
    below: float
    """Share of URLs in the folder of the page, if it has one."""
    repeated: float
    """Share of link texts that occur before."""
    lists: float
    """Share of URLs of tags, categories and pages of lists."""


# Set by hand on the 28 hosts of shared/lists.
_WEIGHTS = Evidence(
    size=1.0,
    dated=3.0,
    title=2.0,
    untitled=-2.0,
    more=-2.5,
    aside=-0.7,
    far_aside=-2.0,
    main=0.5,
    text=4.0,
    numbered=0.5,
    same_host=1.5,
    below=1.0,
    repeated=-0.5,
    lists=-3.0,
)


# Dates that stand beside the entries of a list, or in headings above them.

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
    paths = dict.fromkeys(f"preceding::{step}[1]" for node in headings for step in steps(node))
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
        yield from (f"{step}[1]" for step in steps(sibling))
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


def steps(node: _Element) -> Iterator[str]:
    """Yield the tag of an element with each class that stays, then the tag alone."""
    for condition in filter(None, map(class_condition, sorted(stable_classes(node)))):
        yield f"{node.tag}[{condition}]"
    yield str(node.tag)


def is_more_link(text: str) -> bool:
    """Return whether a link text only invites to read on (阅读全文, 5 条评论)."""
    return bool(_MORE.match(text))


class RankedGroup(NamedTuple):
    """A group with its score, and the features that the score is made of."""

    score: float
    group: LinkGroup
    evidence: Evidence


def ranked_groups(
    groups: list[LinkGroup], page: _Element, url: str, today: date
) -> list[RankedGroup]:
    """Return the groups, best first; equal scores in the order of the page."""
    length = max(len(text_of(page)), 1)
    evidence = [_evidence_of(group, url, length, today) for group in groups]
    ranked = [
        RankedGroup(_score(one), group, one) for group, one in zip(groups, evidence, strict=True)
    ]
    return sorted(ranked, key=lambda one: -one.score)


def _evidence_of(group: LinkGroup, url: str, page_length: int, today: date) -> Evidence:
    """Return the features of a group on the page of ``url`` with so many characters."""
    entries, urls = list(group.entries), group.urls
    texts = [text_of(entry) for entry in entries]
    titles = [max((text_of(a.element) for a in links), key=len) for links in group.entries.values()]
    length = median(map(len, titles))
    around = _names(entries[0])
    here, parts = urlsplit(url), [urlsplit(each) for each in urls]
    folder = here.path.rpartition("/")[0] + "/"
    return Evidence(
        size=log(len(urls)),
        dated=_dated_share(entries, today),
        title=min(length, _LONG_TITLE) / _LONG_TITLE,
        untitled=float(length < _LEAST_TITLE),
        more=_share(is_more_link(title) for title in titles),
        aside=float(any(_ASIDE.search(names) for names in around)),
        far_aside=float(any(_FAR_ASIDE.search(names) for names in around)),
        main=float(any(_MAIN.search(names) for names in around)),
        text=min(1.0, median(map(len, texts)) * len(texts) / page_length),
        numbered=_share(
            any(map(str.isdigit, part.path.rstrip("/").rpartition("/")[2])) for part in parts
        ),
        same_host=_share(part.netloc == here.netloc for part in parts),
        below=_share(part.path.startswith(folder) for part in parts) if folder != "/" else 0.0,
        repeated=1 - len(set(titles)) / len(titles),
        lists=_share(bool(_LIST_URL.search(each)) for each in urls),
    )


def _dated_share(entries: Sequence[_Element], today: date) -> float:
    share = _share(_is_dated(entry, today) for entry in entries)
    return share or float(sibling_date_rule(entries, today) is not None)


def _is_dated(entry: _Element, today: date) -> bool:
    if find_date(text_of(entry), today):
        return True
    # A date in parts is one only where nothing else stands beside it.
    small = (node for node in entry.iter("*") if len(node) and len(text_of(node)) <= _LONGEST_DATE)
    return any(find_date(dated_text(node, today), today) for node in small)


def _score(evidence: Evidence) -> float:
    return sum(value * weight for value, weight in zip(evidence, _WEIGHTS, strict=True))


def _names(entry: _Element) -> list[str]:
    """Return tag, classes and id of the entry and of each element around it below the body."""
    nodes = [entry, *entry.iterancestors()]
    return [
        f"{node.tag} {node.get('class') or ''} {node.get('id') or ''}"
        for node in nodes
        if node.tag not in ("body", "html")
    ]


def _share(facts: Iterable[bool]) -> float:
    values = list(facts)
    return sum(values) / len(values)
