"""Extraction of title, date, author and body of an article page, with or without a profile's rules.

Takes about 60 ms per page without rules: for :func:`focuscrawl.system.worker_pool.in_worker`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from lxml import etree
from lxml.etree import _Element
from parsel import Selector

from focuscrawl.articles.article_profile import ArticleProfile, FieldRules, MissingRules
from focuscrawl.items import content_md5
from focuscrawl.sites.page_reading import absolute_url, base_url, text_without
from focuscrawl.sites.site_profile import Rule, SiteProfile
from focuscrawl.text.chinese_dates import day_in_china, find_date
from focuscrawl.text.file_kinds import kind_of_address
from focuscrawl.text.main_text import LONGEST_PAGE, main_text
from focuscrawl.text.page_repair import repaired
from focuscrawl.text.seen_text import as_seen, text_under
from focuscrawl.text.visible_lines import block_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PageParts:
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


# Extraction of an article without a site profile, by trafilatura (Barbaresi 2021).

_BETWEEN_TAGS = re.compile(r"[,，、;；|]")
_AUTHOR_LABEL = re.compile(r"^(?:文章)?作\s*者\s*[:：]?\s*")
_AUTHOR = Rule(xpath='//meta[@name="author"]/@content')
_BYLINE = Rule(xpath="//body", re=r"作\s*者\s*[:：]\s*([^\s:：|/,，。]{1,20})")
# Consecutive characters that locate a text.
_SHINGLE = 8
# Captions and the like may be in other elements than the rest.
_SHARE_OF_TEXT = 0.9
_UNSEEN = frozenset({"script", "style", "title"})
_MARKS = re.compile(r"\W+")


def guess(root: _Element, html: str, url: str, *, with_body: bool) -> PageParts:
    """Return the parts of a page by its metadata, and with ``with_body`` its main text.

    The HTML of the body is the smallest element that contains the main text. For a page longer than
    ``LONGEST_PAGE``, the text is that of this whole element. Never raises.
    """
    known = _metadata(html[:LONGEST_PAGE], url)
    title = as_seen(known.get("title") or "")
    text, element = "", None
    if with_body and (text := main_text(html, url)):
        element = smallest_holder(root, text)
    if element is not None and len(html) > LONGEST_PAGE:
        text = block_text(element)
    return PageParts(
        title=title,
        description=known.get("description") or "",
        tags=split_tags(known.get("tags") or [], title),
        author=_author(root, known.get("author") or ""),
        published=_day(known.get("date")),
        body_html="" if element is None else source_of(element),
        body_text=text,
    )


def smallest_holder(root: _Element, text: str) -> _Element | None:
    """Return the smallest element that contains nine tenths of ``text``, None if there is none."""
    plain = _MARKS.sub("", text)
    shingles = {plain[i : i + _SHINGLE] for i in range(max(1, len(plain) - _SHINGLE + 1))}
    elements = list(root.iter(etree.Element))
    shares: Counter[_Element] = Counter()
    # In reverse document order, so that descendants come before their ancestors.
    for element in reversed(elements):
        shares[element] += sum(
            len(own) for own in _texts(element) if _first_shingle(own) in shingles
        )
        if (parent := element.getparent()) is not None:
            shares[parent] += shares[element]
    enough = _SHARE_OF_TEXT * shares[root]
    return next((e for e in reversed(elements) if shares[e] >= enough), None) if enough else None


def _texts(element: _Element) -> Iterator[str]:
    if element.tag in _UNSEEN:
        return
    yield element.text or ""
    for child in element:
        yield child.tail or ""


def _first_shingle(text: str) -> str:
    return _MARKS.sub("", text)[:_SHINGLE]


def _author(root: _Element, otherwise: str) -> str:
    # The library rejects names without a space, which excludes nearly all Chinese names.
    return _AUTHOR_LABEL.sub("", _AUTHOR.first(root) or _BYLINE.first(root) or otherwise)


def _metadata(html: str, url: str) -> dict[str, Any]:
    # Imported here: it takes 0.15 s, and only the worker process needs it.
    from trafilatura.metadata import extract_metadata

    # The library takes the day that is written, also of a moment in another time zone.
    page = day_in_china(html).encode("utf-8", "replace").decode("utf-8")
    try:
        return dict(extract_metadata(page, default_url=url, extensive=False).as_dict())
    except MemoryError:
        raise
    # The library may raise anything on a broken page, which then has no metadata.
    except Exception:
        return {}


def split_tags(values: Iterable[str], *others: str) -> list[str]:
    """Split texts into distinct tags, without ``others``: blog themes put the title among them."""
    parts = (part.strip() for value in values for part in _BETWEEN_TAGS.split(value))
    return list(dict.fromkeys(part for part in parts if part and part not in others))


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def source_of(element: _Element) -> str:
    """Return the HTML of an element without its tail text."""
    return etree.tostring(element, encoding="unicode", method="html", with_tail=False)


# Extraction by the rules of a profile.

_DIGITS = re.compile(r"\d+")
_TITLE = Rule(xpath="//title")
# Characters; no notice of a missing article is longer.
_LONGEST_NOTICE = 500_000


def read_page(html: str, url: str, profile: str, today: date) -> PageParts:
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
        return PageParts(title=title, look=look, missing=reason)
    return _read(given.article, root, html, url, look, today)


def look_of(title: str, text: str) -> str:
    """Return an MD5 of the visible text of a page, with all numbers treated as equal."""
    return content_md5(_DIGITS.sub("0", title), _DIGITS.sub("0", text))


def _read(
    rules: FieldRules, root: _Element, html: str, url: str, look: str, today: date
) -> PageParts:
    named = {"title": rules.title, "author": rules.author, "description": rules.description}
    guessed = PageParts(title="")
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
    return PageParts(
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


# Links of an article to files, which it has as attachments or shows in a frame.


_READ = frozenset({"PDF", "Word", "Excel", "CSV"})
_LINKS = ("a", "iframe", "embed", "object")


def attached_files(
    page: _Element, url: str, profile: SiteProfile, encoding: str
) -> list[list[str]]:
    """Return URL and name of each file that the body of an article links to or shows, in their order.

    The body is what ``article.body`` selects, without that rule the smallest element with the main text.
    """
    rule = profile.article.body
    if rule:
        bodies = [node for node in rule.select(page) if isinstance(node, _Element)]
    else:
        html = etree.tostring(page, encoding="unicode", method="html")
        holder = smallest_holder(page, main_text(html, url))
        bodies = [] if holder is None else [holder]
    base = base_url(page, url)
    found: dict[str, str] = {}
    for body in bodies:
        for node in body.iter(*_LINKS):
            for address, name in _files(node):
                if link := absolute_url(base, address, encoding):
                    found.setdefault(link, name or unquote(urlsplit(link).path.rpartition("/")[2]))
    return [[link, name] for link, name in found.items() if link != url]


def _files(node: _Element) -> Iterator[tuple[str, str]]:
    address = node.get("href") or node.get("src") or node.get("data") or ""
    try:
        parts = urlsplit(address)
        # A viewer has the address of the file among its parameters.
        shown = [value for _, value in parse_qsl(parts.query) if kind_of_address(value) in _READ]
    except ValueError:
        return
    if node.tag != "a":
        target = address if kind_of_address(parts.path) in _READ else (shown or [""])[0]
        if target:
            yield target, ""
        return
    name = " ".join(text_under(node).split())
    if kind_of_address(f"{parts.path} ") in _READ or kind_of_address(f"{name} ") in _READ or shown:
        yield address, name or node.get("title") or ""
