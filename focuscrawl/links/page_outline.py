"""One parse of a page: its title, its visible text, and its links at their places in that text.

Walking a tree text by text from Python costs more than to parse it. So the few elements that matter
are fenced with marks, characters that the page does not have, and the text of the whole body with
the marks in it is read in one call; what remains is a walk over that text, mark by mark.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from itertools import accumulate, chain
from typing import NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, create_tag

from focuscrawl.links.link import Position
from focuscrawl.links.page_depth import shallow
from focuscrawl.links.page_places import LIST_TITLE, PLACE_TAGS, Place, place_of

# Text that a reader does not see; the parser itself keeps that of template apart.
INVISIBLE = ["script", "style", "noscript", "iframe"]
# Emphasis may stand inside a word; where other elements begin and end, a word does too. Counts and
# dates stand in span, small and sup, right beside the name: Python<span>12</span>.
EMPHASIS = "abbr acronym b bdi bdo big cite del dfn em font i ins mark q s strike strong u".split()
# Of an anchor or a title: an unclosed <a> holds the rest of its page.
LONGEST_TEXT = 200
# What a class name calls a title and is longer than a line is none.
LONGEST_NAMED_TITLE = 80

_MARKS = ("\ufdd0", "\ufdd1")
_NOTHING = Place(scope=False)
# A hundred times a page: the constructor with names takes three times as long.
_new = tuple.__new__


class Anchor(NamedTuple):
    """A link as it stands on the page, from character ``start`` to ``end`` of the page's text.

    ``text`` is what stands there, up to ``LONGEST_TEXT`` characters; ``number`` is its own among
    the fenced elements, ``heading`` the title in effect or ``""``.
    """

    node: LexborNode
    attributes: dict[str, str | None]
    number: int
    text: str
    start: int
    end: int
    position: Position
    heading: str


class Outline(NamedTuple):
    """A page in reading order.

    ``base`` is the ``href`` of ``<base>``. ``marked`` is the text of the page with the two ``marks``
    where each fenced element begins and ends.
    """

    title: str
    text: str
    base: str
    anchors: list[Anchor]
    marked: str
    marks: tuple[str, str]


# A link with its attributes, or what another element is to the links in it.
_Element = tuple[LexborNode, dict[str, str | None]] | Place


def _for_bytes(method: Callable[..., None]) -> Callable[..., None]:
    # To find out the type of its argument takes this method longer than to insert it.
    variants: dict[str, Callable[..., None]] = getattr(method, "__signatures__", {})
    return variants.get("bytes", method)


_insert_before = _for_bytes(LexborNode.insert_before)
_insert_after = _for_bytes(LexborNode.insert_after)


_LINK, _PLACE, _EMPHASIS, _OTHER = range(1, 5)
_KINDS = {
    _LINK: ["a", "area"],
    _PLACE: PLACE_TAGS,
    _EMPHASIS: EMPHASIS,
    _OTHER: ["body", "title", "base", "th"],
}
# By the parser's number of a tag: to read the name of each element would take longer.
_KIND_AND_TAG = {create_tag(tag).tag_id: (kind, tag) for kind in _KINDS for tag in _KINDS[kind]}


class _Fence:
    """Puts marks around elements and keeps what these are."""

    def __init__(self, marks: tuple[str, str], *, every_element: bool) -> None:
        # Blanks keep a mark apart from the text, so that it is a word of its own.
        self.begin, self.end = (f" {mark} ".encode() for mark in marks)
        self.every_element = every_element
        self.elements: list[_Element] = []
        self.title = self.base = ""
        self.is_in_body = False

    def read(self, parser: LexborHTMLParser) -> str:
        """Return the text of the body with the marks in it."""
        emphasis = []
        otherwise = (_OTHER, "") if self.every_element else None
        for node in parser.root.traverse() if parser.root else ():
            matters = _KIND_AND_TAG.get(node.tag_id, otherwise)
            if matters is None:
                continue
            kind, tag = matters
            element: _Element | None = None
            if kind == _LINK:
                attributes = node.attributes
                if attributes.get("href") is not None:
                    element = node, attributes
            elif kind == _PLACE:
                element = place_of(tag, node.attributes)
            elif kind == _EMPHASIS:
                emphasis.append(node)
                continue
            else:
                element = self._note(node, tag)
            if element is not None:
                self._put(node, element)
            elif otherwise and self.is_in_body and tag != "body" and node.is_element_node:
                self._put(node, _NOTHING)
        # The parser still has the body that a frameset took the place of.
        if not (self.is_in_body and parser.body):
            return ""
        for node in emphasis:
            node.unwrap()
        # One text where emphasis was taken out of it, so that no separator comes between.
        parser.body.merge_text_nodes()
        return " ".join(parser.body.text(separator="\n", skip_empty=True).split())

    def _put(self, node: LexborNode, element: _Element) -> None:
        _insert_before(node, self.begin)
        _insert_after(node, self.end)
        self.elements.append(element)

    def _note(self, node: LexborNode, tag: str) -> Place | None:
        if tag == "body":
            self.is_in_body = True
        elif tag == "title":
            self.title = self.title or " ".join(node.text().split())
        elif tag == "base":
            self.base = self.base or node.attributes.get("href") or ""
        elif tag == "th" and _heads_row(node):
            return LIST_TITLE
        return None


def _heads_row(th: LexborNode) -> bool:
    following = th.next
    while following and not following.is_element_node:
        following = following.next
    return following is not None and following.tag == "td"


def read_outline(html: bytes | str, *, every_element: bool = False) -> Outline:
    """Parse a page, bytes as UTF-8; ``every_element`` fences all elements of the body."""
    data = html if isinstance(html, bytes) else html.encode("utf-8", "replace")
    data = shallow(data.removeprefix(BOM_UTF8))
    marks = _MARKS
    fence, marked = _fenced(data, marks, every_element)
    if any(marked.count(mark) != len(fence.elements) for mark in marks):
        marks = _unused(marked)
        fence, marked = _fenced(data, marks, every_element)
    text, anchors = _walk(fence.elements, marked, marks)
    return Outline(fence.title, text, fence.base, anchors, marked, marks)


def _fenced(data: bytes, marks: tuple[str, str], every_element: bool) -> tuple[_Fence, str]:
    parser = LexborHTMLParser(data, options=LexborDocumentOptions.WO_EVENTS.value)
    parser.strip_tags(INVISIBLE)
    fence = _Fence(marks, every_element=every_element)
    return fence, fence.read(parser)


def _unused(text: str) -> tuple[str, str]:
    known = set(text)
    free = (mark for code in range(0xFDD0, 0x110000) if (mark := chr(code)) not in known)
    return next(free), next(free)


class _Title(NamedTuple):
    level: int
    text: str
    outer: _Title | None


class _State(NamedTuple):
    """What is in effect at one point of the page."""

    position: Position = Position.BODY
    title: _Title | None = None
    in_article: bool = False


def split_at_marks(marked: str, marks: tuple[str, str]) -> tuple[str, list[int], list[int]]:
    """Return the text without marks, where in it the marks are, and how many elements end in a row.

    The offsets are that of the text, and of what follows each mark. The last list has for each
    element how many end between its beginning and that of the next one.
    """
    begin, end = marks
    runs = [run.split(end) for run in marked.split(begin)]
    pieces = list(map(str.lstrip, chain.from_iterable(runs)))
    offsets = list(accumulate(map(len, pieces), initial=0))
    return "".join(pieces).rstrip(), offsets, [len(run) - 1 for run in runs[1:]]


def _walk(
    elements: list[_Element], marked: str, marks: tuple[str, str]
) -> tuple[str, list[Anchor]]:
    """Return the text without marks, and where on the page and in its text each link stands."""
    text, offsets, endings = split_at_marks(marked, marks)
    state = _State()
    position, heading = state.position, ""
    anchors: list[Anchor] = []
    # Of each element that has not ended: itself, its begin, its anchor, and the state before it.
    around: list[tuple[_Element, int, int, _State]] = []
    mark = 1
    for number, (element, ends) in enumerate(zip(elements, endings, strict=True)):
        start = offsets[mark]
        mark += 1
        if isinstance(element, Place):
            around.append((element, start, 0, state))
            state = _inside(element, state)
        else:
            node, attributes = element
            end = offsets[mark]
            name = _beginning(text, start, end)
            fields = (node, attributes, number, name, start, end, position, heading)
            anchors.append(_new(Anchor, fields))
            if ends == 0:
                around.append((element, start, len(anchors) - 1, state))
                continue
            # Nothing that matters is in it: it is the first that ends, as nearly all links are.
            mark += 1
            if ends == 1:
                continue
            ends -= 1
        for end in offsets[mark : mark + ends]:
            ended, start, anchor, outside = around.pop()
            if not isinstance(ended, Place):
                name = _beginning(text, start, end)
                anchors[anchor] = anchors[anchor]._replace(text=name, end=end)
            elif ended.scope:
                state = outside
            else:
                name = _beginning(text, start, end) if ended.level else ""
                state = _after(ended, outside, state, name)
        mark += ends
        position, title, _ = state
        heading = title.text if title else ""
    return text, anchors


def _beginning(text: str, start: int, end: int) -> str:
    return text[start : min(end, start + LONGEST_TEXT)].rstrip()


def _inside(place: Place, state: _State) -> _State:
    position, title, in_article = state
    if place.of_page and in_article:
        return state
    if place.level:
        return _State(position, _above(title, place.level), in_article)
    if place.position in (None, position) and place.is_article <= in_article:
        return state
    return _State(place.position or position, title, in_article or place.is_article)


def _after(place: Place, outside: _State, inside: _State, text: str) -> _State:
    """Return the state after an element that is no scope; a title comes into effect."""
    title = inside.title
    if text and (place.level < LIST_TITLE.level or len(text) <= LONGEST_NAMED_TITLE):
        title = _Title(place.level, text, _above(title, place.level))
    return _State(outside.position, title, outside.in_article)


def _above(title: _Title | None, level: int) -> _Title | None:
    while title and title.level >= level:
        title = title.outer
    return title
