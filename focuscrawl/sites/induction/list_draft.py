"""Draft of the list rules of a site profile, from one list page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from lxml.etree import _Element

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.entry_rules import (
    EntryParts,
    date_rule,
    entry_parts,
    link_rule,
    title_rule,
    year_rule,
)
from focuscrawl.sites.induction.link_groups import link_groups, remove_unseen, text_of
from focuscrawl.sites.induction.main_list import ranked_groups
from focuscrawl.sites.induction.next_link import icon_condition, next_link
from focuscrawl.sites.induction.selector_search import Example, find_rule
from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.sites.site_profile import ListRules, Rule

# Two lists with scores closer than this may be told apart wrongly: the closest right choice on the 28
# hosts of ``shared/lists`` is 1.0 ahead.
_CLOSE = 1.0
_SHORT_LIST = 3
# Lists have at least 9 % of the text of their page there, and nine tenths of the articles less.
_SMALL_SHARE = 0.08


@dataclass(frozen=True, slots=True)
class ListDraft:
    """Rules that select the main list of a page, and sentences about what is uncertain."""

    rules: ListRules
    doubts: list[str]


def draft_list(page: _Element, url: str, today: date) -> ListDraft:
    """Return rules for the main list of the page of ``url``; removes scripts and styles from the tree.

    Raises :class:`ProfileError` if the page has no list of links, or none that rules can select.
    """
    remove_unseen(page)
    ranked = ranked_groups(link_groups(page, url), page, url, today)
    if not ranked:
        raise ProfileError(
            f"{url} has no list of links; give the URL of a page that lists articles"
        )
    score, group, evidence = ranked[0]
    parts = entry_parts(group, url, today)
    link, title = link_rule(parts), title_rule(parts)
    entry = _entry_rule(parts, page, url, link) if link else None
    if not (entry and link and title):
        raise ProfileError(
            f"no selector fits the {len(parts)} entries of {url}; write the profile by hand"
        )
    dates = date_rule(parts, today)
    year = year_rule(parts, page, dates, today) if dates else None
    following = _next_rule(page, url, set(group.urls))
    rules = ListRules(entry=entry, link=link, title=title, date=dates, year=year, next=following)
    rival = ranked[1] if len(ranked) > 1 and score - ranked[1].score < _CLOSE else None
    doubts = _doubts(rules, parts, len(rival.group.urls) if rival else 0)
    if evidence.text < _SMALL_SHARE:
        doubts.insert(0, "the list is a small part of the page, which may be an article")
    return ListDraft(rules, doubts)


def _entry_rule(parts: Sequence[EntryParts], page: _Element, url: str, link: Rule) -> Rule | None:
    entries = {one.entry for one in parts}
    base = base_url(page, url)

    def fits(rule: Rule, root: _Element) -> bool:
        found = rule.select(root)
        # An element without a link to another page is no entry: the crawl skips it, too.
        return entries <= set(found) and all(
            node in entries or absolute_url(base, link.first(node)) in ("", url) for node in found
        )

    return find_rule([Example(page, [one.entry for one in parts])], fits)


def _next_rule(page: _Element, url: str, entries: set[str]) -> Rule | None:
    link = next_link(page, url, entries)
    if link is None:
        return None
    text = text_of(link)
    href = " ".join((link.get("href") or "").split())

    def fits(rule: Rule, root: _Element) -> bool:
        return rule.first(root) == href

    named = text and '"' not in text and not text.isdigit()
    condition = f'normalize-space()="{text}"' if named else icon_condition(link)
    if condition and fits(rule := Rule(xpath=f"//a[{condition}]/@href"), page):
        return rule
    return find_rule([Example(page, [link])], fits, "::attr(href)")


def _doubts(rules: ListRules, parts: Sequence[EntryParts], rival: int) -> list[str]:
    doubts = []
    if rival:
        doubts.append(f"another group of {rival} links is nearly as likely to be the main list")
    if len(parts) < _SHORT_LIST:
        doubts.append(f"the list has only {len(parts)} entries")
    if rules.date is None:
        doubts.append("the entries show no date")
    if rules.next is None:
        doubts.append("there is no link to the next list page")
    if len({one.title for one in parts}) < len(parts):
        doubts.append("several entries have the same title")
    return doubts
