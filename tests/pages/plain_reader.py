"""Slow reference implementation of links and contexts, to compare the fast one with.

It has its own walk over the parsed tree and its own search for the nearest link, without marks and
running offsets. Places of class names and canonical URLs are those of the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from focuscrawl.pages.link import Position
from focuscrawl.pages.page_outline import EMPHASIS, INVISIBLE, PLACE_TAGS, place_of
from focuscrawl.text.seen_text import as_seen, remove_unseen


class Happening(Enum):
    """Events of a page other than text."""

    BEGIN = 1
    END = 2


class Seen(NamedTuple):
    """A link in the text: ``text[start:end]`` is its anchor."""

    href: str
    start: int
    end: int
    position: Position


def read(html: bytes | str) -> tuple[str, list[Seen]]:
    """Return the visible text, and the links with their offsets in it."""
    parser = LexborHTMLParser(html)
    remove_unseen(parser)
    if not (parser.body and parser.body.parent):
        return "", []
    pieces: list[str] = []
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    nodes: list[LexborNode] = []
    for happening, node in _events(parser.body):
        if happening is Happening.BEGIN:
            starts[len(nodes)] = len(pieces)
            nodes.append(node)
        elif happening is Happening.END:
            ends[max(set(starts) - set(ends))] = len(pieces)
        else:
            pieces.append(happening)
    text = " ".join("".join(pieces).split())
    links = [
        Seen(
            node.attributes["href"] or "",
            _offset(pieces, starts[number]),
            _offset(pieces, ends[number]),
            _position(node),
        )
        for number, node in enumerate(nodes)
    ]
    return text, links


def _events(node: LexborNode) -> Iterator[tuple[str | Happening, LexborNode]]:
    """Yield texts, starts and ends of links, and a blank for every element other than emphasis."""
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if child.is_text_node:
            yield as_seen(child.text_content or ""), child
        elif tag in INVISIBLE:
            continue
        elif tag in EMPHASIS and child.first_child:
            yield from _events(child)
        else:
            is_link = tag in {"a", "area"} and child.attributes.get("href") is not None
            yield " ", child
            if is_link:
                yield Happening.BEGIN, child
            yield from _events(child)
            if is_link:
                yield Happening.END, child
            yield " ", child


def _offset(pieces: list[str], number: int) -> int:
    before = " ".join("".join(pieces[:number]).split())
    return len(before) + 1 if before else 0


def _position(node: LexborNode) -> Position:
    ancestors: list[LexborNode] = []
    while node.parent:
        node = node.parent
        ancestors.append(node)
    position, in_article = Position.BODY, False
    for ancestor in reversed(ancestors):
        tag = ancestor.tag or ""
        place = place_of(tag, ancestor.attributes) if tag in PLACE_TAGS else None
        if place and not (place.of_page and in_article):
            position = place.position or position
            in_article = in_article or place.is_article
    return position
