"""Outline of a page from one parse: title, visible text, and links at their places in that text.

Walking a tree from Python costs more than parsing it. So marks, characters that do not occur on the
page, are put around the few elements that matter, and the text of the whole body including the marks
is read in one call; what remains is a walk over that text, mark by mark.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable
from itertools import chain, islice
from typing import NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, create_tag

from focuscrawl.pages.link import Position
from focuscrawl.text.page_depth import shallow
from focuscrawl.text.seen_text import as_seen, remove_unseen

# Positions of links on their page (menu, list, text …), and titles of lists, by the elements around them.


class ElementEffect(NamedTuple):
    """Effect of an element on the links in it or after it.

    ``position`` is that of its links, None for that of the enclosing element. With ``of_page`` this
    holds only outside of articles, whose header and footer belong to the text. ``level`` is the rank
    of a title, 1 the highest; 0 for no title. Titles inside a ``scope`` are in effect until it ends.
    """

    position: Position | None = None
    level: int = 0
    scope: bool = True
    of_page: bool = False
    is_article: bool = False


NAVIGATION = ElementEffect(Position.NAVIGATION)
FOOTER = ElementEffect(Position.FOOTER, of_page=True)
# Not a scope: a title in the header of a page applies to the content after it.
HEADER = ElementEffect(Position.NAVIGATION, scope=False, of_page=True)
BODY = ElementEffect(Position.BODY)
SCOPE = ElementEffect()
# A title without a rank, of a list or a box beside the text, ranks below h1 to h6.
LIST_TITLE = ElementEffect(level=7, scope=False)

_BY_TAG = {
    "nav": NAVIGATION,
    "aside": NAVIGATION,
    "header": HEADER,
    "footer": FOOTER,
    "main": BODY,
    "article": ElementEffect(Position.BODY, is_article=True),
    "section": ElementEffect(is_article=True),
    **dict.fromkeys(("dl", "details", "fieldset"), SCOPE),
    **{f"h{level}": ElementEffect(level=level, scope=False) for level in range(1, 7)},
    **dict.fromkeys(("dt", "caption", "legend", "summary"), LIST_TITLE),
}
_BY_ROLE = {
    **dict.fromkeys(("navigation", "complementary", "menu", "menubar"), NAVIGATION),
    "banner": HEADER,
    "contentinfo": FOOTER,
    "main": BODY,
}
# Themes name the box around a menu; reading the class of each span and item would cost too much.
_NAMED = frozenset("div ul ol section form header footer".split())
# All tags that may have a place.
PLACE_TAGS = _NAMED | frozenset(_BY_TAG)

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_BY_WORD = {
    **dict.fromkeys(
        "nav navs navi navbar navigation navigator sidenav subnav topnav menu menus submenu menubar"
        " sidebar side rightside leftside aside breadcrumb breadcrumbs crumb crumbs pagination"
        " paginator paginav pager paging toc topbar toolbar tabbar dropdown offcanvas blogroll"
        " masthead daohang".split(),
        NAVIGATION,
    ),
    **dict.fromkeys("footer foot colophon copyright beian dibu".split(), FOOTER),
    **dict.fromkeys("header head".split(), HEADER),
    **dict.fromkeys("title headline heading".split(), LIST_TITLE),
}
# hide-aside, has-sidebar: names of the page around the bar, not of the bar.
_STATES = frozenset("has hide hidden no not with without show toggle is js on off".split())
# post-header, card-footer: parts of one text, not of the page; site-title: of no list.
_PARTS = frozenset(
    "post entry article card comment comments modal dialog panel item list section widget box block"
    " table code figure".split()
)
_NO_LISTS = frozenset({"site", "sub", "brand"})


# Entries of about 100 characters; sites repeat their names on all pages, so a few thousand suffice.
_MOST_KNOWN = 5000
_LONGEST_KNOWN = 300
_Key = tuple[str, str | None, str | None, str | None]


class _Places(dict[_Key, ElementEffect | None]):
    """Cache of places by (tag, class, id, role), None for elements without effect on links.

    The tag is one of ``PLACE_TAGS``.
    """

    def __missing__(self, key: _Key) -> ElementEffect | None:
        tag, *names = key
        short = [(name or "")[:_LONGEST_KNOWN] for name in names]
        place = _by_names(tag, *short)
        if sum(map(len, short)) < _LONGEST_KNOWN:
            if len(self) >= _MOST_KNOWN:
                self.clear()
            self[key] = place
        return place


known_places = _Places()


def place_of(tag: str, attributes: dict[str, str | None]) -> ElementEffect | None:
    """Return the place of an element, None if it has no effect on links.

    ``tag`` is one of ``PLACE_TAGS``.
    """
    get = attributes.get
    return known_places[tag, get("class"), get("id"), get("role")]


def _by_names(tag: str, kind: str, name: str, role: str) -> ElementEffect | None:
    if place := _BY_ROLE.get(role.strip().lower()):
        return place
    by_tag = _BY_TAG.get(tag)
    if tag not in _NAMED:
        return by_tag
    words = [[word.lower() for word in _WORD.findall(part)] for part in f"{kind} {name}".split()]
    if tag in {"header", "footer"}:
        is_part = any(parts and parts[0] in _PARTS for parts in words)
        return None if is_part else by_tag
    return next(filter(None, map(_by_words, words)), by_tag)


def _by_words(words: list[str]) -> ElementEffect | None:
    """Return the place named by the words of a class or id such as ``post-nav`` or ``widgetTitle``."""
    if not words or words[0] in _STATES:
        return None
    place = _BY_WORD.get(words[-1])
    if place is LIST_TITLE:
        return None if words[0] in _NO_LISTS else place
    if place is None:
        place = _BY_WORD.get(words[0])
    if place is None or place is LIST_TITLE or (place.of_page and words[0] in _PARTS):
        return None
    return place


# Elements with invisible text; the parser itself excludes that of template.
INVISIBLE = ["script", "style", "noscript", "iframe"]
# Emphasis may occur inside a word; other elements separate words. So do span, small and sup, which
# hold counts and dates right after a name: Python<span>12</span>.
EMPHASIS = "abbr acronym b bdi bdo big cite del dfn em font i ins mark q s strike strong u".split()
# In characters, for an anchor or a title: an unclosed <a> contains the rest of its page.
LONGEST_TEXT = 200
# Per page; the first ones are used. The maximum of the recorded pages is 1,733.
MOST_LINKS = 4000
# In characters; a longer text is no title, even if its class name says so.
LONGEST_NAMED_TITLE = 80

_MARKS = ("\ufdd0", "\ufdd1")
# Called dozens of times per page, and three times as fast as the constructor with keyword arguments.
_new = tuple.__new__


class OutlineState(NamedTuple):
    """Position, title and article in effect at one point of the page."""

    position: Position = Position.BODY
    title: Title | None = None
    in_article: bool = False


class Title(NamedTuple):
    """A title in effect, and ``outer``, that of the enclosing part of the page."""

    level: int
    text: str
    outer: Title | None


class Anchors(NamedTuple):
    """All links of a page in page order, as columns: each link has an entry in every list.

    ``names`` are the texts of the links, up to ``LONGEST_TEXT`` characters; ``starts`` and ``ends``
    are their character offsets in the page's text. Columns, since one tuple per link would take as
    long as all other work on it.
    """

    nodes: list[LexborNode]
    attributes: list[dict[str, str | None]]
    names: list[str]
    starts: list[int]
    ends: list[int]
    states: list[OutlineState]


# A marked element: its effect on the links in it, None for a link.
Element = ElementEffect | None


class Outline(NamedTuple):
    """A page in reading order.

    ``unread`` is the number of links beyond the first ``MOST_LINKS``. ``base`` is the ``href`` of
    ``<base>``. ``runs`` is the text of the page, split where an element of ``elements`` begins; each
    run is a list of pieces, split where elements end.
    """

    title: str
    text: str
    base: str
    anchors: Anchors
    unread: int


def _for_bytes(method: Callable[..., None]) -> Callable[..., None]:
    # The dispatch on the type of the argument takes longer than the insertion.
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
# Keyed by the parser's tag id, since reading the name of each element takes longer.
_KIND_AND_TAG = {create_tag(tag).tag_id: (kind, tag) for kind in _KINDS for tag in _KINDS[kind]}


class _Fence:
    """Puts marks around elements and keeps a list of them."""

    def __init__(self, marks: tuple[str, str]) -> None:
        # Blanks separate a mark from the text, so that it is a word.
        self.begin, self.end = (f" {mark} ".encode() for mark in marks)
        self.elements: list[Element] = []
        self.nodes: list[LexborNode] = []
        self.attributes: list[dict[str, str | None]] = []
        self.titles: list[LexborNode] = []
        self.title = self.base = ""
        self.unread = 0
        self.is_in_body = False

    def read(self, parser: LexborHTMLParser) -> str:
        """Return the text of the body including the marks."""
        emphasis, invisible = self._look_through(parser)
        for node in invisible:
            node.decompose()
        titles = (" ".join(as_seen(node.text()).split()) for node in self.titles)
        self.title = next(filter(None, titles), "")
        # The parser keeps the body that a frameset replaced; links may follow it.
        if not (self.is_in_body and parser.body):
            self.elements, self.nodes, self.attributes = [], [], []
            return ""
        for node in emphasis:
            node.unwrap()
        # Joins the texts around removed emphasis, so that no separator comes between them.
        parser.body.merge_text_nodes()
        begin, end = self.begin, self.end
        for node in self.nodes:
            _insert_before(node, begin)
            _insert_after(node, end)
        return " ".join(as_seen(parser.body.text(separator="\n", skip_empty=True)).split())

    def _look_through(self, parser: LexborHTMLParser) -> tuple[list[LexborNode], list[LexborNode]]:
        """Collect the elements to mark; return emphasis and invisible elements."""
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
                # Skips its descendants, which are removed with it.
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

    def _note(self, node: LexborNode, tag: str) -> ElementEffect | None:
        if tag == "body":
            self.is_in_body = True
        elif tag == "title":
            # Read later: the title of an SVG may contain invisible elements.
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
    remove_unseen(parser)
    fence = _Fence(marks)
    return fence, fence.read(parser)


def _unused(text: str) -> tuple[str, str]:
    known = set(text)
    every = map(chr, range(0xFDD0, 0x110000))
    free = (mark for mark in every if mark not in known and as_seen(mark) == mark)
    return next(free), next(free)


def _runs(marked: str, marks: tuple[str, str]) -> list[list[str]]:
    """Split the text where elements begin, and each part where elements end.

    A piece ends with the blank before the next mark.
    """
    # The blank after a mark belongs to the separator, so that the next piece begins with a word.
    begin, end = (f"{mark} " for mark in marks)
    return [run.split(end) for run in f"{marked} ".split(begin)]


def _walk(
    elements: list[Element], runs: list[list[str]], text: str
) -> tuple[list[str], list[int], list[int], list[OutlineState]]:
    """Return the names, start offsets, end offsets and states of all links."""
    names: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    states: list[OutlineState] = []
    state = OutlineState()
    # The open elements: (element, start, number if it is a link, state before it).
    around: list[tuple[Element, int, int, OutlineState]] = []
    at = len(runs[0][0])
    for element, run in zip(elements, islice(runs, 1, None), strict=True):
        if element is None:
            starts.append(at)
            states.append(state)
            if len(run) == 2:
                # Nearly all links have no elements in them, so that only they end here.
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


def _inside(place: ElementEffect, state: OutlineState) -> OutlineState:
    position, title, in_article = state
    moved, level, _, of_page, is_article = place
    if of_page and in_article:
        return state
    if level:
        return _new(OutlineState, (position, _above(title, level), in_article))
    if moved in (None, position) and is_article <= in_article:
        return state
    return _new(OutlineState, (moved or position, title, in_article or is_article))


def _after(
    place: ElementEffect, outside: OutlineState, inside: OutlineState, text: str
) -> OutlineState:
    """Return the state after an element that is not a scope, with its title in effect."""
    title, level = inside.title, place.level
    if text and (level < LIST_TITLE.level or len(text) <= LONGEST_NAMED_TITLE):
        title = _new(Title, (level, text, _above(title, level)))
    return _new(OutlineState, (outside.position, title, outside.in_article))


def _above(title: Title | None, level: int) -> Title | None:
    while title and title.level >= level:
        title = title.outer
    return title
