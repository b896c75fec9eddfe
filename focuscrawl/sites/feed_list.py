"""Lists that are feeds (RSS, Atom, JSON Feed) or sitemaps.

Feedparser reads what libxml2 has made well-formed, so that its slow parser for anything else, and the
entities and external references of a document type, have no part in it. Scrapy's ``Sitemap`` leaves out
titles and dates of news, so sitemaps are read here.
"""

from __future__ import annotations

import re
import time
from calendar import timegm
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from html import escape
from html.entities import html5
from io import BytesIO
from typing import Any, NamedTuple

from lxml import etree
from lxml.html import fragment_fromstring

from focuscrawl.errors import ProfileError
from focuscrawl.sites.json_list import looks_like_json, parse_json, plain_text
from focuscrawl.sites.page_reading import (
    ArticlePage,
    ListEntry,
    ListPage,
    absolute_url,
    distinct_entries,
    list_entry,
)
from focuscrawl.sites.site_profile import FeedListRules
from focuscrawl.text.chinese_dates import CHINA, find_full_date
from focuscrawl.text.cut_titles import is_cut
from focuscrawl.text.visible_lines import block_text, lacks_text

MOST_ENTRIES = 10_000
"""Entries of a feed that are read; feedparser takes 3 s for as many."""
LONG_FEED = 100_000
"""Bytes of a feed from which on reading it may block a crawl for more than a second."""
_FEEDS = {"rss": "an RSS feed", "rdf": "an RSS feed", "feed": "an Atom feed"}
_SITEMAPS = {"urlset": "a sitemap", "sitemapindex": "an index of sitemaps"}
_ROOT = re.compile(r"<((?:[\w.-]+:)?(rss|rdf|feed|urlset|sitemapindex))(?=[\s>/])", re.IGNORECASE)
_LONGEST_PROLOG = 65_536
_HTML = re.compile(r"<(?:html|head|body|div|ul|table|p|h\d)\b", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_AMPERSAND = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)(\w{1,31};)?",
    re.ASCII | re.DOTALL,
)
_UNDEFINED = re.compile(r"Namespace prefix ([\w.-]+)")
_NAMESPACES = {
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "atom": "http://www.w3.org/2005/Atom",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
_ZONE = re.compile(r"(?:Z|UTC?|GMT|[ECMP][SD]T|[+-]\d\d:?\d\d)\W*$", re.IGNORECASE)
_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_JSON_FEED = "jsonfeed.org/version"
# Entries that were all changed within so many seconds have the time at which the feed was made.
_ONE_MOMENT, _LEAST_STAMPS = 60, 3
_GOES_ON = re.compile(
    r"(?:(?:阅读|閱讀|查看|浏览|继续阅读)(?:全文|原文|更多|余下)?|全文阅读|read more|continue reading|\[(?:…|\.{3})\])"
    r"[^\w\n]*$",
    re.IGNORECASE,
)


class Sitemap(NamedTuple):
    """A sitemap of an index, and the day on which it was changed last, if the index says that."""

    url: str
    changed: date | None


@dataclass(frozen=True, slots=True)
class FeedPage(ListPage):
    """The entries of a feed or sitemap, or the ``sitemaps`` of an index.

    ``kind`` is its kind in words. ``cut`` says why entries at the end are missing, ``note`` what else is
    wrong. ``other`` is the number of links that are no articles by ``list.feed``; ``has_dates`` is false
    where the date of an entry is that of its last change.
    """

    kind: str = ""
    sitemaps: tuple[Sitemap, ...] = ()
    cut: str = ""
    note: str = ""
    other: int = 0
    has_dates: bool = True


class _Item(NamedTuple):
    link: str
    title: str
    published: date | None
    changed: date | None = None
    stamp: str = ""
    content: str = ""


def feed_kind(text: str) -> str:
    """Return the kind of feed or sitemap that a text is, in words; ``""`` for anything else."""
    if looks_like_json(text):
        return "a JSON Feed" if _JSON_FEED in text[:_LONGEST_PROLOG] else ""
    root = _ROOT.search(text, 0, _LONGEST_PROLOG)
    if root is None or _HTML.search(text, 0, root.start()):
        return ""
    return (_FEEDS | _SITEMAPS)[root[2].lower()]


def read_feed(
    text: str, url: str, rules: FeedListRules, today: date, ignored: Collection[str] = ()
) -> FeedPage:
    """Read a feed, a sitemap or an index of sitemaps.

    ``ignored`` are parameters of links that change from run to run. Raises :class:`ProfileError` for
    anything else, and for a feed without a single link.
    """
    kind = feed_kind(text)
    if not kind:
        what = "JSON, but no JSON Feed" if looks_like_json(text) else "no feed, but a page"
        raise ProfileError(
            f"{url} is {what if text.strip() else 'empty, not a feed'}; correct the address, or run "
            f"`scrapy newsite {url}`"
        )
    page = FeedPage([], "", kind=kind)
    if looks_like_json(text):
        items, has_dates = list(_json_items(text, url, today)), True
    else:
        root, page = _well_formed(text, page)
        if kind == _SITEMAPS["sitemapindex"]:
            return replace(page, sitemaps=tuple(_sitemaps(root, url, today)))
        if kind == _SITEMAPS["urlset"]:
            items, has_dates = list(_sitemap_items(root, url, today)), True
        else:
            items, has_dates = _feed_items(root, url, today)
    entries = _entries(items, ignored)
    chosen = [entry for entry in entries if re.search(rules.feed, entry.url)]
    unlinked = sum(bool(one.title) and not one.link for one in items)
    if items and not entries:
        raise ProfileError(f"{url} is {kind}, but none of its entries has a link; give another URL")
    other = len(entries) - len(chosen)
    return replace(page, entries=chosen, unlinked=unlinked, other=other, has_dates=has_dates)


def _entries(items: Sequence[_Item], ignored: Collection[str]) -> list[ListEntry]:
    linked = [one for one in items if one.link]
    is_moment = len(linked) >= _LEAST_STAMPS and _is_one_moment({one.stamp for one in linked})
    entries = []
    for one in linked:
        link, title, day = one.link, one.title, one.published
        entry = list_entry(link, title, day, one.stamp, ignored, str(day or ""))
        # A template may have the same time for ever.
        changed = None if is_moment else one.changed
        entries.append(
            replace(entry, changed=changed, content=one.content, proves_nothing=is_moment)
        )
    return distinct_entries(entries)


def _is_one_moment(stamps: Collection[str]) -> bool:
    """Return whether all stamps are the same time but for a minute: that at which the feed was made."""
    try:
        moments = [datetime.fromisoformat(stamp).timestamp() for stamp in stamps]
    except ValueError:
        return len(stamps) == 1
    return bool(moments) and max(moments) - min(moments) <= _ONE_MOMENT


# XML that is not well-formed, but nearly.


def _well_formed(text: str, page: FeedPage) -> tuple[etree._Element, FeedPage]:
    """Return the root of a feed of XML as far as it can be read, and ``page`` with what is wrong."""
    start = _ROOT.search(text)
    assert start
    # Without the document type: its entities are not expanded.
    body = _AMPERSAND.sub(_escaped, _CONTROLS.sub("", text[start.start() :]))
    root, log = _parsed(body)
    names = dict.fromkeys(name for error in log for name in _UNDEFINED.findall(error))
    if names:
        given = (f'xmlns:{name}="{_NAMESPACES.get(name, f"urn:{name}")}"' for name in names)
        root, log = _parsed(f"<{start[1]} {' '.join(given)} {body[len(start[0]) :]}")
    is_cut = f"</{start[1]}" not in body and bool(len(root) or not body.rstrip().endswith("/>"))
    nodes = list(root.iter("{*}item", "{*}entry", "{*}url", "{*}sitemap"))
    if is_cut and nodes:
        name = etree.QName(nodes[-1]).localname
        if body.rfind(f"<{name}") > body.rfind(f"</{name}"):
            _remove(nodes.pop())
    cut = f"{page.kind} that is cut off after {len(nodes)} entries" if is_cut else ""
    if page.kind in _FEEDS.values() and len(nodes) > MOST_ENTRIES:
        for node in nodes[MOST_ENTRIES:]:
            _remove(node)
        cut = f"{page.kind} of {len(nodes)} entries, of which the first {MOST_ENTRIES} are read"
    note = "" if cut or not log else f"{page.kind} that is not well-formed ({log[0]})"
    return root, replace(page, cut=cut, note=note)


def _parsed(body: str) -> tuple[etree._Element, list[str]]:
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(body.encode("utf-8", "replace"), parser)
    # Entries without an end tag that libxml2 could not read.
    errors = [] if root is not None else ["no element"]
    found = root if root is not None else etree.Element("empty")
    log = (one for one in parser.error_log if one.level_name != "WARNING")
    return found, errors + [f"line {one.line}: {one.message}" for one in log]


def _escaped(found: re.Match[str]) -> str:
    """Return an entity of HTML as its character, any other ampersand escaped, and CDATA as it is."""
    if found[0].startswith("<"):
        return found[0]
    character = html5.get(found[1] or "")
    return escape(character) if character else f"&amp;{found[1] or ''}"


def _remove(node: etree._Element) -> None:
    parent = node.getparent()
    if parent is not None:
        parent.remove(node)


def _name(node: etree._Element) -> str:
    return str(node.tag).rpartition("}")[2].lower()


# Sitemaps.


def _sitemaps(root: etree._Element, url: str, today: date) -> Iterator[Sitemap]:
    for node in root.iter("{*}sitemap"):
        values = _values(node)
        if link := absolute_url(url, values.get("loc", "")):
            yield Sitemap(link, find_full_date(values.get("lastmod", ""), today))


def _sitemap_items(root: etree._Element, url: str, today: date) -> Iterator[_Item]:
    for node in root.iter("{*}url"):
        values = _values(node)
        link = absolute_url(url, values["loc"]) if values.get("loc") else ""
        published = values.get("publication_date") or values.get("pubtime", "")
        stamp, title = values.get("lastmod", ""), " ".join(values.get("title", "").split())
        changed = find_full_date(stamp, today)
        day = find_full_date(published, today) if published else None
        yield _Item(link, title, day, changed, stamp)


def _values(node: etree._Element) -> dict[str, str]:
    """Return the texts under an element by name; pictures and videos have titles of their own."""
    found: dict[str, str] = {}
    # Those of Google's news sitemaps and of Baidu's.
    holders = (node, *node.iter("{*}news"), *node.iter("{*}display"))
    for child in (child for holder in holders for child in holder):
        found.setdefault(_name(child), (child.text or "").strip())
    return found


# RSS, Atom and JSON Feed.


def _feed_items(root: etree._Element, url: str, today: date) -> tuple[list[_Item], bool]:
    """Return the entries of a feed, and whether these have dates of publication, if any."""
    # Takes 0.1 s, and most crawls read no feed.
    import feedparser

    summaries = []
    for node in root.iter("{*}item", "{*}entry"):
        found = [one for one in node if _name(one) in ("description", "summary")]
        summaries.append("".join(str(text) for one in found[:1] for text in one.itertext()))
        # Feedparser takes a second summary for the text, and the text for a summary.
        for extra in found[1:]:
            _remove(extra)
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    # Sanitised HTML would be HTML for a page; here it becomes text.
    parsed = feedparser.parse(
        BytesIO(etree.tostring(root, encoding="utf-8")),
        response_headers=headers,
        resolve_relative_uris=False,
        sanitize_html=False,
    )
    summaries += [""] * len(parsed.entries)
    items = [
        _feed_item(entry, summary, url, today)
        for entry, summary in zip(parsed.entries, summaries, strict=False)
    ]
    has_dates = any("published" in entry for entry in parsed.entries)
    return items, has_dates or not any(one.published for one in items)


def _feed_item(entry: Any, summary: str, url: str, today: date) -> _Item:
    # A feedparser dictionary gives the date of publication for a missing last change, and warns.
    get: Callable[[str], Any] = lambda name: dict.get(entry, name)  # noqa: E731
    named = get("feedburner_origlink") or get("link") or _as_link(get("id"))
    stamp = get("updated") or ""
    day = _day(get("published") or "", get("published_parsed"), today)
    day = day or _day(stamp, get("updated_parsed"), today)
    texts = get("content") or [{}]
    content, is_plain = texts[0].get("value") or "", texts[0].get("type") == "text/plain"
    content = f"<pre>{escape(content)}</pre>" if is_plain and content else content
    is_longer = len(plain_text(content)) > len(plain_text(summary))
    link, title = absolute_url(url, named) if named else "", plain_text(get("title") or "")
    return _Item(link, title, day, None, stamp, content if is_longer else "")


def _as_link(identifier: str | None) -> str:
    """Return an identifier if it is a URL, as some are although they do not say so."""
    return identifier if identifier and identifier.startswith(("http://", "https://")) else ""


def _day(text: str, moment: time.struct_time | None, today: date) -> date | None:
    """Return the day in China of a moment; where it has no time zone, the day that is written."""
    # Feedparser takes some Chinese dates for other ones.
    if moment is None or not _MONTH.search(text):
        return find_full_date(text, today)
    if not _ZONE.search(text):
        return date(*moment[:3])
    return datetime.fromtimestamp(timegm(moment), CHINA).date()


def _json_items(text: str, url: str, today: date) -> Iterator[_Item]:
    try:
        data = parse_json(text, url)
    except ProfileError:
        raise ProfileError(f"{url} is a JSON Feed that is cut off or broken; run again") from None
    items = data.get("items") if isinstance(data, dict) else None
    if not isinstance(items, list):
        raise ProfileError(f"{url} is a JSON Feed without items; give another URL")
    for one in items:
        if not isinstance(one, dict):
            continue
        given = {key: value for key, value in one.items() if isinstance(value, str)}
        named = given.get("url") or _as_link(given.get("id"))
        link = absolute_url(url, named) if named else ""
        day = find_full_date(given.get("date_published", ""), today)
        plain = given.get("content_text", "")
        content = given.get("content_html") or (f"<pre>{escape(plain)}</pre>" if plain else "")
        is_longer = len(plain_text(content)) > len(given.get("summary", ""))
        title, stamp = " ".join(given.get("title", "").split()), given.get("date_modified", "")
        yield _Item(link, title, day, None, stamp, content if is_longer else "")


def feed_article(entry: ListEntry) -> ArticlePage | None:
    """Return the article of which a feed has the text; None if it has none, or only the beginning."""
    if not entry.content:
        return None
    text = block_text(fragment_fromstring(entry.content, create_parent="div"))
    if lacks_text(text) or is_cut(text) or _GOES_ON.search(text):
        return None
    return ArticlePage(entry.title, text, entry.published, "")
