"""Draft of a whole site profile, and its YAML with comments."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml
from lxml.etree import _Element

from focuscrawl.sites.induction.continuation import continues
from focuscrawl.sites.induction.feed_draft import FeedDraft
from focuscrawl.sites.induction.json_draft import JsonDraft
from focuscrawl.sites.induction.link_groups import (
    dated_text,
    remove_unseen,
    stable_classes,
    text_of,
)
from focuscrawl.sites.induction.list_draft import ListDraft
from focuscrawl.sites.induction.paging.next_link import OnwardLink, is_next_text, squeezed
from focuscrawl.sites.induction.paging.next_rule import next_rule
from focuscrawl.sites.induction.selector_search import Example, find_rule, valid_rules
from focuscrawl.sites.page_reading import ListEntry, absolute_url, date_text
from focuscrawl.sites.site_profile import ArticleRules, FormPager, JsonRules, ListRules, Rule
from focuscrawl.text.chinese_dates import find_date, find_full_date
from focuscrawl.text.cut_titles import completes, is_cut

# The body of articles of one template: the subtree whose text differs from page to page.

# Weights of a character: see ``TextWeights``.
_OWN, _REPEATED, _LABEL, _LINKED, _SITE, _TITLE = 1.0, 0.3, -0.5, -0.5, -1.5, -5.0
# Short texts are labels or meta data even where they differ from page to page.
_SHORT, _SHORT_WEIGHT = 4, 0.0
_LONGEST_TITLE = 100
_SENTENCE = re.compile(r".{60,}|.{5,}[，。；！？、,.;!?].*|.*[。！？]")
_ASIDE = frozenset({"nav", "aside", "footer", "form", "select", "button", "textarea"})


@dataclass(frozen=True, slots=True)
class ArticleExample:
    """The tree of an article page without scripts, its URL, and its title as its list prints it."""

    page: _Element
    url: str
    title: str = ""


class TextWeights:
    """Weights of the texts below each element of some pages of one template.

    A character counts 1 if its text is on this page alone, 0.3 in a sentence of several articles (daily
    bulletins repeat themselves), -0.5 in another text of several articles and inside a link, -1.5 if
    the list page has the text as well, -5 in the title. The body is the subtree with the largest sum
    (maximum subsequence segmentation, Pasternack and Roth 2009, on trees).
    """

    def __init__(
        self, examples: Sequence[ArticleExample], list_page: _Element | None = None
    ) -> None:
        pages_of: Counter[str] = Counter()
        for example in examples:
            pages_of.update({text for _, text, _ in _texts(example.page)})
        self._pages_of = pages_of
        self._listed = (
            {text for _, text, _ in _texts(list_page)} if list_page is not None else set()
        )
        self.sums: list[dict[_Element, float]] = [self._sums(example) for example in examples]

    def _sums(self, example: ArticleExample) -> dict[_Element, float]:
        sums: dict[_Element, float] = defaultdict(float)
        title = without_spaces(example.title)
        for holder, text, is_aside in _texts(example.page):
            sums[holder] += len(text) * self._weight(text, title, is_aside=is_aside)
        # In reverse document order, so that descendants come before their ancestors.
        for element in reversed(list(example.page.iter("*"))):
            parent = element.getparent()
            if parent is not None:
                sums[parent] += sums[element]
        return sums

    def _weight(self, text: str, title: str, *, is_aside: bool) -> float:
        if title and (text == title or (len(text) <= _LONGEST_TITLE and completes(text, title))):
            return _TITLE
        is_shared = self._pages_of[text] > 1
        if is_shared and text in self._listed:
            return _SITE
        if is_aside:
            return _LINKED
        if is_shared:
            return _REPEATED if _SENTENCE.fullmatch(text) else _LABEL
        return _OWN if len(text) >= _SHORT else _SHORT_WEIGHT


def _texts(page: _Element) -> Iterator[tuple[_Element, str, bool]]:
    """Yield the element that a text counts for, the text without spaces, and whether it is linked."""
    aside: set[_Element] = set()
    for element in page.iter("*"):
        parent = element.getparent()
        if element.tag in _ASIDE or (element.tag == "a" and element.get("href")) or parent in aside:
            aside.add(element)
        if element.tag in ("head", "title", "option") or (
            parent is not None and parent.tag == "head"
        ):
            continue
        if text := without_spaces(element.text or ""):
            yield element, text, element in aside
        if parent is not None and (text := without_spaces(element.tail or "")):
            yield parent, text, parent in aside


def body_elements(
    examples: Sequence[ArticleExample], weights: TextWeights
) -> list[_Element] | None:
    """Return the body of each page, at the same path of tags and classes; None if there is none."""
    totals: dict[tuple[object, ...], float] = defaultdict(float)
    places: dict[tuple[object, ...], dict[int, _Element]] = defaultdict(dict)
    for at, (example, sums) in enumerate(zip(examples, weights.sums, strict=True)):
        for element in example.page.iter("*"):
            key = _path(element)
            if at not in places[key]:
                places[key][at] = element
                totals[key] += sums[element]
    common = [key for key, found in places.items() if len(found) == len(examples)]
    # The deepest of equal ones.
    best = max(common, key=lambda key: (totals[key], len(key)), default=None)
    if best is None or totals[best] <= 0:
        return None
    return [places[best][at] for at in range(len(examples))]


def _path(element: _Element) -> tuple[object, ...]:
    nodes = [element, *element.iterancestors()]
    return tuple((node.tag, stable_classes(node), node.get("id")) for node in reversed(nodes))


def without_spaces(text: str) -> str:
    """Return a text as it is compared, without any white space."""
    return "".join(text.split())


# Rules for the body, the title and the date of articles of one template.

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


# Rules for what articles of one template share inside of their bodies: share links, 责任编辑, 上一篇.

_BOILERPLATE = re.compile(
    r"\W*(责任编辑|责编|编辑[::]|上一[篇页]|下一[篇页]|上一则|下一则|分享到|分享至|[【\[]?打印|关闭窗口|版权声明|版权所有"
    r"|免责声明|特别声明|转载请|扫一扫|相关(?:阅读|文章|新闻|链接)|previous\b|share\b|copyright\b)",
    re.IGNORECASE,
)
_LONGEST = 300
_MOST_RULES = 4


def boilerplate_rules(bodies: Sequence[_Element]) -> list[Rule]:
    """Return rules, relative to the body, for elements that begin with the same label in most bodies.

    A rule selects nothing else in any of the bodies.
    """
    unwanted = {body: list(_labelled(body)) for body in bodies}
    by_label: dict[str, list[_Element]] = defaultdict(list)
    bodies_of: dict[str, set[_Element]] = defaultdict(set)
    for body, found in unwanted.items():
        for node in found:
            by_label[_label(node)].append(node)
            bodies_of[_label(node)].add(body)
    inside = {inner for found in unwanted.values() for node in found for inner in node.iter()}
    # In one body only, the word may be its subject.
    shared = [
        nodes
        for label, nodes in by_label.items()
        if len(bodies_of[label]) > 1 and 2 * len(bodies_of[label]) > len(bodies)
    ]
    rules: list[Rule] = []
    for nodes in sorted(shared, key=len, reverse=True):
        if len(rules) < _MOST_RULES and (rule := _rule(nodes, bodies, inside)) not in (
            None,
            *rules,
        ):
            rules.append(rule)  # type: ignore[arg-type]
    return rules


def _labelled(body: _Element) -> Iterator[_Element]:
    taken: set[_Element] = set()
    for node in body.iterdescendants("*"):
        if node.getparent() in taken:
            taken.add(node)
        elif _label(node) and len(without_spaces(text_of(node))) <= _LONGEST:
            taken.add(node)
            yield node


def _label(node: _Element) -> str:
    found = _BOILERPLATE.match(text_of(node))
    return found[1] if found else ""


def _rule(
    nodes: Sequence[_Element], bodies: Sequence[_Element], inside: set[_Element]
) -> Rule | None:
    of_body = {body: [node for node in nodes if body in node.iterancestors()] for body in bodies}
    examples = [Example(body, found) for body, found in of_body.items() if found]

    def fits(rule: Rule, body: _Element) -> bool:
        # A plain tag would select what other articles have in their text.
        return "." in rule.css and set(of_body[body]) <= set(rule.select(body)) <= inside

    named = any(stable_classes(node) for node in nodes)
    rule = find_rule(examples, fits) if named else None
    if rule and all(set(rule.select(body)) <= inside for body in bodies):
        return rule
    start = text_of(nodes[0])[: _end(nodes[0])]
    path = f'.//{nodes[0].tag}[starts-with(normalize-space(), "{start}")]'
    by_label = next(valid_rules([{"xpath": path}]), None)
    # XPath keeps no-break spaces before the label, which its text here is without.
    return by_label if by_label and any(map(by_label.select, bodies)) else None


def _end(node: _Element) -> int:
    found = _BOILERPLATE.match(text_of(node))
    return found.end(1) if found else 0


# Rule for the link to the second page of articles that are split.


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


_LIST_NOTES = {
    "entry": "one element an entry",
    "link": "relative to the entry",
    "title": "",
    "date": "",
    "year": "heading with the year that the dates lack",
    "next": "link to the next list page",
}
_ARTICLE_NOTES = {
    "feed": "the text of the feed where it is whole; the rest is for other articles",
    "body": "",
    "title": "",
    "date": "",
    "next": "pages of one article",
}
_JSON_NOTES = {
    "entries": "JMESPath of the array",
    "link": "",
    "title": "",
    "date": "",
    "next": "counted on until a page has no new entry",
}


AnyDraft = ListDraft | JsonDraft | FeedDraft


@dataclass(frozen=True, slots=True)
class DraftedRules:
    """Rules for the articles of a site, and sentences about what is uncertain."""

    rules: ArticleRules
    doubts: list[str]


def draft_articles(
    pages: Sequence[tuple[ListEntry, _Element]], list_page: _Element | None, today: date
) -> DraftedRules:
    """Return rules for the pages of entries, with what the list says about them.

    ``list_page`` is None for a list of JSON or a feed. Removes scripts and styles from the trees.
    """
    for _, page in pages:
        remove_unseen(page)
    examples = [ArticleExample(page, entry.url, entry.title) for entry, page in pages]
    if not examples:
        return DraftedRules(ArticleRules(), ["no article could be read"])
    # Articles that repeat the text of their list have a body, too.
    bodies = body_elements(examples, TextWeights(examples, list_page)) or body_elements(
        examples, TextWeights([ArticleExample(one.page, one.url) for one in examples])
    )
    body = body_rule(examples, bodies) if bodies else None
    if not bodies or body is None:
        return DraftedRules(
            ArticleRules(), ["no element holds the text of all articles; trafilatura finds it"]
        )
    body_of = {one.page: found for one, found in zip(examples, bodies, strict=True)}
    listed = {page: entry.published for entry, page in pages if entry.published}
    title = heading_rule(examples)
    dates = article_date_rule(examples, body_of, listed, today)
    doubts = []
    if len(examples) == 1:
        doubts.append("the article rules are made from a single article")
    if bodies[0].tag in ("body", "html"):
        doubts.append(
            "article.body is the whole page, with its menus; look at the texts, and correct it"
        )
    if title is None and any(is_cut(one.title) for one in examples):
        doubts.append("the list cuts titles off, and no element has the whole title of the article")
    elif title is None:
        doubts.append("no element has the title of the article; that of the list is used")
    if dates is None:
        doubts.append("articles show no date; that of the list is used")
    rules = ArticleRules(
        body=body,
        title=title,
        date=dates,
        next=continuation_rule(examples),
        remove=boilerplate_rules(bodies),
    )
    return DraftedRules(rules, doubts)


def profile_yaml(
    name: str,
    url: str,
    lists: AnyDraft,
    articles: DraftedRules,
    today: date,
    drawn: Collection[str] = (),
    *,
    with_prices: bool = False,
    notes: Sequence[str] = (),
    cookies: bool = False,
) -> str:
    """Return the profile as YAML, with a comment for each part, each doubt and each of the ``notes``.

    ``drawn`` are the parts that a browser has to draw, ``list`` and ``article``.
    """
    lines = [
        f"# Written by scrapy newsite on {today.isoformat()}. Check it by: scrapy trysite sites/{name}.yaml",
        *(f"# Uncertain: {doubt}." for doubt in (*lists.doubts, *articles.doubts)),
        *(f"# {note[:1].upper()}{note[1:]}." for note in notes),
        f"name: {_text(name)}",
        f"description: {_text(url)}",
        "start_urls:",
        f"  - {_text(url)}",
        f"{'' if with_prices else '# '}reader: prices  # the prices in the articles are read, too",
        *(["cookies: true  # the site shows nothing without"] if cookies else ()),
        *_rendering(lists, articles, drawn),
        *_list_rules(lists),
    ]
    if selected := list(_rules(articles.rules, _ARTICLE_NOTES)):
        removed = [_plain(rule) for rule in articles.rules.remove]
        lines += ["article:", *selected, *([f"  remove: {_text(removed)}"] if removed else ())]
    return "\n".join(lines) + "\n"


def _rendering(lists: AnyDraft, articles: DraftedRules, drawn: Collection[str]) -> Iterator[str]:
    if not drawn:
        return
    part = "both" if len(drawn) > 1 else next(iter(drawn))
    yield f"render: {part}  # by a browser: pip install 'focuscrawl[browser]', and Chromium"
    entry = lists.rules.entry if isinstance(lists, ListDraft) else None
    waited = {"list": entry, "article": articles.rules.body}
    rules = [rule for part in sorted(drawn) if (rule := waited[part])]
    if len(rules) == len(drawn):
        all_css = all(rule.css for rule in rules)
        selector = {"css": ", ".join(rule.css for rule in rules)}
        path = " | ".join(rule.path for rule in rules)
        yield f"wait_for: {_text(selector if all_css else path)}  # what a drawn page has"


def _list_rules(lists: AnyDraft) -> Iterator[str]:
    if isinstance(lists, FeedDraft) and not lists.rules.feed:
        yield "list: feed"
        return
    yield "list:"
    if isinstance(lists, FeedDraft):
        yield f"  feed: {_text(lists.rules.feed)}  # what the links of articles match"
        return
    if isinstance(lists, JsonDraft):
        yield "  json:"
        rules = lists.rules.rules
        following = {} if rules.counts_pages else {"next": "followed until it gives nothing"}
        yield from (f"  {line}" for line in _rules(rules, _JSON_NOTES | following))
        return
    yield from _rules(lists.rules, _LIST_NOTES)
    yield from (f"  # entry: {_text(_plain(rule))}  # the other list" for rule in lists.others)


def _rules(rules: ListRules | JsonRules | ArticleRules, notes: dict[str, str]) -> Iterator[str]:
    for part, note in notes.items():
        if rule := getattr(rules, part):
            note = "form that leads to the next list page" if isinstance(rule, FormPager) else note
            yield f"  {part}: {_text(_plain(rule))}" + (f"  # {note}" if note else "")


def _plain(rule: Rule | FormPager | str | bool) -> Any:
    """Return a rule as it is written in YAML: an XPath alone is a string."""
    if isinstance(rule, str | bool):
        return rule
    if isinstance(rule, FormPager):
        parts = {"form": rule.form, "button": rule.button}
        plain = {name: _plain(part) for name, part in parts.items() if part}
        fields = {name: _plain(value) for name, value in rule.fields.items()}
        return plain | ({"fields": fields} if fields else {})
    given = {key: value for key in ("xpath", "css", "re") if (value := getattr(rule, key))}
    return given if "xpath" not in given or "re" in given else given["xpath"]


def _text(value: object) -> str:
    dumped = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10_000)
    return dumped.removesuffix("\n").removesuffix("\n...")
