"""Position of a link on its page (menu, list, text …), and titles of lists, by the elements around it."""

from __future__ import annotations

import re
from typing import NamedTuple

from focuscrawl.pages.link import Position


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
