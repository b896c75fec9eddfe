"""Draft of the rules for a feed or a sitemap; and whether a feed has what a list page has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlsplit

from lxml.etree import _Element

from focuscrawl.sites.feed_list import FeedPage, Sitemap, feed_article
from focuscrawl.sites.page_reading import ArticlePage, ListEntry, absolute_url, base_url
from focuscrawl.sites.site_profile import FeedListRules

_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_COMMENTS = re.compile(r"comment|评论|評論", re.IGNORECASE)
_ARTICLES = re.compile(r"post|news|article|archive", re.IGNORECASE)
_OTHERS = re.compile(r"\bcat|tag|page|author|image|video|column|channel", re.IGNORECASE)
_MOST_FEEDS = 3
# Of the links of a sitemap of articles; and of the characters of a text that is whole.
_MOSTLY, _NEARLY_ALL, _WHOLE = 0.5, 0.9, 0.9


@dataclass(frozen=True, slots=True)
class FeedDraft:
    """Rules for a feed or sitemap, and sentences about what is uncertain.

    ``pages`` is 1, or None for one of several sitemaps.
    """

    rules: FeedListRules
    doubts: list[str] = field(default_factory=list)
    pages: int | None = 1


def draft_feed(page: FeedPage, url: str) -> FeedDraft:
    """Return rules for a feed or sitemap that was read without any."""
    doubts = [f"{url} is {sentence}" for sentence in (page.cut, page.note) if sentence]
    if not (page.entries or page.sitemaps):
        return FeedDraft(FeedListRules(feed=""), [*doubts, "the feed is empty now"])
    if page.kind == "a sitemap" and not any(entry.title for entry in page.entries):
        pattern, doubt = _article_links([entry.url for entry in page.entries])
        doubts += [doubt] if doubt else []
        doubts.append("a sitemap has neither titles nor dates of its articles; their pages have")
        return FeedDraft(FeedListRules(feed=pattern), doubts)
    if page.entries and not any(entry.published for entry in page.entries):
        doubts.append("the entries show no date")
    elif not page.has_dates:
        doubts.append("the entries have no date of publication; that of the last change is taken")
    if page.entries and page.kind != "a sitemap":
        doubts.append(f"older articles are not in {page.kind}: {reach(page.entries)}")
    return FeedDraft(FeedListRules(feed=""), doubts)


def reach(entries: Sequence[ListEntry]) -> str:
    """Return in words how many entries there are, and how far they go back."""
    days = [entry.published for entry in entries if entry.published]
    return f"{len(entries)} entries" + (f" back to {min(days)}" if days else " without dates")


def _article_links(urls: Sequence[str]) -> tuple[str, str]:
    """Return an expression for the largest group of links, ``""`` if it is all, and a doubt about it."""
    shapes = {url: _shape(url) for url in urls}
    (depth, has_number), count = Counter(shapes.values()).most_common(1)[0]
    chosen = [url for url in urls if shapes[url] == (depth, has_number)]
    folders = Counter(urlsplit(url).path.split("/")[1] for url in chosen)
    folder, inside = folders.most_common(1)[0]
    others = next((url for url in urls if shapes[url] != (depth, has_number)), "")
    if not others:
        return "", ""
    if count < _MOSTLY * len(urls):
        example = f"such as {chosen[0]} and {others}"
        return "", f"the links are of several kinds, {example}; write list: {{feed: EXPRESSION}}"
    first = re.escape(folder) if depth > 1 and inside > _NEARLY_ALL * count else "[^/]+"
    between = "/[^/]+" * (depth - 2)
    last = r"/[^/]*\d[^/]*/?$" if has_number else "/[^/]+/?$"
    pattern = f"//[^/]+/{first}{between}{last}" if depth > 1 else f"//[^/]+{last}"
    return (
        pattern,
        f"list.feed leaves out {len(urls) - count} links of other kinds, such as {others}",
    )


def _shape(url: str) -> tuple[int, bool]:
    *_, last = parts = urlsplit(url).path.strip("/").split("/")
    return len(parts), any(map(str.isdecimal, last))


def likeliest_sitemap(sitemaps: Iterable[Sitemap]) -> Sitemap:
    """Return the sitemap of an index that has articles by its name, or else no others; of several the newest."""

    def likelihood(one: Sitemap) -> tuple[bool, bool, date]:
        name = urlsplit(one.url).path
        return bool(_ARTICLES.search(name)), not _OTHERS.search(name), one.changed or date.min

    return max(sitemaps, key=likelihood)


def linked_feeds(page: _Element, url: str) -> list[str]:
    """Return the URLs of the first feeds that a page links to in its head, without those of comments."""
    base, found = base_url(page, url), []
    for link in page.iter("link"):
        kind = (link.get("type") or "").partition(";")[0].strip().lower()
        named = f"{link.get('href')} {link.get('title')}"
        is_feed = "alternate" in (link.get("rel") or "").lower().split() and kind in _TYPES
        if is_feed and not _COMMENTS.search(named):
            found.append(absolute_url(base, link.get("href") or ""))
    return list(dict.fromkeys(filter(None, found)))[:_MOST_FEEDS]


def compare_feed(
    feed: FeedPage, feed_url: str, entries: Sequence[ListEntry], pages: int | None
) -> tuple[FeedDraft | None, str]:
    """Return the draft of a feed that has all that a list has, else None; and how far both go back.

    ``entries`` are those of the first of so many ``pages`` of the list.
    """
    named = {_place(entry.url): entry for entry in feed.entries}
    shared = [named[place] for entry in entries if (place := _place(entry.url)) in named]
    dated = sum(bool(entry.published) for entry in entries)
    covers = len(shared) == len(entries) and sum(bool(one.published) for one in shared) >= dated
    goes_back = pages is not None and len(feed.entries) >= pages * len(entries)
    further = (
        ""
        if pages == 1
        else f" and {'an unknown number of' if pages is None else pages - 1} further pages"
    )
    said = f"the feed {feed_url} has {reach(feed.entries)}, the list {reach(entries)}{further}"
    if not (covers and goes_back):
        lacks = len(entries) - len(shared)
        said += f", of which the feed lacks {lacks}" if lacks else ""
        return None, f"{said}; for what comes from now on: scrapy newsite {feed_url}"
    return draft_feed(feed, feed_url), said


def _place(url: str) -> str:
    return url.partition("://")[2].rstrip("/")


def has_whole_texts(read: Sequence[tuple[ListEntry, ArticlePage]]) -> bool:
    """Return whether a feed has the texts that the pages of its entries have, of all sample articles."""
    return bool(read) and all(_is_whole(entry, page) for entry, page in read)


def _is_whole(entry: ListEntry, page: ArticlePage) -> bool:
    article = feed_article(entry)
    if article is None or page.next_url:
        return False
    given = "".join(article.text.split())
    lines = ["".join(line.split()) for line in page.text.split("\n")]
    there = sum(len(line) for line in lines if line in given)
    return there >= _WHOLE * sum(map(len, lines))
