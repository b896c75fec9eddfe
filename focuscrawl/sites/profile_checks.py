"""Checks of what a site profile selects: mistakes that no error tells of.

They give a part of the articles only, or store an article again under each of its addresses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from lxml.etree import _Element

from focuscrawl.errors import ProfileError
from focuscrawl.items import content_md5
from focuscrawl.sites.induction.json_draft import counted_url
from focuscrawl.sites.induction.link_groups import link_groups
from focuscrawl.sites.induction.list_draft import draft_list
from focuscrawl.sites.induction.missing_list import is_leaf
from focuscrawl.sites.induction.paging.further_pages import further_pages, unreached
from focuscrawl.sites.induction.paging.next_link import (
    LINK_TAGS,
    is_next_text,
    next_link,
    shown_text,
)
from focuscrawl.sites.json_list import (
    date_of,
    entry_link,
    json_entries,
    read_json_list,
    value_at,
)
from focuscrawl.sites.list_coverage import Coverage
from focuscrawl.sites.page_forms import form_of, next_form
from focuscrawl.sites.page_reading import (
    ArticlePage,
    ListEntry,
    ListPage,
    absolute_url,
    base_url,
    date_text,
    differing_parameters,
    next_url,
)
from focuscrawl.sites.site_profile import (
    ArticleRules,
    FormPager,
    JsonRules,
    ListRules,
    Rule,
    SiteProfile,
)
from focuscrawl.stored_records import KnownArticle
from focuscrawl.text.chinese_dates import find_date

_SAME_TITLES = 2
# A single article may have nothing but a picture.
_LEAST_ARTICLES = 3
_LEAST_NEW = 3  # entries
# A list with as many entries on its first page probably has a second one.
_LEAST_PAGE = 10
_PAGE_NUMBER = re.compile(r"(?<!void\()\d+")
_FIRST_PAGE = re.compile(r"(?:index|(?<!\d)[01])?(?:\.[A-Za-z]\w*)?$")
_FURTHER_PAGE = re.compile(r"(?:page/)?[^/]*\d[^/]*/?")
_PARTS = ("link", "title", "date", "year", "stamp")


class Problem(NamedTuple):
    """A sentence about a rule; ``loses_articles`` if a crawl gets a part of the articles only.

    It ``may_be_right`` if other articles of the site may need the rule.
    """

    sentence: str
    loses_articles: bool = False
    may_be_right: bool = False


def list_problems(
    page: _Element,
    url: str,
    rules: ListRules,
    today: date,
    starts: Iterable[str] = (),
    max_pages: int | None = None,
) -> Iterator[Problem]:
    """Yield a problem for each rule that selects nothing, or less than the list page shows.

    Without ``list.next``, further pages are not missed if there are some among ``starts``, the URLs where
    the crawl begins, or if ``max_pages`` is 1.
    """
    entries = rules.entry.select(page)
    if not entries:
        yield Problem(f"list.entry selects nothing on {url}", True)
        return
    for part in _PARTS:
        rule = getattr(rules, part)
        if rule is not None and not any(rule.first(entry) for entry in entries):
            yield Problem(f"list.{part} selects nothing in {len(entries)} entries")
    base = base_url(page, url)
    links = [absolute_url(base, rules.link.first(entry)) for entry in entries]
    known = set(filter(None, links))
    if len(entries) > 1 and len(known) == 1:
        yield Problem(
            f"all {len(entries)} entries have the link {links[0]}; begin list.link with a dot:"
            " ./a/@href",
            True,
        )
    else:
        yield from _missed(page, url, known)
    yield from _undated(entries, rules, today)
    titles = {rules.title.first(entry) for entry in entries}
    if len(entries) > _SAME_TITLES and len(titles) == 1 and "" not in titles:
        yield Problem(f"all {len(entries)} entries have the title {titles.pop()!r}")
    if isinstance(rules.next, FormPager):
        yield from _form_problems(page, url, rules.next, entries)
        return
    following = rules.next.first(page) if rules.next else ""
    if following[:1] in ("", "#") or not absolute_url(base, following):
        given = (_is_page_of(one, url) or _is_page_of(url, one) for one in starts)
        if rules.next or not (max_pages == 1 or any(given)):
            yield from _no_next(page, url, following, rules, entries, known)
    elif next_url(rules.next, page, url) == url and len(entries) >= _LEAST_PAGE:
        sentence = "correct it, or remove it from the profile if the list has one page only"
        yield Problem(f"list.next leads from {url} to itself; {sentence}", loses_articles=True)


def _form_problems(
    page: _Element, url: str, pager: FormPager, entries: Sequence[_Element]
) -> Iterator[Problem]:
    """Report a form that leads nowhere although the page shows that it has further ones."""
    if form_of(pager.form, page) is None:
        yield Problem(f"list.next.form selects no form on {url}", loses_articles=True)
    elif next_form(pager, page, url, "utf-8") is None:
        part = "button" if pager.button else "fields"
        sign = further_pages(page, url, entries)
        shown = f", but the page shows further pages ({sign})" if sign else ""
        yield Problem(
            f"list.next.{part} selects nothing that leads on from {url}{shown}",
            bool(sign),
            not sign,
        )


def _is_page_of(first: str, url: str) -> bool:
    """Return whether ``url`` is that of a further page of the list that begins at ``first``."""
    stem = _FIRST_PAGE.sub("", first)
    return url.startswith(stem) and bool(_FURTHER_PAGE.fullmatch(url[len(stem) :])) and url != first


def _no_next(
    page: _Element,
    url: str,
    following: str,
    rules: ListRules,
    entries: Sequence[_Element],
    known: Collection[str],
) -> Iterator[Problem]:
    """Report a page that leads on, or shows that it has further pages, without ``list.next``.

    ``following`` is what the rule selects, which is no URL.
    """
    has_rule = rules.next is not None
    rule = f"selects {following!r}" if following else "selects nothing"
    rule = rule if has_rule else "is missing"
    if link := next_link(page, url, known):
        sentence = f"list.next {rule}, but the page links to {link.address}"
        yield Problem(sentence, loses_articles=has_rule)
    elif sign := further_pages(page, url, entries):
        # The dead 下一页 of a single page is no loss.
        is_dead = is_next_text(sign)
        is_dead &= not (_has_second(following, entries) if has_rule else _is_called(page, sign))
        if not (is_dead and following):
            yield Problem(f"list.next {rule}: {unreached(sign)}", loses_articles=not is_dead)


def _is_called(page: _Element, text: str) -> bool:
    """Return whether an element with that text calls a function, as in ``javascript:go(2)``."""
    buttons = (node for node in page.iter(*LINK_TAGS) if is_leaf(node) and shown_text(node) == text)
    scripts = (str(value) for button in buttons for value in button.attrib.values())
    return any("(" in script and "void" not in script for script in scripts)


def _has_second(following: str, entries: Sequence[_Element]) -> bool:
    """Return whether there is a second page by the script of 下一页 on the first, or its entries."""
    numbers = _PAGE_NUMBER.findall(following)
    return max(map(int, numbers)) > 1 if numbers else len(entries) >= _LEAST_PAGE


def json_list_problems(data: Any, url: str, rules: JsonRules, today: date) -> Iterator[Problem]:
    """Yield a problem for each expression that selects nothing, or less than the list has."""
    entries = list(json_entries(data, rules))
    if not entries:
        # The array is there, or reading the page would have failed.
        yield Problem(f"the list is empty on {url}", may_be_right=True)
        return
    for part in ("title", "date", "stamp"):
        path = getattr(rules, part)
        if path is not None and not any(value_at(path, entry) for entry in entries):
            yield Problem(f"list.json.{part} selects nothing in {len(entries)} entries")
    links = [entry_link(entry, url, rules) for entry in entries]
    missing = links.count("")
    if missing:
        sentence = f"list.json.link selects nothing in {missing} of {len(entries)} entries"
        yield Problem(sentence, 2 * missing > len(entries))
    if len(entries) > 1 and len(set(links)) == 1:
        yield Problem(f"all {len(entries)} entries have the link {links[0]}", True)
    printed = [value_at(rules.date, entry) for entry in entries]
    unread = [text for text in printed if text and date_of(text, today) is None]
    if 2 * len(unread) > len(entries):
        yield Problem(f"list.json.date selects {unread[0]!r}, which is not a date")
    yield from _json_paging(data, url, rules, today)


def _json_paging(data: Any, url: str, rules: JsonRules, today: date) -> Iterator[Problem]:
    page = read_json_list(data, url, "", rules, today)
    more = page.more
    if not rules.next and (following := counted_url(url)):
        yield Problem(f"list.json.next is missing, but the URL has a number: {following}")
    elif not rules.next and more:
        yield Problem(f"list.json.next is missing, but {more}")
    elif more and not page.next_url:
        yield Problem(f"list.json.next gives no next page, but {more}", True)


def paging_problems(
    first: ListPage, second: ListPage, url: str, second_url: str, further: str
) -> Iterator[str]:
    """Yield a sentence if the second list page does not lead on; ``url`` is that of the first.

    ``further`` is empty if the second page shows no further one: then it may link to itself.
    """
    if not second.entries and first.may_be_whole:
        return
    if not second.entries:
        yield f"the second list page has no entries: {second_url}"
    elif {entry.url for entry in second.entries} <= {entry.url for entry in first.entries}:
        yield f"the second list page has the same entries as the first: {second_url}"
    elif second.next_url == url or (further and second.next_url == second_url):
        yield f"list.next leads from the second list page to {second.next_url}"


@dataclass(slots=True)
class ArticleChecks:
    """Counts of the first pages of articles on which a rule fails."""

    rules: ArticleRules
    pages: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    matched: set[Rule] = field(default_factory=set)

    def add(
        self, title: str, page: ArticlePage, *, leads_away: bool, is_first: bool = True
    ) -> None:
        """Count a page; ``title`` is that of the list. It ``leads_away`` if the next is another article.

        Of the further pages of an article, only the rules that match, and ``leads_away``, are noted.
        """
        self.matched |= page.matched
        self.failed["next"] += leads_away
        if not is_first:
            return
        self.pages += 1
        failures = {
            "body": len(page.text) <= len(page.title or title),
            "title": self.rules.title is not None and not page.title,
            "date": self.rules.date is not None and page.published is None,
        }
        self.failed.update(part for part, is_failure in failures.items() if is_failure)
        self.texts[content_md5(page.text)] += 1

    def problems(self) -> Iterator[Problem]:
        """Yield a problem for each rule that fails on most of three or more pages; for ``next``, on any."""
        is_enough = self.pages >= _LEAST_ARTICLES
        most = {part for part, count in self.failed.items() if is_enough and 2 * count > self.pages}
        if "body" in most:
            yield Problem("article.body selects less text than the title has", True)
        elif is_enough and 2 * max(self.texts.values()) > self.pages:
            # Some sites do have such articles.
            yield Problem("article.body selects the same text on most articles")
        if "title" in most:
            yield Problem("article.title selects nothing")
        if "date" in most:
            yield Problem("article.date selects no date")
        if self.failed["next"]:
            yield Problem("article.next leads to another article", True)
        if is_enough:
            yield from self._unmatched()

    def _unmatched(self) -> Iterator[Problem]:
        if self.rules.remove and not self.rules.body:
            yield Problem("article.remove has no effect without article.body")
        rules = [("next", self.rules.next)] if self.rules.next else []
        rules += [("remove", rule) for rule in self.rules.remove if self.rules.body]
        for part, rule in rules:
            if rule not in self.matched:
                sentence = f"article.{part} ({rule.xpath or rule.css}) selects nothing"
                yield Problem(f"{sentence} on {self.pages} articles", may_be_right=True)


def article_problems(
    pages: Sequence[tuple[ListEntry, ArticlePage]], profile: SiteProfile, entries: Container[str]
) -> Iterator[Problem]:
    """Yield a problem for each rule that fails on most articles; ``entries`` has their URLs."""
    checks = ArticleChecks(profile.article)
    for entry, page in pages:
        leads_away = page.next_url in entries and page.next_url != entry.url
        checks.add(entry.title, page, leads_away=leads_away)
    yield from checks.problems()


def redesign(
    page: _Element, profile: SiteProfile, url: str, coverage: Coverage, selected: int
) -> str:
    """Return a sentence if a profile selects less than half of the entries of its last run; else ``""``.

    ``selected`` is the number of entries that it selects. A page with no other list has not been
    redesigned: it asks for a login, or its list is shorter now. Removes scripts from the tree.
    """
    day = coverage.day
    before = f"{coverage.entries or 'some'} on {day.isoformat()}"
    if selected and 2 * selected >= coverage.entries:
        return ""
    try:
        rules = draft_list(page, url, day).rules
    except ProfileError as error:
        return "" if selected else f"{error}; the profile {profile.name} read a list there on {day}"
    if len(rules.entry.select(page)) <= 2 * selected:
        return ""
    return (
        f"the site has probably been redesigned: the profile {profile.name} selects {selected or 'no'} "
        f"entries on {url}, {before}, and the page has another list; run `scrapy newsite {url}`"
    )


def missed_next(page: _Element, url: str, visited: Container[str], encoding: str = "utf-8") -> str:
    """Return the URL of a list page that the page links to and the crawl has not seen; else ``""``."""
    link = next_link(page, url, ())
    target = absolute_url(base_url(page, url), link.address, encoding) if link else ""
    return "" if target in visited else target


def _missed(page: _Element, url: str, known: set[str]) -> Iterator[Problem]:
    """Report links of the same shape as those of the entries, if there are more outside than inside."""
    for group in link_groups(page, url):
        urls = set(group.urls)
        inside = len(urls & known)
        if inside and 2 * inside >= len(known) and len(urls) - inside > inside:
            yield Problem(
                f"list.entry selects {inside} of {len(urls)} links of the same kind", True
            )
            return


def _undated(entries: Sequence[_Element], rules: ListRules, today: date) -> Iterator[Problem]:
    printed = [date_text(rules.date, entry, today) for entry in entries]
    unread = [text for text in printed if text and find_date(text, today) is None]
    if 2 * len(unread) > len(entries):
        yield Problem(f"list.date selects {unread[0]!r}, which is not a date")


def changed_addresses(
    new: Sequence[ListEntry], stored: Iterable[KnownArticle]
) -> Iterator[Problem]:
    """Yield a problem if most of the new entries have title and date of a stored article."""
    url_of: dict[tuple[str, date | None], str] = {}
    for known in stored:
        # The date of an article whose list has none is that of its page.
        url_of[known.title, known.published] = url_of[known.title, None] = known.url
    pairs = [
        (entry.url, url_of[entry.title, entry.published])
        for entry in new
        if (entry.title, entry.published) in url_of
    ]
    if len(new) < _LEAST_NEW or 2 * len(pairs) <= len(new):
        return
    counts = Counter(name for pair in pairs for name in differing_parameters(*pair))
    names = sorted(name for name, count in counts.items() if 2 * count > len(pairs))
    remedy = (
        f"if {' and '.join(names)} change at every run, write ignore_parameters: "
        f"[{', '.join(names)}] in the profile"
        if names
        else "the site may have given its articles other addresses"
    )
    yield Problem(
        f"{len(pairs)} of {len(new)} new entries have title and date of a stored article with another "
        f"address, such as {pairs[0][0]} and {pairs[0][1]}; {remedy}"
    )
