"""Links of a page with their contexts, from one parse.

The context of a link is that of Han Guohui et al. (2010): the text within a window before and after
it; if a side of the window has other links, the anchor of the nearest of them instead.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from operator import neg
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode, create_tag

from focuscrawl.pages.canonical_urls import canonical_url, is_too_long, resolve
from focuscrawl.pages.link import Link, ParsedPage, Position
from focuscrawl.pages.page_outline import LONGEST_TEXT, Anchors, Outline, read_outline

# Characters on each side: enough for a Chinese sentence of 20 to 40 characters, or 8 English words;
# with much more, the context of a link in a list would include the neighbours of its neighbours.
WINDOW = 50

_RANK = {Position.BODY: 0, Position.NAVIGATION: 1, Position.FOOTER: 2}
_CUT_WORD_FIRST = re.compile(r"^[A-Za-z0-9]+(?=[^A-Za-z0-9])")
_CUT_WORD_LAST = re.compile(r"(?<=[^A-Za-z0-9])[A-Za-z0-9]+$")
# Unclosed anchors are nested in each other: visiting all their nodes takes minutes on a broken page.
_NODES_OF_LINK = 50
_PICTURE = create_tag("img").tag_id
# Called a hundred times per page, and three times as fast as the constructor with keyword arguments.
_new = tuple.__new__


def parse_page(
    html: bytes | str,
    url: str,
    *,
    window: int = WINDOW,
    charset: str = "utf-8",
) -> ParsedPage:
    """Return title, visible text and distinct links of a page, in page order; never raises.

    ``html`` as bytes is read as UTF-8; decode other charsets first. ``charset`` is that of the page:
    browsers encode non-ASCII characters in the query of a link with it. ``window`` is in characters
    on each side.

    Links have canonical http(s) URLs (:func:`focuscrawl.pages.canonical_urls.canonical_url`); invalid
    references, references within the page, other schemes and files are omitted. The anchor is
    the text of the link, else ``alt`` or ``title`` of its image, else its own ``title``. A URL
    linked more than once is one link: different texts are joined, up to ``LONGEST_TEXT`` characters,
    heading and title are the first non-empty ones, and its position is the one nearest to the body.
    """
    outline = read_outline(html)
    anchors = outline.anchors
    urls = _urls(anchors.attributes, _base(url, outline.base), charset)
    names = [
        name or _other_name(node, own)
        for name, node, own in zip(anchors.names, anchors.nodes, anchors.attributes, strict=True)
    ]
    befores, afters = _window_contexts(outline, urls, names, window)
    links = _distinct_links(anchors, urls, names, befores, afters)
    too_long = sum(is_too_long(own["href"] or "") for own in anchors.attributes)
    return ParsedPage(outline.title, outline.text, links, outline.unread, too_long)


def _base(url: str, href: str) -> str:
    """Return the base URL of references, ``""`` if only absolute URLs can be resolved."""
    with suppress(ValueError):
        return canonical_url(urljoin(url, href))
    with suppress(ValueError):
        return canonical_url(url)
    return ""


def _urls(attributes: list[dict[str, str | None]], base: str, charset: str) -> list[str | None]:
    """Resolve the references of all anchors; None for those that lead to no page."""
    # All but relative references mean the same on all pages of a host, so they share cache entries.
    root = "/".join(base.split("/", 3)[:3]) + "/"
    same_on_host = ("/", "http://", "https://")
    return [
        # A cheap check first: half of all references are fragments of the page itself.
        None
        if href[:1] == "#"
        else resolve(root if href.startswith(same_on_host) else base, href, charset)
        for own in attributes
        if (href := own["href"]) is not None
    ]


def _other_name(anchor: LexborNode, own: dict[str, str | None]) -> str:
    """Return the name of a link without text; ``own`` are its attributes."""
    if name := _trimmed(own.get("alt")):
        return name
    for node in islice(anchor.traverse(), _NODES_OF_LINK):
        if node.tag_id == _PICTURE:
            picture = node.attributes
            if name := _trimmed(picture.get("alt")) or _trimmed(picture.get("title")):
                return name
    return _trimmed(own.get("title"))


def _trimmed(text: str | None) -> str:
    return " ".join(text.split())[:LONGEST_TEXT].rstrip() if text else ""


def _window_contexts(
    outline: Outline, urls: list[str | None], names: list[str], window: int
) -> tuple[list[str], list[str]]:
    """Return the contexts before all links and after all links, by the rule of the paper."""
    text, (_, _, _, starts, ends, _) = outline.text, outline.anchors
    links = zip(urls, names, starts, ends, strict=True)
    befores = _on_one_side(links, window, lambda at: _text_before(text, at, window))
    # The other side works the same on reversed input.
    mirrored = [map(neg, reversed(side)) for side in (ends, starts)]
    links = zip(reversed(urls), reversed(names), *mirrored, strict=True)
    afters = _on_one_side(links, window, lambda at: _text_after(text, -at, window))
    return befores, afters[::-1]


def _on_one_side(
    links: Iterable[tuple[str | None, str, int, int]], window: int, nearby: Callable[[int], str]
) -> list[str]:
    """Return for each link the name of the last link before it, or the text if that is too far away.

    ``links`` are (URL, name, start, end). Only named links to other URLs count: to a reader, an
    image, a title and a "read more" that lead to the same page are one link.
    """
    contexts = []
    # The last named link, and the last named link to another URL than that one.
    last_url: str | None = None
    last = other = ""
    last_end = other_end = -sys.maxsize
    for url, name, start, end in links:
        if url is None:
            # The context of a link that leads to no page is not used.
            contexts.append("")
        elif url == last_url:
            contexts.append(other if start - other_end < window else nearby(start))
            if name:
                last, last_end = name, end
            continue
        else:
            contexts.append(last if start - last_end < window else nearby(start))
        if name:
            other, other_end = last, last_end
            last_url, last, last_end = url, name, end
    return contexts


def _text_before(text: str, end: int, window: int) -> str:
    start = max(0, end - window)
    piece = text[start:end]
    return (_CUT_WORD_FIRST.sub("", piece) if _is_cut(text, start) else piece).strip()


def _text_after(text: str, start: int, window: int) -> str:
    end = start + window
    piece = text[start:end]
    return (_CUT_WORD_LAST.sub("", piece) if _is_cut(text, end) else piece).strip()


def _is_cut(text: str, at: int) -> bool:
    """Return whether ``at`` is inside a Latin word or number."""
    pair = text[at - 1 : at + 1] if at else ""
    return len(pair) == 2 and pair.isascii() and pair.isalnum()


def _distinct_links(
    anchors: Anchors,
    urls: list[str | None],
    names: list[str],
    befores: list[str],
    afters: list[str],
) -> list[Link]:
    first: dict[str, Link] = {}
    again: dict[str, list[Link]] = {}
    for url, name, before, after, attributes, (position, heads, _) in zip(
        urls, names, befores, afters, anchors.attributes, anchors.states, strict=True
    ):
        if url is None:
            continue
        heading = heads.text if heads else ""
        title, rel = attributes.get("title"), attributes.get("rel")
        title = _trimmed(title) if title else ""
        rel = _trimmed(rel).lower() if rel else ""
        link = _new(Link, (url, name, before, after, title, heading, position, rel))
        known = first.setdefault(url, link)
        if known is not link:
            again.setdefault(url, [known]).append(link)
    for url, links in again.items():
        first[url] = _joined(links)
    return list(first.values())


def _joined(links: list[Link]) -> Link:
    urls, names, befores, afters, titles, headings, positions, rels = zip(*links, strict=True)
    return Link(
        urls[0],
        _distinct(names),
        _distinct(befores),
        _distinct(afters),
        titles[0] or next(filter(None, titles), ""),
        headings[0] or next(filter(None, headings), ""),
        positions[0] if _are_equal(positions) else min(positions, key=_RANK.__getitem__),
        _distinct(" ".join(rels).split()) if any(rels) else "",
    )


def _distinct(texts: Sequence[str]) -> str:
    """Join the distinct texts, as many as fit into ``LONGEST_TEXT`` characters."""
    if _are_equal(texts):
        return texts[0]
    joined, *others = dict.fromkeys(texts)
    for text in filter(None, others):
        if len(joined) + len(text) >= LONGEST_TEXT:
            break
        joined = f"{joined} {text}" if joined else text
    return joined


def _are_equal(values: Sequence[str]) -> bool:
    return values.count(values[0]) == len(values)
