"""The links of a page with what stands around them, from one parse.

The context of a link is that of Han Guohui et al. (2010): the text within a window before and after
it; on a side where other links stand in the window, the anchor of the nearest of them.
:class:`Contexts` also has the tag tree of Pant and Srinivasan (:mod:`focuscrawl.links.tagtree`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import islice
from urllib.parse import urljoin

from focuscrawl.links.link import Link, ParsedPage, Position
from focuscrawl.links.page_outline import LONGEST_TEXT, Anchor, Outline, read_outline
from focuscrawl.links.tagtree import tree_contexts
from focuscrawl.links.urls import canonical_url, resolve

# Characters on each side: a Chinese sentence of 20 to 40 characters, or 8 English words, fits whole;
# much more and the context of a link in a list is the text of its neighbours' neighbours.
WINDOW = 50

_RANK = {Position.BODY: 0, Position.NAVIGATION: 1, Position.FOOTER: 2}
_CUT_WORD_FIRST = re.compile(r"^[A-Za-z0-9]+(?=[^A-Za-z0-9])")
_CUT_WORD_LAST = re.compile(r"(?<=[^A-Za-z0-9])[A-Za-z0-9]+$")
# Anchors without end hold each other: looked through to the end, they take a broken page minutes.
_NODES_OF_LINK = 50
# A hundred times a page: the constructor with names takes three times as long.
_new = tuple.__new__


class Contexts(StrEnum):
    """What counts as the context of a link."""

    WINDOW = "window"
    TAG_TREE = "tag-tree"


def parse_page(
    html: bytes | str,
    url: str,
    *,
    contexts: Contexts = Contexts.WINDOW,
    window: int = WINDOW,
    charset: str = "utf-8",
) -> ParsedPage:
    """Return title, visible text and distinct links of a page, in its order; never raises.

    ``html`` as bytes is read as UTF-8; decode other charsets before. ``charset`` is that of the
    page: browsers write what is not ASCII in a link's query with it. ``window`` counts characters
    on each side; with the tag tree, twice that is the least text of an aggregation node.

    Links have canonical http(s) URLs (:func:`focuscrawl.links.urls.canonical_url`); broken
    references, references within the page, other schemes and files are left out. The anchor is
    the text of the link, else ``alt`` or ``title`` of its picture, else its own ``title``. A URL
    linked more than once is one link: texts that differ are joined, up to ``LONGEST_TEXT``
    characters, its heading and title are the first there are, and its position is the one nearest
    to the body.
    """
    in_tree = contexts is Contexts.TAG_TREE
    outline = read_outline(html, every_element=in_tree)
    urls = _urls(outline.anchors, _base(url, outline.base), charset)
    names = [anchor.text or _other_name(anchor) for anchor in outline.anchors]
    if in_tree:
        befores, afters = tree_contexts(outline, 2 * window)
    else:
        befores, afters = _window_contexts(outline, urls, names, window)
    links = _distinct_links(outline.anchors, urls, names, befores, afters)
    return ParsedPage(outline.title, outline.text, links)


def _base(url: str, href: str) -> str:
    """Return the URL that references begin from, ``""`` where only full URLs mean anything."""
    with suppress(ValueError):
        return canonical_url(urljoin(url, href))
    with suppress(ValueError):
        return canonical_url(url)
    return ""


def _urls(anchors: list[Anchor], base: str, charset: str) -> list[str | None]:
    """Resolve the references of all anchors; None: no page to go to."""
    # Apart from relative ones, references mean the same on all pages of a host: the cache knows.
    root = "/".join(base.split("/", 3)[:3]) + "/"
    same_on_host = ("/", "http://", "https://")
    return [
        resolve(root if href.startswith(same_on_host) else base, href, charset)
        for anchor in anchors
        if (href := anchor.attributes["href"]) is not None
    ]


def _other_name(anchor: Anchor) -> str:
    """Return the name of a link without text."""
    own = anchor.attributes
    nodes = islice(anchor.node.traverse(), _NODES_OF_LINK)
    pictures = [node.attributes for node in nodes if node.tag == "img"]
    texts = [picture.get(key) for picture in pictures for key in ("alt", "title")]
    return next(filter(None, map(_trimmed, [own.get("alt"), *texts, own.get("title")])), "")


def _trimmed(text: str | None) -> str:
    return " ".join(text.split())[:LONGEST_TEXT].rstrip() if text else ""


def _window_contexts(
    outline: Outline, urls: list[str | None], names: list[str], window: int
) -> tuple[list[str], list[str]]:
    """Return what stands before each link by the paper's rule, and what after it."""
    text, anchors = outline.text, outline.anchors
    edges = [(anchor.start, anchor.end) for anchor in anchors]
    befores = _on_one_side(edges, urls, names, window, lambda at: _text_before(text, at, window))
    # The other side is the same in a mirror.
    edges = [(-anchor.end, -anchor.start) for anchor in reversed(anchors)]
    afters = _on_one_side(
        edges, urls[::-1], names[::-1], window, lambda at: _text_after(text, -at, window)
    )
    return befores, afters[::-1]


def _on_one_side(
    edges: list[tuple[int, int]],
    urls: list[str | None],
    names: list[str],
    window: int,
    nearby: Callable[[int], str],
) -> list[str]:
    """Return for each link the name of the last link before it, or the text if that is too far.

    Other links only: a picture, a title and a "read more" that lead to one page are one link to a
    reader; and only those with a name.
    """
    contexts = []
    # The last link with a name, and the last of them that leads elsewhere.
    last: tuple[str | None, str, int] = (None, "", -sys.maxsize)
    other = last
    for (start, end), url, name in zip(edges, urls, names, strict=True):
        if url is None:
            # Nobody asks for the context of what is no link to a page.
            is_same = False
            contexts.append("")
        else:
            is_same = url == last[0]
            _, nearest, its_end = other if is_same else last
            contexts.append(nearest if start - its_end < window else nearby(start))
        if name:
            other = other if is_same else last
            last = url, name, end
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
    anchors: list[Anchor],
    urls: list[str | None],
    names: list[str],
    befores: list[str],
    afters: list[str],
) -> list[Link]:
    groups: dict[str, list[Link]] = {}
    for anchor, url, *texts in zip(anchors, urls, names, befores, afters, strict=True):
        if url is None:
            continue
        title, rel = anchor.attributes.get("title"), anchor.attributes.get("rel")
        title = _trimmed(title) if title else ""
        rel = _trimmed(rel).lower() if rel else ""
        fields = (url, *texts, title, anchor.heading, anchor.position, rel)
        groups.setdefault(url, []).append(_new(Link, fields))
    return [links[0] if len(links) == 1 else _joined(links) for links in groups.values()]


def _joined(links: list[Link]) -> Link:
    _, names, befores, afters, titles, headings, positions, rels = zip(*links, strict=True)
    return Link(
        links[0].url,
        _distinct(names),
        _distinct(befores),
        _distinct(afters),
        next(filter(None, titles), ""),
        next(filter(None, headings), ""),
        min(positions, key=_RANK.__getitem__),
        _distinct(" ".join(rels).split() or [""]),
    )


def _distinct(texts: Sequence[str]) -> str:
    """Join texts that differ, as many as fit."""
    joined = texts[0]
    if texts.count(joined) == len(texts):
        return joined
    for text in dict.fromkeys(texts[1:]):
        if text and text != texts[0]:
            if len(joined) + len(text) >= LONGEST_TEXT:
                break
            joined = f"{joined} {text}" if joined else text
    return joined
