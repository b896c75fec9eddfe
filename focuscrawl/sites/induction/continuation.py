"""Rule for the link to the next page of an article that is split over several pages."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, urldefrag, urlsplit

from lxml.etree import _Element

from focuscrawl.sites.induction.article_body import ArticleExample
from focuscrawl.sites.induction.link_groups import text_of
from focuscrawl.sites.induction.paging.next_link import is_next_text
from focuscrawl.sites.induction.paging.next_rule import next_rule
from focuscrawl.sites.induction.paging.onward_link import OnwardLink, squeezed
from focuscrawl.sites.page_reading import absolute_url
from focuscrawl.sites.site_profile import Rule

_ENDING = re.compile(r"\.(?:s?html?|aspx?|php|jsp)$", re.IGNORECASE)
_NUMBER = re.compile(r"(?:[_/.-]|[_/-]?p(?:age)?[_/-]?)(\d{1,2})/?", re.IGNORECASE)
_PAGE_NAME = re.compile(r"p|page|pn|pageno|page_?num", re.IGNORECASE)


def continuation_rule(examples: Sequence[ArticleExample]) -> Rule | None:
    """Return the rule that selects the second page of the articles that have one; None if none has.

    A rule that selects a page of another article is not returned.
    """
    links = [(one, _second_page(one)) for one in examples]
    rules = (
        next_rule(OnwardLink(link, "href", squeezed(link.get("href"))), one.page)
        for one, link in links
        if link is not None
    )
    for rule in filter(None, rules):
        if all(_is_right(rule, one, link) for one, link in links):
            return rule
    return None


def continues(url: str, target: str) -> bool:
    """Return whether the address of a page is that of ``url`` with the number of a page."""
    one, other = urlsplit(urldefrag(url).url), urlsplit(urldefrag(target).url)
    if one.netloc != other.netloc or one[:4] == other[:4]:
        return False
    stem, longer = _ENDING.sub("", one.path), _ENDING.sub("", other.path)
    if one.path == other.path:
        before, after = dict(parse_qsl(one.query)), dict(parse_qsl(other.query))
        added = {name for name in after if after[name] != before.get(name)}
        return len(added) == 1 and all(_PAGE_NAME.fullmatch(name) for name in added)
    stem = stem.rstrip("/")
    return longer.startswith(stem) and _NUMBER.fullmatch(longer[len(stem) :]) is not None


def _second_page(example: ArticleExample) -> _Element | None:
    """Return the link to the second page: 下一页 if there is one, otherwise the number 2."""
    links = [a for a in example.page.iter("a") if continues(example.url, _target(example, a))]
    named = (a for a in links if is_next_text(text_of(a)))
    numbered = (a for a in links if text_of(a) == "2")
    return next(itertools.chain(named, numbered), None)


def _target(example: ArticleExample, link: _Element) -> str:
    return absolute_url(example.url, (link.get("href") or "").strip())


def _is_right(rule: Rule, example: ArticleExample, link: _Element | None) -> bool:
    selected = rule.first(example.page)
    if link is None:
        target = absolute_url(example.url, selected)
        return not selected or target in ("", absolute_url(example.url, ""))
    return selected == squeezed(link.get("href"))
