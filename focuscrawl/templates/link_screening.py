"""Screening of the links of a page by the keywords of a layer, "next page" and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from focuscrawl.pages.canonical_urls import resolve
from focuscrawl.pages.link import Link, Position, ScoredLink
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.templates.keywords import keyword_pattern
from focuscrawl.templates.template_model import Screening
from focuscrawl.text.page_depth import parse
from focuscrawl.text.seen_text import as_seen

# location.href='…', window.open("…"), go('…'): the first quoted word that looks like a URL.
_SCRIPTED = re.compile(
    r"""(?:location(?:\.href)?\s*=|\b\w++\s*+\()\s*["']([^"'\s]{1,2000})["']""", re.IGNORECASE
)
_LOOKS_LIKE_ADDRESS = re.compile(r"[/?]|\.(?:html?|aspx?|php|jsp|shtml)\b", re.IGNORECASE)
_MOST_SCRIPTED = 200
# A script that redirects without a click.
_REDIRECT = re.compile(
    r"""location(?:\.href)?\s*(?:=|\.(?:replace|assign)\s*\()\s*["']([^"'\s]{1,2000})["']""",
    re.IGNORECASE,
)
_MOST_SHOWN = 5
_SESSION = re.compile(
    r";jsessionid=[^?/;]*|/\(S\([a-z0-9]{24}\)\)"
    r"|(?<=[?&])(?:jsessionid|phpsessid|aspsessionid\w*|sess(?:ion)?_?id|cfid|cftoken)=[^&]*&?",
    re.IGNORECASE,
)
# «下一页 >», [下页]: characters around the words of a link to the next page.
_AROUND = r"[\s\W_]*"
# Menus have short entries, headlines and sentences are longer.
_LONGEST_ENTRY = 12
_MOST_ABOUT = 3
_HOME = re.compile(r"^/?(?:(?:index|default|home|main)\.\w{2,5})?$", re.IGNORECASE)


class Lead(NamedTuple):
    """A link worth following: ``layer`` is that of its target, 0 for a detour."""

    url: str
    layer: int
    score: float


class Screen:
    """The compiled screening keywords of a template; layers count from 1."""

    def __init__(self, screening: Screening) -> None:
        self._screening = screening
        self._layers = [keyword_pattern(synonyms) for synonyms in screening.layers]
        self._detours = keyword_pattern(screening.detours)
        self._about = keyword_pattern(screening.about)
        self._fallbacks = [keyword_pattern([word]) for word in screening.fallbacks]
        self._unlikely = keyword_pattern(screening.unlikely)
        self._next = re.compile(
            rf"{_AROUND}(?:{keyword_pattern(screening.next_page).pattern}){_AROUND}", re.IGNORECASE
        )

    @property
    def last_layer(self) -> int:
        """The layer whose pages are read for records."""
        return len(self._layers)

    @cached_property
    def keywords(self) -> list[re.Pattern[str]]:
        """A pattern for each keyword of all layers, in their order."""
        return [keyword_pattern([word]) for layer in self._screening.layers for word in layer]

    def leads(self, links: Sequence[ScoredLink], layer: int) -> list[Lead]:
        """Return the links of a page of ``layer`` to a deeper layer, the best first.

        Links to the next layer; without any, those to the one after it, and so on.
        """
        for deeper in range(layer + 1, self.last_layer + 1):
            found = [
                Lead(entry.link.url, deeper, entry.score)
                for entry in links
                if self._is_of(entry.link, deeper)
            ]
            if found:
                return sorted(found, key=lambda lead: -lead.score)[: self._screening.most]
        return []

    def detours(self, links: Sequence[ScoredLink]) -> list[Lead]:
        """Return the links to pages that may link to the first layer, the best first."""
        found = [entry for entry in links if self._detours.search(entry.link.anchor)]
        # An anchor that is just the keyword is surer than a headline that contains it.
        found.sort(key=lambda entry: len(entry.link.anchor))
        return [Lead(entry.link.url, 0, entry.score) for entry in found[: self._screening.most]]

    def about(self, links: Sequence[ScoredLink]) -> list[str]:
        """Return the URLs of the pages about the site, at most three: detours first, then by short anchors."""
        entries = [entry.link for entry in links if _is_entry(entry.link.anchor)]
        entries.sort(key=lambda link: len(link.anchor))
        found = [
            link.url
            for pattern in (self._detours, self._about)
            for link in entries
            if pattern.search(link.anchor)
        ]
        return list(dict.fromkeys(found))[:_MOST_ABOUT]

    def fallbacks(self, links: Sequence[ScoredLink], *, named: bool) -> list[Lead]:
        """Return the entries of menus, in the order of the keywords that name them; ``named``: no others."""
        found = [
            entry.link
            for entry in links
            if _is_entry(entry.link.anchor) and not _HOME.search(urlsplit(entry.link.url).path)
        ]
        keys = {link: self._rank(link) for link in found}
        return [
            Lead(link.url, self.last_layer, 0)
            for link in sorted(found, key=keys.__getitem__)
            if not named or keys[link][0] < len(self._fallbacks)
        ]

    def _rank(self, link: Link) -> tuple[int, bool, bool, bool]:
        named = (at for at, word in enumerate(self._fallbacks) if word.search(link.anchor))
        first = next(named, len(self._fallbacks))
        is_unlikely = bool(self._unlikely.search(link.anchor))
        return first, not link.anchor, is_unlikely, link.position is not Position.NAVIGATION

    def next_pages(self, links: Sequence[ScoredLink], text: str, layer: int) -> list[Lead]:
        """Return the link to the next page, if the page contains a keyword of the layer."""
        pattern = self._layers[min(max(layer, 1), self.last_layer) - 1]
        if not pattern.search(text):
            return []
        return [
            Lead(entry.link.url, layer, entry.score)
            for entry in links
            if self._next.fullmatch(entry.link.anchor)
        ][:1]

    def _is_of(self, link: Link, layer: int) -> bool:
        if self._layers[layer - 1].search(link.anchor):
            return True
        has_no_text = not link.anchor and layer == self.last_layer
        return has_no_text and not self._addresses.isdisjoint(_words_of_path(link.url))

    @cached_property
    def _addresses(self) -> frozenset[str]:
        return frozenset(word.casefold() for word in self._screening.addresses)


def scripted_links(html: str, url: str, charset: str = "utf-8") -> Iterator[Link]:
    """Yield the links of a page that a script follows: ``javascript:`` and ``onclick``."""
    if "javascript:" not in html.lower() and "onclick" not in html.lower():
        return
    tree = parse(html)
    base = _base(tree, url, charset)
    for node in tree.css('[href^="javascript:" i], [onclick]')[:_MOST_SCRIPTED]:
        for target in _targets(node):
            if resolved := resolve(base, target, charset):
                yield Link(resolved, " ".join(as_seen(node.text()).split()))


def shown_pages(html: str, url: str, charset: str = "utf-8") -> list[str]:
    """Return the URLs of the frames of a page; of a page without links, the target of its script."""
    small = html.lower()
    if "frame" not in small and ("<a" in small or "location" not in small):
        return []
    tree = parse(html)
    base = _base(tree, url, charset)
    targets = [node.attributes["src"] or "" for node in tree.css("frame[src], iframe[src]")]
    if not targets and not tree.css_matches("a[href]"):
        scripts = (_REDIRECT.search(node.text()) for node in tree.css("script"))
        targets = [found[1] for found in scripts if found]
    urls = (resolve(base, target, charset) for target in targets)
    return list(dict.fromkeys(found for found in urls if found))[:_MOST_SHOWN]


def _base(tree: LexborHTMLParser, url: str, charset: str) -> str:
    node = tree.css_first("base[href]")
    return (node and resolve(url, node.attributes["href"] or "", charset)) or url


def _targets(node: LexborNode) -> Iterator[str]:
    for name in ("href", "onclick"):
        script = node.attributes.get(name) or ""
        if name == "href" and not script.lower().startswith("javascript:"):
            continue
        for match in _SCRIPTED.finditer(script):
            if _LOOKS_LIKE_ADDRESS.search(match[1]):
                yield match[1]


def is_within(url: str, site: str) -> bool:
    """Return whether a URL is on the host ``site``, with or without www., or on a subdomain."""
    host = host_of(url)
    return host == site or host.endswith(f".{site}") or site.endswith(f".{host}")


def without_session(url: str) -> str:
    """Return a URL without the session id that some servers put into it, a new one each time."""
    return _SESSION.sub("", url).rstrip("?&") if _SESSION.search(url) else url


def _is_entry(anchor: str) -> bool:
    return len(anchor) <= _LONGEST_ENTRY * (2 if anchor.isascii() else 1)


def _words_of_path(url: str) -> list[str]:
    return re.findall(r"[a-z]+", urlsplit(url).path.casefold())
