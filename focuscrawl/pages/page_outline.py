"""One parse of a page: its title, its visible text, and its links at their places in that text.

Walking a tree text by text from Python costs more than to parse it. So the few elements that matter
are fenced with marks, characters that the page does not have, and the text of the whole body with
the marks in it is read in one call; what remains is a walk over that text, mark by mark.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from itertools import chain, islice
from typing import NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, create_tag

from focuscrawl.pages.link import Position
from focuscrawl.pages.link_positions import LIST_TITLE, PLACE_TAGS, Place, known_places
from focuscrawl.text.page_depth import shallow

# Text that a reader does not see; the parser itself keeps that of template apart.
INVISIBLE = ["script", "style", "noscript", "iframe"]
# Emphasis may stand inside a word; where other elements begin and end, a word does too. Counts and
# dates stand in span, small and sup, right beside the name: Python<span>12</span>.
EMPHASIS = "abbr acronym b bdi bdo big cite del dfn em font i ins mark q s strike strong u".split()
# Of an anchor or a title: an unclosed <a> holds the rest of its page.
LONGEST_TEXT = 200
# Of one page, the first ones count. Of the recorded pages, the one with most has 1,733.
MOST_LINKS = 4000
# What a class name calls a title and is longer than a line is none.
LONGEST_NAMED_TITLE = 80

_MARKS = ("\ufdd0", "\ufdd1")
# Dozens of times a page: the constructor with names takes three times as long.
_new = tuple.__new__


class State(NamedTuple):
    """What is in effect at one point of the page."""

    position: Position = Position.BODY
    title: Title | None = None
    in_article: bool = False


class Title(NamedTuple):
    """A title in effect, and that of the part of the page around it."""

    level: int
    text: str
    outer: Title | None


class Anchors(NamedTuple):
    """The links as they stand on the page, in its order, each with an entry in every list.

    ``names``: what stands there, up to ``LONGEST_TEXT`` characters, from character ``starts`` to
    ``ends`` of the page's text. Columns, since a tuple a link takes as long as all the rest of it.
    """

    nodes: list[LexborNode]
    attributes: list[dict[str, str | None]]
    names: list[str]
    starts: list[int]
    ends: list[int]
    states: list[State]


# A fenced element: what it is to the links in it, None for a link.
Element = Place | None


class Outline(NamedTuple):
    """A page in reading order.

    ``unread`` is the number of links beyond the first ``MOST_LINKS``. ``base`` is the ``href`` of
    ``<base>``.
    """

    title: str
    text: str
    base: str
    anchors: Anchors
    unread: int


def _for_bytes(method: Callable[..., None]) -> Callable[..., None]:
    # To find out the type of its argument takes this method longer than to insert it.
    variants: dict[str, Callable[..., None]] = getattr(method, "__signatures__", {})
    return variants.get("bytes", method)


_insert_before = _for_bytes(LexborNode.insert_before)
_insert_after = _for_bytes(LexborNode.insert_after)


_LINK, _PLACE, _EMPHASIS, _INVISIBLE, _OTHER = range(1, 6)
_KINDS = {
    _LINK: ["a", "area"],
    _PLACE: PLACE_TAGS,
    _EMPHASIS: EMPHASIS,
    _INVISIBLE: INVISIBLE,
    _OTHER: ["body", "title", "base", "th"],
}
# By the parser's number of a tag: to read the name of each element would take longer.
_KIND_AND_TAG = {create_tag(tag).tag_id: (kind, tag) for kind in _KINDS for tag in _KINDS[kind]}


class _Fence:
    """Puts marks around elements and keeps what these are."""

    def __init__(self, marks: tuple[str, str]) -> None:
        # Blanks keep a mark apart from the text, so that it is a word of its own.
        self.begin, self.end = (f" {mark} ".encode() for mark in marks)
        self.elements: list[Element] = []
        self.nodes: list[LexborNode] = []
        self.attributes: list[dict[str, str | None]] = []
        self.titles: list[LexborNode] = []
        self.title = self.base = ""
        self.unread = 0
        self.is_in_body = False

    def read(self, parser: LexborHTMLParser) -> str:
        """Return the text of the body with the marks in it."""
        emphasis, invisible = self._look_through(parser)
        for node in invisible:
            node.decompose()
        titles = (" ".join(node.text().split()) for node in self.titles)
        self.title = next(filter(None, titles), "")
        # The parser still has the body that a frameset took the place of; links may stand behind it.
        if not (self.is_in_body and parser.body):
            self.elements, self.nodes, self.attributes = [], [], []
            return ""
        for node in emphasis:
            node.unwrap()
        # One text where emphasis was taken out of it, so that no separator comes between.
        parser.body.merge_text_nodes()
        begin, end = self.begin, self.end
        for node in self.nodes:
            _insert_before(node, begin)
            _insert_after(node, end)
        return " ".join(parser.body.text(separator="\n", skip_empty=True).split())

    def _look_through(self, parser: LexborHTMLParser) -> tuple[list[LexborNode], list[LexborNode]]:
        """Note what is to be fenced; return emphasis, and what is invisible."""
        emphasis, invisible = [], []
        known, place_of, put = _KIND_AND_TAG.get, known_places.__getitem__, self._put
        nodes = parser.root.traverse() if parser.root else iter(())
        for node in nodes:
            matters = known(node.tag_id)
            if matters is None:
                continue
            kind, tag = matters
            place = None
            if kind == _PLACE:
                own = node.attributes.get
                place = place_of((tag, own("class"), own("id"), own("role")))
            elif kind == _LINK:
                if len(self.attributes) == MOST_LINKS:
                    self.unread += 1
                    continue
                attributes = node.attributes
                if attributes.get("href") is not None:
                    self.attributes.append(attributes)
                    put(node, None)
                    continue
            elif kind == _EMPHASIS:
                emphasis.append(node)
                continue
            elif kind == _INVISIBLE:
                invisible.append(node)
                # What stands in it goes with it.
                for _ in islice(node.traverse(), 1, None):
                    next(nodes, None)
                continue
            else:
                place = self._note(node, tag)
            if place is not None:
                put(node, place)
        return emphasis, invisible

    def _put(self, node: LexborNode, element: Element) -> None:
        self.nodes.append(node)
        self.elements.append(element)

    def _note(self, node: LexborNode, tag: str) -> Place | None:
        if tag == "body":
            self.is_in_body = True
        elif tag == "title":
            # In a picture it may have elements in it that are invisible.
            self.titles.append(node)
        elif tag == "base":
            self.base = self.base or node.attributes.get("href") or ""
        elif tag == "th" and _heads_row(node):
            return LIST_TITLE
        return None


def _heads_row(th: LexborNode) -> bool:
    following = th.next
    while following and (not following.is_element_node or following.tag in INVISIBLE):
        following = following.next
    return following is not None and following.tag == "td"


def read_outline(html: bytes | str) -> Outline:
    """Parse a page, bytes as UTF-8."""
    data = html if isinstance(html, bytes) else html.encode("utf-8", "replace")
    data = shallow(data.removeprefix(BOM_UTF8))
    marks = _MARKS
    fence, marked = _fenced(data, marks)
    if any(marked.count(mark) != len(fence.elements) for mark in marks):
        marks = _unused(marked)
        fence, marked = _fenced(data, marks)
    runs = _runs(marked, marks)
    text = "".join(chain.from_iterable(runs)).rstrip()
    nodes = [node for node, place in zip(fence.nodes, fence.elements, strict=True) if place is None]
    anchors = Anchors(nodes, fence.attributes, *_walk(fence.elements, runs, text))
    return Outline(fence.title, text, fence.base, anchors, fence.unread)


def _fenced(data: bytes, marks: tuple[str, str]) -> tuple[_Fence, str]:
    parser = LexborHTMLParser(data, options=LexborDocumentOptions.WO_EVENTS.value)
    fence = _Fence(marks)
    return fence, fence.read(parser)


def _unused(text: str) -> tuple[str, str]:
    known = set(text)
    free = (mark for code in range(0xFDD0, 0x110000) if (mark := chr(code)) not in known)
    return next(free), next(free)


def _runs(marked: str, marks: tuple[str, str]) -> list[list[str]]:
    """Part the text where elements begin, and each part where elements end.

    A piece ends with the blank before the next mark.
    """
    # A mark is a word of its own; with the blank after it, the next piece begins with a word.
    begin, end = (f"{mark} " for mark in marks)
    return [run.split(end) for run in f"{marked} ".split(begin)]


def _walk(
    elements: list[Element], runs: list[list[str]], text: str
) -> tuple[list[str], list[int], list[int], list[State]]:
    """Return what stands in each link, where it begins and ends, and what is in effect there."""
    names: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    states: list[State] = []
    state = State()
    # Of each element that has not ended: itself, its begin, its number if it is a link, and the
    # state before it.
    around: list[tuple[Element, int, int, State]] = []
    at = len(runs[0][0])
    for element, run in zip(elements, islice(runs, 1, None), strict=True):
        if element is None:
            starts.append(at)
            states.append(state)
            if len(run) == 2:
                # It alone ends here, as nearly all links do.
                name, after = run
                size = len(name)
                names.append(name[:-1] if size <= LONGEST_TEXT else _beginning(name, 0, size))
                at += size
                ends.append(at)
                at += len(after)
                continue
            around.append((None, at, len(names), state))
            names.append("")
            ends.append(at)
        else:
            around.append((element, at, 0, state))
            state = _inside(element, state)
        at += len(run[0])
        for piece in islice(run, 1, None):
            ended, start, number, outside = around.pop()
            if ended is None:
                names[number] = _beginning(text, start, at)
                ends[number] = at
            elif ended.scope:
                state = outside
            else:
                name = _beginning(text, start, at) if ended.level else ""
                state = _after(ended, outside, state, name)
            at += len(piece)
    return names, starts, ends, states


def _beginning(text: str, start: int, end: int) -> str:
    return text[start : min(end, start + LONGEST_TEXT)].rstrip()


def _inside(place: Place, state: State) -> State:
    position, title, in_article = state
    moved, level, _, of_page, is_article = place
    if of_page and in_article:
        return state
    if level:
        return _new(State, (position, _above(title, level), in_article))
    if moved in (None, position) and is_article <= in_article:
        return state
    return _new(State, (moved or position, title, in_article or is_article))


def _after(place: Place, outside: State, inside: State, text: str) -> State:
    """Return the state after an element that is no scope; a title comes into effect."""
    title, level = inside.title, place.level
    if text and (level < LIST_TITLE.level or len(text) <= LONGEST_NAMED_TITLE):
        title = _new(Title, (level, text, _above(title, level)))
    return _new(State, (outside.position, title, outside.in_article))


def _above(title: Title | None, level: int) -> Title | None:
    while title and title.level >= level:
        title = title.outer
    return title
