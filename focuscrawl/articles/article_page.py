"""Extraction of title, date, author and body of an article page, with or without a profile's rules.

Takes about 60 ms per page without rules: for :func:`focuscrawl.system.worker_pool.in_worker`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from lxml.etree import _Element
from parsel import Selector

from focuscrawl.articles.article_profile import ArticleProfile, FieldRules, MissingRules
from focuscrawl.articles.unknown_site import Guess, guess, source_of, split_tags
from focuscrawl.items import content_md5
from focuscrawl.sites.page_reading import text_without
from focuscrawl.sites.site_profile import Rule
from focuscrawl.text.chinese_dates import find_date
from focuscrawl.text.page_repair import repaired
from focuscrawl.text.visible_lines import block_text

_DIGITS = re.compile(r"\d+")
_TITLE = Rule(xpath="//title")
# Characters; no notice of a missing article is longer.
_LONGEST_NOTICE = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The parts of a page. ``missing`` is the reason why it is not an article, ``""`` if it is one.

    ``look`` is an MD5 of all visible text with digits folded, so that pages that differ only in
    numbers have the same look. ``has_body`` is False if the profile's rule selected nothing.
    """

    title: str
    description: str = ""
    tags: list[str] = field(default_factory=list)
    author: str = ""
    published: date | None = None
    body_html: str = ""
    body_text: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    look: str = ""
    missing: str = ""
    has_body: bool = True

    @property
    def is_blank(self) -> bool:
        """True if the page is empty."""
        return not (self.title or self.body_html or self.body_text or self.look or self.missing)


def read_page(html: str, url: str, profile: str, today: date) -> Reading:
    """Return the parts of a page. ``profile`` is a ArticleProfile as JSON.

    Never raises for any ``html``. ``url`` is not fetched; ``today`` completes dates without a year.
    """
    given = _profile(profile)
    html = repaired(html)
    root = Selector(text=html or "<html/>", type="html").root
    seen = block_text(root) if len(html) < _LONGEST_NOTICE else ""
    title = _TITLE.first(root)
    look = look_of(title, seen) if seen else ""
    if reason := _reason(given.missing, root, title, seen):
        return Reading(title=title, look=look, missing=reason)
    return _read(given.article, root, html, url, look, today)


def look_of(title: str, text: str) -> str:
    """Return an MD5 of the visible text of a page, with all numbers treated as equal."""
    return content_md5(_DIGITS.sub("0", title), _DIGITS.sub("0", text))


def _read(
    rules: FieldRules, root: _Element, html: str, url: str, look: str, today: date
) -> Reading:
    named = {"title": rules.title, "author": rules.author, "description": rules.description}
    guessed = Guess()
    if None in (*named.values(), rules.tags, rules.date, rules.body):
        guessed = guess(root, html, url, with_body=rules.body is None)
    texts = {
        name: rule.first(root) if rule else getattr(guessed, name) for name, rule in named.items()
    }
    bodies = [node for node in rules.body.select(root) if isinstance(node, _Element)] if rules.body else []  # fmt: skip
    body_html, body_text = guessed.body_html, guessed.body_text
    if rules.body:
        body_html = "\n".join(source_of(body) for body in bodies)
        body_text = text_without(bodies, rules.remove)
    return Reading(
        **texts,
        tags=split_tags(rules.tags.all(root)) if rules.tags else guessed.tags,
        published=find_date(rules.date.first(root), today) if rules.date else guessed.published,
        body_html=body_html,
        body_text=body_text,
        extra={name: value for name, rule in rules.extra.items() if (value := rule.first(root))},
        look=look,
        has_body=bool(bodies) or rules.body is None,
    )


def _reason(rules: MissingRules, root: _Element, title: str, seen: str) -> str:
    if rules.title and re.search(rules.title, title):
        return "title of a missing page"
    if rules.text and re.search(rules.text, seen):
        return "text of a missing page"
    if rules.select and rules.select.select(root):
        return "part of a missing page"
    return ""


@lru_cache(maxsize=8)
def _profile(text: str) -> ArticleProfile:
    return ArticleProfile.model_validate_json(text)
