"""Choice of the main list of a page among its groups of links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from math import log
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit

from lxml.etree import _Element

from focuscrawl.sites.induction.dates_beside import sibling_date_rule
from focuscrawl.sites.induction.link_groups import LinkGroup, dated_text, text_of
from focuscrawl.text.chinese_dates import find_date

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
