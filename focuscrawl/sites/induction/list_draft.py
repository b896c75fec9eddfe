"""Draft of the list rules of a site profile, from one list page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from lxml.etree import _Element

from focuscrawl.errors import ProfileError
from focuscrawl.sites.induction.entry_rules import (
    EntryParts,
    condition_rules,
    date_rule,
    entry_parts,
    link_rule,
    title_rule,
    year_rule,
)
from focuscrawl.sites.induction.link_groups import LinkGroup, link_groups, remove_unseen
from focuscrawl.sites.induction.main_list import ranked_groups
from focuscrawl.sites.induction.missing_list import (
    feed_refusal,
    list_refusal,
    missing_list,
    unread_lists,
)
from focuscrawl.sites.induction.page_scripts import ScriptTraces, script_traces
from focuscrawl.sites.induction.paging.further_pages import (
    further_pages,
    scripted_pages,
    unreached,
)
from focuscrawl.sites.induction.paging.next_link import next_link
from focuscrawl.sites.induction.paging.next_rule import next_rule
from focuscrawl.sites.induction.paging.page_count import page_count
from focuscrawl.sites.induction.selector_search import Example, find_rule
from focuscrawl.sites.page_reading import absolute_url, base_url, next_url
from focuscrawl.sites.site_profile import ListRules, Rule

# Two lists with scores closer than this may be told apart wrongly: the closest right choice on the 28
# hosts of ``shared/lists`` is 1.0 ahead.
_CLOSE = 1.0
_SHORT_LIST = 3
# Lists have at least 9 % of the text of their page there, and nine tenths of the articles less.
_SMALL_SHARE = 0.08


@dataclass(frozen=True, slots=True)
class ListDraft:
    """Rules that select the main list of a page, and sentences about what is uncertain.

    ``pages`` is the number of list pages, None if it is not known; ``others`` has the rules for entries
    of other lists that are nearly as likely.
    """

    rules: ListRules
    doubts: list[str]
    pages: int | None = None
    others: list[Rule] = field(default_factory=list)


def draft_list(page: _Element, url: str, today: date) -> ListDraft:
    """Return rules for the main list of the page of ``url``; removes scripts and styles from the tree.

    Raises :class:`ProfileError` if the page has no list of links, or none that rules can select.
    """
    if feed := feed_refusal(page, url):
        raise ProfileError(feed)
    traces, scripted = script_traces(page, url), scripted_pages(page)
    remove_unseen(page)
    ranked = ranked_groups(link_groups(page, url), page, url, today)
    refusal = list_refusal(ranked[0], page) if ranked else ""
    if not ranked or refusal or (traces.redirects and len(ranked[0].group.urls) < _SHORT_LIST):
        raise ProfileError(missing_list(page, url, traces, refusal))
    score, group, evidence = ranked[0]
    parts = entry_parts(group, base_url(page, url), today)
    rules = _rules(parts, group, page, url, today)
    close = [one.group for one in ranked[1:] if score - one.score < _CLOSE]
    # The same list may be a group twice, by its pictures and by its titles.
    rivals = [one for one in close if not set(one.urls) & set(group.urls)]
    others = [rule for rival in rivals[:1] if (rule := _rival_rule(rival, page, url, today))]
    further = "" if rules.next else _further(page, url, group) or scripted
    doubts = _doubts(rules, parts, rivals, _no_next(traces, further))
    if evidence.text < _SMALL_SHARE:
        doubts.insert(0, "the list is a small part of the page, which may be an article")
    doubts += unread_lists(page, traces, max(_SHORT_LIST, len(parts)))
    return ListDraft(rules, doubts, _pages(rules, page, url, traces, further), others)


def _further(page: _Element, url: str, group: LinkGroup) -> str:
    """Return the words for further pages, or the link to one that no rule tells from other links."""
    link = next_link(page, url, set(group.urls))
    return further_pages(page, url, list(group.entries)) or (link.address if link else "")


def _pages(
    rules: ListRules, page: _Element, url: str, traces: ScriptTraces, further: str
) -> int | None:
    if rules.next is None:
        return None if traces.more or further else 1
    return page_count(page, url, next_url(rules.next, page, url))


def _rules(
    parts: Sequence[EntryParts], group: LinkGroup, page: _Element, url: str, today: date
) -> ListRules:
    link, title = link_rule(parts), title_rule(parts)
    entry = _entry_rule(parts, page, url, link) if link else None
    if not (entry and link and title):
        raise ProfileError(
            f"no selector fits the {len(parts)} entries of {url}; write the profile by hand"
        )
    dates = date_rule(parts, page, today)
    year = year_rule(parts, page, dates, today) if dates else None
    following = next_link(page, url, set(group.urls))
    onwards = next_rule(following, page, url) if following is not None else None
    return ListRules(entry=entry, link=link, title=title, date=dates, year=year, next=onwards)


def _rival_rule(rival: LinkGroup, page: _Element, url: str, today: date) -> Rule | None:
    parts = entry_parts(rival, base_url(page, url), today)
    link = link_rule(parts)
    return _entry_rule(parts, page, url, link) if link else None


def _entry_rule(parts: Sequence[EntryParts], page: _Element, url: str, link: Rule) -> Rule | None:
    entries = {one.entry for one in parts}
    base = base_url(page, url)

    def fits(rule: Rule, root: _Element) -> bool:
        found = rule.select(root)
        # An element without a link to another page is no entry: the crawl skips it, too.
        return entries <= set(found) and all(
            node in entries or absolute_url(base, link.first(node)) in ("", url) for node in found
        )

    found = find_rule([Example(page, [one.entry for one in parts])], fits)
    return found or next((rule for rule in condition_rules(parts) if fits(rule, page)), None)


def _doubts(
    rules: ListRules,
    parts: Sequence[EntryParts],
    rivals: Sequence[LinkGroup],
    no_next: str,
) -> list[str]:
    doubts = []
    if rivals:
        size = len(rivals[0].urls)
        doubts.append(f"another group of {size} links is nearly as likely to be the main list")
    if len(parts) < _SHORT_LIST:
        doubts.append(f"the list has only {len(parts)} entries")
    if rules.date is None:
        doubts.append("the entries show no date")
    if rules.next is None:
        doubts.append(no_next)
    if len({one.title for one in parts}) < len(parts):
        doubts.append("several entries have the same title")
    return doubts


def _no_next(traces: ScriptTraces, further: str) -> str:
    if not traces.more:
        return unreached(further) if further else "there is no link to the next list page"
    tries = "".join(f"; try `scrapy newsite '{url}'`" for url in traces.data_urls[:1])
    return f"a script adds further entries ({traces.more}), which the profile does not read{tries}"
