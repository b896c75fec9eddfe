"""Draft of a whole site profile, and its YAML with comments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import yaml
from lxml.etree import _Element

from focuscrawl.sites.induction.article_body import ArticleExample, TextWeights, body_elements
from focuscrawl.sites.induction.article_rules import article_date_rule, body_rule, heading_rule
from focuscrawl.sites.induction.boilerplate import boilerplate_rules
from focuscrawl.sites.induction.continuation import continuation_rule
from focuscrawl.sites.induction.json_draft import JsonDraft
from focuscrawl.sites.induction.link_groups import remove_unseen
from focuscrawl.sites.induction.list_draft import ListDraft
from focuscrawl.sites.page_reading import ListEntry
from focuscrawl.sites.site_profile import ArticleRules, JsonRules, ListRules, Rule
from focuscrawl.text.cut_titles import is_cut

_LIST_NOTES = {
    "entry": "one element an entry",
    "link": "relative to the entry",
    "title": "",
    "date": "",
    "year": "heading with the year that the dates lack",
    "next": "link to the next list page",
}
_ARTICLE_NOTES = {"body": "", "title": "", "date": "", "next": "pages of one article"}
_JSON_NOTES = {
    "entries": "JMESPath of the array",
    "link": "",
    "title": "",
    "date": "",
    "next": "counted on until a page has no new entry",
}


@dataclass(frozen=True, slots=True)
class ArticleDraft:
    """Rules for the articles of a site, and sentences about what is uncertain."""

    rules: ArticleRules
    doubts: list[str]


def draft_articles(
    pages: Sequence[tuple[ListEntry, _Element]], list_page: _Element | None, today: date
) -> ArticleDraft:
    """Return rules for the pages of entries, with what the list says about them.

    ``list_page`` is None for a list of JSON. Removes scripts and styles from the trees.
    """
    for _, page in pages:
        remove_unseen(page)
    examples = [ArticleExample(page, entry.url, entry.title) for entry, page in pages]
    if not examples:
        return ArticleDraft(ArticleRules(), ["no article could be read"])
    # Articles that repeat the text of their list have a body, too.
    bodies = body_elements(examples, TextWeights(examples, list_page)) or body_elements(
        examples, TextWeights([ArticleExample(one.page, one.url) for one in examples])
    )
    body = body_rule(examples, bodies) if bodies else None
    if not bodies or body is None:
        return ArticleDraft(
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
    return ArticleDraft(rules, doubts)


def profile_yaml(
    name: str,
    url: str,
    lists: ListDraft | JsonDraft,
    articles: ArticleDraft,
    today: date,
    *,
    with_prices: bool = False,
) -> str:
    """Return the profile as YAML, with a comment for each part and each doubt."""
    lines = [
        f"# Written by scrapy newsite on {today.isoformat()}. Check it by: scrapy trysite sites/{name}.yaml",
        *(f"# Uncertain: {doubt}." for doubt in (*lists.doubts, *articles.doubts)),
        f"name: {_text(name)}",
        f"description: {_text(url)}",
        "start_urls:",
        f"  - {_text(url)}",
        f"{'' if with_prices else '# '}reader: prices  # the prices in the articles are read, too",
        "list:",
        *_list_rules(lists),
    ]
    if selected := list(_rules(articles.rules, _ARTICLE_NOTES)):
        removed = [_plain(rule) for rule in articles.rules.remove]
        lines += ["article:", *selected, *([f"  remove: {_text(removed)}"] if removed else ())]
    return "\n".join(lines) + "\n"


def _list_rules(lists: ListDraft | JsonDraft) -> Iterator[str]:
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
            yield f"  {part}: {_text(_plain(rule))}" + (f"  # {note}" if note else "")


def _plain(rule: Rule | str) -> str | dict[str, str]:
    """Return a rule as it is written in YAML: an XPath alone is a string."""
    if isinstance(rule, str):
        return rule
    given = {key: value for key in ("xpath", "css", "re") if (value := getattr(rule, key))}
    return given if "xpath" not in given or "re" in given else given["xpath"]


def _text(value: object) -> str:
    dumped = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10_000)
    return dumped.removesuffix("\n").removesuffix("\n...")
