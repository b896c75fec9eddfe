"""Text as a person sees it: without struck-out and hidden parts and characters without width, in plain characters.

The one place that knows them, for every reader. Only what is written into an element is looked at, no
style sheet. A hidden part that is long or has links is read: a script shows it (tabs, 展开全文).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from lxml import etree
from lxml.etree import _Element

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# One class, in which a search takes a tenth of the time of alternatives.
_RARE = re.compile(
    "[\u00ad\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u2e80-\u2fd5\uf900-\ufaff"
    "\ufe00-\ufe0e\ufeff\U0001d400-\U0001d7ff\U0002f800-\U0002fa1f\U000e0100-\U000e01ef]"
)
_JOINERS = frozenset("\u200c\u200d")
_PICTURE = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
_LONGEST, _MOST_NODES = 200, 100
_STRUCK = frozenset({"s", "del", "strike"})
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_STYLE = re.compile(
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|line-through"
    r"|opacity\s{0,9}:\s{0,9}0(?:\.0{1,9})?\s{0,9}(?:[;!]|$)|(?:left|top|text-indent)\s{0,9}:\s{0,9}-\d{3}",
    re.IGNORECASE,
)
_NO_SIZE = re.compile(
    r"font-size\s{0,9}:\s{0,9}0(?:\.0{1,9})?(?:[a-z]{1,4}|%)?\s{0,9}(?:[;!]|$)", re.I
)
_MAY_HIDE = re.compile(rf"\shidden\b|font-size\s{{0,9}}:\s{{0,9}}0|{_STYLE.pattern}", re.IGNORECASE)
_SELECTOR = "s,del,strike,[hidden],[style]"
_TEXTS = etree.XPath("descendant::text()")
_CANDIDATES = etree.XPath(
    "descendant::*[self::s or self::del or self::strike or @hidden or @style]"
)
# Radicals that are whole characters, which Unicode does not decompose; text copied out of a PDF has them.
_RADICALS = dict(
    zip(
        "⺟⺠⻁⻄⻅⻆⻉⻋⻑⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻪⻬⻮⻰⻳⺶⺩⺝⺮⺧",
        "母民虎西见角贝车長长门青韦页风飞食马骨鬼鱼鸟卤麦黄黾齐齿龙龟羊王月竹牛",
        strict=True,
    )
)


def as_seen(text: str) -> str:
    """Return ``text`` without characters that have no width, and with plain ones for their doubles.

    Doubles are radicals (⾦), compatibility ideographs and mathematical letters and digits.
    """
    return text if text.isascii() else _RARE.sub(_seen, text)


def unseen_places(text: str) -> list[int]:
    """Return the offsets of the characters that :func:`as_seen` removes, in order."""
    return [match.start() for match in _RARE.finditer(text) if not _seen(match)]


def plain_double(character: str) -> str:
    """Return the plain character for its double, any other as it is."""
    return _seen(match) or character if (match := _RARE.fullmatch(character)) else character


def _seen(match: re.Match[str]) -> str:
    character = match[0]
    if character in _JOINERS:  # parts of pictures such as a family; elsewhere they have no width
        before = match.string[match.start() - 1 : match.start()]
        return character if _PICTURE.match(before) else ""
    form = unicodedata.normalize("NFKC", character)
    is_letter = unicodedata.category(character)[0] in "LNS"
    return _RADICALS.get(character, form if len(form) == 1 else character) if is_letter else ""


def is_hidden(element: _Element) -> bool:
    """Return whether an element is struck out or hidden, however long it is."""
    own = element.attrib
    if element.tag not in _STRUCK and not ("style" in own or "hidden" in own):
        return False
    return _is_hidden(str(element.tag), own, has_children=len(element) > 0)


def may_hide(attributes: str) -> bool:
    """Return whether the attributes of a tag, as written in HTML, may hide its element."""
    return _MAY_HIDE.search(attributes) is not None


def is_unseen(element: _Element) -> bool:
    """Return whether an element is struck out or hidden, and short enough to be left out."""
    if not is_hidden(element):
        return False
    nodes = list(islice(element.iter(), _MOST_NODES + 1))
    texts = ((n.text or "") + (n.tail or "" if n is not element else "") for n in nodes)
    return _is_short(texts, len(nodes), (n.tag for n in nodes))


def text_under(element: _Element, joint: str = "") -> str:
    """Return the text under an element as it is seen, all of it if nothing else would be left."""
    if not len(element):
        return as_seen(element.text or "")
    texts: list[Any] = _TEXTS(element)  # type: ignore[assignment]
    candidates: list[Any] = _CANDIDATES(element)  # type: ignore[assignment]
    left_out = {inner for node in candidates if is_unseen(node) for inner in node.iter()}
    seen = [t for t in texts if _holder(t) not in left_out] if left_out else texts
    return as_seen(joint.join(seen) if any(map(str.strip, seen)) else joint.join(texts))


def _holder(text: Any) -> Any:
    """Return the element that a text is in; that of a tail is the one around the element before it."""
    return text.getparent() if text.is_text else text.getparent().getparent()


def drop_unseen(root: HtmlElement) -> None:
    """Drop the struck-out and hidden parts from the tree of a page."""
    candidates: list[HtmlElement] = _CANDIDATES(root)  # type: ignore[assignment]
    for node in list(filter(is_unseen, candidates)):
        node.drop_tree()


def remove_unseen(parser: LexborHTMLParser) -> None:
    """Remove the struck-out and hidden parts from the tree of a page."""
    left_out = list(filter(_is_left_out, parser.css(_SELECTOR)))
    for node in reversed(left_out):  # inner ones first: with an outer one they would be freed
        node.decompose()


def _is_left_out(node: LexborNode) -> bool:
    has_children = next(node.iter(), None) is not None
    if not _is_hidden(node.tag or "", node.attributes, has_children=has_children):
        return False
    nodes = list(islice(node.traverse(include_text=True), _MOST_NODES + 1))
    texts = (n.text_content or "" for n in nodes if n.is_text_node)
    return _is_short(texts, len(nodes), (n.tag for n in nodes))


def _is_hidden(tag: str, own: Any, *, has_children: bool) -> bool:
    if tag in _HEADINGS:  # where the design shows the title in another place
        return False
    style = own.get("style") or ""
    if tag in _STRUCK or "hidden" in own or (style and _STYLE.search(style)):
        return True
    # Lists of tiles have no size of their own, so that there are no gaps between the tiles.
    return bool(style) and not has_children and _NO_SIZE.search(style) is not None


def _is_short(texts: Iterable[str], nodes: int, tags: Iterable[object]) -> bool:
    return nodes <= _MOST_NODES and "a" not in tags and sum(map(len, texts)) <= _LONGEST
