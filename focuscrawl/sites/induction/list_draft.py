"""Draft of the list rules of a site profile, from one list page."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urldefrag, urljoin

from lxml.etree import _Element

from focuscrawl.errors import ProfileError
from focuscrawl.network.address_rules import reference
from focuscrawl.sites.induction.link_groups import (
    LinkGroup,
    dated_text,
    link_groups,
    remove_unseen,
    text_of,
)
from focuscrawl.sites.induction.main_list import (
    heading_date_rule,
    is_more_link,
    ranked_groups,
    sibling_date_rule,
    steps,
)
from focuscrawl.sites.induction.missing_list import (
    ScriptTraces,
    list_refusal,
    missing_list,
    script_traces,
    unread_lists,
)
from focuscrawl.sites.induction.paging.further_pages import (
    further_pages,
    page_count,
    scripted_pages,
    unreached,
)
from focuscrawl.sites.induction.paging.next_link import next_link
from focuscrawl.sites.induction.paging.next_rule import form_pager, next_rule
from focuscrawl.sites.induction.selector_search import Example, find_rule, valid_rules
from focuscrawl.sites.page_reading import absolute_url, base_url, date_text, next_url
from focuscrawl.sites.site_profile import FormPager, ListRules, Rule
from focuscrawl.text.chinese_dates import find_date, find_full_date
from focuscrawl.text.cut_titles import completes

# Rule for the attribute ``title`` of entries whose visible titles are cut off.

_OWN = Rule(xpath="./@title")
_SEPARATORS = ("-", "|", "_", "—", "–", "·")


def whole_title_rule(shown: Mapping[_Element, tuple[str, _Element]]) -> Rule | None:
    """Return a rule for the attribute; None if no title is cut, or an entry lacks the attribute.

    ``shown`` has the visible title and the link of each entry.
    """
    found = {entry: _holder(entry, *title) for entry, title in shown.items()}
    holders = {entry: holder for entry, holder in found.items() if holder is not None}
    if len(holders) < len(shown) or not _is_cut(shown, holders):
        return None
    if all(holder is entry for entry, holder in holders.items()):
        return _OWN
    return find_rule(
        [Example(entry, [holder]) for entry, holder in holders.items()],
        lambda rule, entry: rule.first(entry) == _title(holders[entry]),
        "::attr(title)",
    )


def _holder(entry: _Element, title: str, link: _Element) -> _Element | None:
    """Return the element with the title in its attribute, as it is shown or longer."""
    for node in _near(entry, link):
        whole = _title(node)
        if whole and (whole.startswith(title) or completes(whole, title)):
            return node
    return None


def _near(entry: _Element, link: _Element) -> Iterator[_Element]:
    yield from link.iter("*")
    for node in () if link is entry else link.iterancestors():
        yield node
        if node is entry:
            break


def _is_cut(
    shown: Mapping[_Element, tuple[str, _Element]], holders: Mapping[_Element, _Element]
) -> bool:
    """Return whether the attributes have more of the titles, not just something else behind them."""
    pairs = [(shown[entry][0], _title(holder)) for entry, holder in holders.items()]
    if any(completes(whole, title) and whole != title for title, whole in pairs):
        return True
    rests = {whole[len(title) :].strip() for title, whole in pairs} - {""}
    is_more = any(rest.startswith(_SEPARATORS) or find_full_date(rest, date.max) for rest in rests)
    return len(rests) > 1 and not is_more


def _title(element: _Element) -> str:
    return " ".join((element.get("title") or "").split())


# Rules for the link, the title and the date of the entries of a list.

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TITLE_NAME = re.compile(r"title|name|tit\b|bt\b|headline", re.IGNORECASE)
_YEAR = r"((?:19|20)\d\d)"
_YEAR_HEADING = re.compile(rf"\W*{_YEAR}\s*年?\W*\d{{0,3}}\W*")
_LONGEST_DATE = 20
_PRINTED_DATE = r"\d[-/.年]\d"
_SELF = Rule(xpath="./@href")
_OWN_TEXTS = tuple(
    Rule(xpath=path) for path in ("./text()[normalize-space()]", "./text()[last()]", ".")
)


@dataclass(frozen=True, slots=True)
class EntryParts:
    """Parts of one entry: its link element, and the title with the element that has it."""

    entry: _Element
    link: _Element
    title: str
    holder: _Element


def year_rule(parts: Sequence[EntryParts], page: _Element, dates: Rule, today: date) -> Rule | None:
    """Return the rule for a heading above the entries with the year that their dates lack."""
    entries = [one.entry for one in parts]
    if any(find_full_date(date_text(dates, entry, today), today) for entry in entries):
        return None
    inside = {node for entry in entries for node in entry.iter()}
    headings = [
        node
        for node in page.iter("*")
        if node not in inside and _YEAR_HEADING.fullmatch(text_of(node))
    ]
    names = dict.fromkeys(step for heading in reversed(headings) for step in steps(heading))
    rules = valid_rules({"xpath": f"preceding::{name}[1]", "re": _YEAR} for name in names)
    return next((rule for rule in rules if all(rule.first(entry) for entry in entries)), None)


def entry_parts(group: LinkGroup, base: str, today: date) -> list[EntryParts]:
    """Return the parts of the entries of a group; ``base`` is the URL that links are relative to."""
    return [_parts(entry, links[0].url, base, today) for entry, links in group.entries.items()]


def link_rule(parts: Sequence[EntryParts]) -> Rule | None:
    """Return the rule for the link, relative to the entry."""
    if all(one.link is one.entry for one in parts):
        return _SELF
    hrefs = {one.entry: one.link.get("href") for one in parts}
    examples = [Example(one.entry, [one.link]) for one in parts]
    return find_rule(
        examples,
        lambda rule, entry: rule.first(entry) == " ".join((hrefs[entry] or "").split()),
        "::attr(href)",
    )


def condition_rules(parts: Sequence[EntryParts]) -> Iterator[Rule]:
    """Yield rules for entries that only their cells, links or texts tell from rows of menus and pagers."""
    entries = [one.entry for one in parts]
    tags = {str(entry.tag) for entry in entries}
    parents = {entry.getparent() for entry in entries}
    if len(tags) > 1:
        return
    tag = tags.pop()
    counts = {sum(cell.tag in ("td", "th") for cell in entry) for entry in entries}
    address = _shape([one.link.get("href") or "" for one in parts])
    conditions = [f"td[{min(counts)}]"] if min(counts) > 1 else []
    conditions += [f"count(td)={min(counts)}"] if len(counts) == 1 and tag == "tr" else []
    conditions += [f'descendant-or-self::a[re:test(@href, "{address}")]'] if address else []
    conditions.append(rf're:test(., "{_PRINTED_DATE}")')
    pairs = itertools.combinations(conditions, 2)
    joined = [*conditions, *(" and ".join(pair) for pair in pairs)]
    path = f"//{tag}[not(.//{tag})]"
    paths = [f"{path}[{condition}]" for condition in joined]
    if len(parents) == 1 and (parent := parents.pop()) is not None:
        place = parent.getroottree().getpath(parent)
        paths += [f"{place}/{tag}", *(f"{place}/{tag}[{condition}]" for condition in joined)]
    yield from valid_rules({"xpath": path} for path in paths)


def _shape(links: Sequence[str]) -> str:
    """Return an expression for what links begin with, whatever their numbers; empty if that is nothing."""
    shapes = [
        [r"\d+" if part.isdigit() else re.escape(part) for part in re.findall(r"\d+|\D", link)]
        for link in links
    ]
    alike = itertools.takewhile(lambda parts: len(set(parts)) == 1, zip(*shapes, strict=False))
    shape = "".join(parts[0] for parts in alike)
    return "" if not shape or '"' in shape else f"^{shape}"


def title_rule(parts: Sequence[EntryParts]) -> Rule | None:
    """Return the rule for the title: an element, or the attribute ``title`` of one."""
    if rule := whole_title_rule({one.entry: (one.title, one.link) for one in parts}):
        return rule
    titles = {one.entry: one.title for one in parts}
    if all(one.holder is one.entry and text_of(one.entry) == one.title for one in parts):
        return Rule(xpath=".")
    examples = [Example(one.entry, [one.holder]) for one in parts]

    def fits(rule: Rule, entry: _Element) -> bool:
        return rule.first(entry) == titles[entry]

    return (
        find_rule(examples, fits)
        or find_rule(examples, fits, "::text")
        or find_rule(examples, fits, "::attr(title)")
    )


def date_rule(parts: Sequence[EntryParts], page: _Element, today: date) -> Rule | None:
    """Return the rule for the date, in the entry, beside it or above it; None if most have none."""
    entries = [one.entry for one in parts]
    return (
        _inner_date_rule(parts, today)
        or sibling_date_rule(entries, today)
        or heading_date_rule(entries, page, today)
    )


def _inner_date_rule(parts: Sequence[EntryParts], today: date) -> Rule | None:
    holders = {one.entry: _date_holder(one, today) for one in parts}
    dated = [one for one in parts if holders[one.entry] is not None]
    if 2 * len(dated) < len(parts):
        return None
    expected = {one.entry: find_date(dated_text(holders[one.entry], today), today) for one in dated}  # type: ignore[arg-type]

    def fits(rule: Rule, entry: _Element) -> bool:
        return find_date(date_text(rule, entry, today), today) == expected[entry]

    entries = [one.entry for one in dated]
    if all(holders[entry] is entry for entry in entries):
        return next((rule for rule in _OWN_TEXTS if all(fits(rule, e) for e in entries)), None)
    return find_rule([Example(entry, [holders[entry]]) for entry in entries], fits)  # type: ignore[list-item]


def _parts(entry: _Element, url: str, base: str, today: date) -> EntryParts:
    links = [
        element
        for element in entry.iter("a")
        if urldefrag(urljoin(base, reference(element.get("href") or ""))).url == url
    ]
    title, holder = next(_titles(entry, links), ("", entry))
    if any(find_date(dated_text(child, today), today) for child in holder):
        # The date stands in the element of the title.
        title = next(_own_texts(holder), title)
    inside = [link for link in links if link is holder or holder in link.iter()]
    return EntryParts(entry, (inside or links)[0], title, holder)


def _titles(entry: _Element, links: Sequence[_Element]) -> Iterator[tuple[str, _Element]]:
    """Yield titles with the elements that have them, the likeliest first."""
    headings = [heading for heading in entry.iter(*_HEADINGS) if text_of(heading)]
    linked = {node for link in links for node in (*link.iter(), *link.iterancestors())}
    for heading in headings:
        # A heading may hold the date as well.
        own = [link for link in links if heading in link.iterancestors() and text_of(link)]
        if heading in linked:
            yield (text_of(own[0]), own[0]) if own else (text_of(heading), heading)
    for link in links:
        has_own = next(_own_texts(link), None)
        if len(link) and not has_own and (inner := _inner_title(link)) is not None:
            yield text_of(inner), inner
    texts = [(text_of(link), link) for link in links]
    full = [(text, link) for text, link in texts if text and not is_more_link(text)]
    if full:
        yield max(full, key=lambda one: len(one[0]))
    yield from ((text_of(heading), heading) for heading in headings)
    yield from ((link.get("title", ""), link) for link in links if link.get("title"))
    yield from ((text, link) for text, link in texts if text)
    # A link without any text over an entry: its text is all there is.
    if text := text_of(entry):
        yield text, entry


def _own_texts(element: _Element) -> Iterator[str]:
    """Yield the texts that stand in an element itself."""
    for text in (element.text, *(child.tail for child in element)):
        if text and (own := " ".join(text.split())):
            yield own


def _inner_title(link: _Element) -> _Element | None:
    """Return the title element of a link around a whole card."""
    inner = [node for node in link.iter() if node is not link and text_of(node)]
    named = [node for node in inner if _TITLE_NAME.search(node.get("class") or "")]
    whole = text_of(link)
    leaves = [node for node in inner if not len(node) and text_of(node) != whole]
    return next(iter(named or leaves), None)


def _date_holder(parts: EntryParts, today: date) -> _Element | None:
    """Return the smallest element with the date of an entry; the entry itself for its own text."""
    for nodes in (parts.entry.iter("time"), parts.entry.iter("*")):
        dated = [node for node in nodes if find_date(_text_beside(node, parts, today), today)]
        if dated:
            smallest = min(dated, key=lambda node: len(text_of(node)))
            return _innermost(_with_year(smallest, parts, today))
    return None


def _with_year(node: _Element, parts: EntryParts, today: date) -> _Element:
    """Return the parent if that has nothing but the date, with the year that the element lacks."""
    parent = node.getparent()
    if node is parts.entry or parent is None or find_full_date(dated_text(node, today), today):
        return node
    is_date = len(text_of(parent)) <= _LONGEST_DATE and find_full_date(
        dated_text(parent, today), today
    )
    return parent if is_date else node


def _innermost(node: _Element) -> _Element:
    inner = next((child for child in node if text_of(child) == text_of(node)), None)
    return node if inner is None else _innermost(inner)


def _text_beside(node: _Element, parts: EntryParts, today: date) -> str:
    return dated_text(node, today).replace(parts.title, " ", 1)


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
    link = rules.next if isinstance(rules.next, Rule) else None
    return page_count(page, url, next_url(link, page, url))


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
    onwards: Rule | FormPager | None = None
    if following is not None:
        onwards = next_rule(following, page, url)
    onwards = onwards or form_pager(page, url)
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
    return f"a script adds further entries ({traces.more}), which the profile does not read{tries}; or let a browser press it (render, click)"
