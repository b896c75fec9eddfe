"""The links of a page with what stands around them, from one parse.

The context of a link is that of Han Guohui et al. (2010): the text within a window before and after
it; on a side where other links stand in the window, the anchor of the nearest of them.
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

from focuscrawl.pages.canonical_urls import canonical_url, resolve
from focuscrawl.pages.link import Link, ParsedPage, Position
from focuscrawl.pages.page_outline import LONGEST_TEXT, Anchors, Outline, read_outline

# Characters on each side: a Chinese sentence of 20 to 40 characters, or 8 English words, fits whole;
# much more and the context of a link in a list is the text of its neighbours' neighbours.
WINDOW = 50

_RANK = {Position.BODY: 0, Position.NAVIGATION: 1, Position.FOOTER: 2}
_CUT_WORD_FIRST = re.compile(r"^[A-Za-z0-9]+(?=[^A-Za-z0-9])")
_CUT_WORD_LAST = re.compile(r"(?<=[^A-Za-z0-9])[A-Za-z0-9]+$")
# Anchors without end hold each other: looked through to the end, they take a broken page minutes.
_NODES_OF_LINK = 50
_PICTURE = create_tag("img").tag_id
# A hundred times a page: the constructor with names takes three times as long.
_new = tuple.__new__


def parse_page(
    html: bytes | str,
    url: str,
    *,
    window: int = WINDOW,
    charset: str = "utf-8",
) -> ParsedPage:
    """Return title, visible text and distinct links of a page, in its order; never raises.

    ``html`` as bytes is read as UTF-8; decode other charsets before. ``charset`` is that of the
    page: browsers write what is not ASCII in a link's query with it. ``window`` counts characters
    on each side.

    Links have canonical http(s) URLs (:func:`focuscrawl.pages.canonical_urls.canonical_url`); broken
    references, references within the page, other schemes and files are left out. The anchor is
    the text of the link, else ``alt`` or ``title`` of its picture, else its own ``title``. A URL
    linked more than once is one link: texts that differ are joined, up to ``LONGEST_TEXT``
    characters, its heading and title are the first there are, and its position is the one nearest
    to the body.
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
    return ParsedPage(outline.title, outline.text, links, outline.unread)


def _base(url: str, href: str) -> str:
    """Return the URL that references begin from, ``""`` where only full URLs mean anything."""
    with suppress(ValueError):
        return canonical_url(urljoin(url, href))
    with suppress(ValueError):
        return canonical_url(url)
    return ""


def _urls(attributes: list[dict[str, str | None]], base: str, charset: str) -> list[str | None]:
    """Resolve the references of all anchors; None: no page to go to."""
    # Apart from relative ones, references mean the same on all pages of a host: the cache knows.
    root = "/".join(base.split("/", 3)[:3]) + "/"
    same_on_host = ("/", "http://", "https://")
    return [
        # Half of all references lead to a place on the page itself.
        None
        if href[:1] == "#"
        else resolve(root if href.startswith(same_on_host) else base, href, charset)
        for own in attributes
        if (href := own["href"]) is not None
    ]


def _other_name(anchor: LexborNode, own: dict[str, str | None]) -> str:
    """Return the name of a link without text, ``own`` being its attributes."""
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
    """Return what stands before each link by the paper's rule, and what after it."""
    text, (_, _, _, starts, ends, _) = outline.text, outline.anchors
    links = zip(urls, names, starts, ends, strict=True)
    befores = _on_one_side(links, window, lambda at: _text_before(text, at, window))
    # The other side is the same in a mirror.
    mirrored = [map(neg, reversed(side)) for side in (ends, starts)]
    links = zip(reversed(urls), reversed(names), *mirrored, strict=True)
    afters = _on_one_side(links, window, lambda at: _text_after(text, -at, window))
    return befores, afters[::-1]


def _on_one_side(
    links: Iterable[tuple[str | None, str, int, int]], window: int, nearby: Callable[[int], str]
) -> list[str]:
    """Return for each link the name of the last link before it, or the text if that is too far.

    ``links``: URL, name, begin and end of each. Other links only: a picture, a title and a "read
    more" that lead to one page are one link to a reader; and only those with a name.
    """
    contexts = []
    # The last link with a name, and the last of them that leads elsewhere.
    last_url: str | None = None
    last = other = ""
    last_end = other_end = -sys.maxsize
    for url, name, start, end in links:
        if url is None:
            # Nobody asks for the context of what is no link to a page.
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
    """Tell whether a Latin word or number goes on from before ``at`` to after it."""
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
    """Join texts that differ, as many as fit."""
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
