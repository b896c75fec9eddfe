"""Lines of a page as rendered, each with its place in the tree of elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from focuscrawl.templates.extraction.labels.label_icons import (
    INPUT,
    icon_of,
    icon_of_class,
    icons_of_emoji,
)
from focuscrawl.templates.extraction.lines.page_blocks import (
    BLOCK_TAGS,
    Block,
    opened,
)
from focuscrawl.text.seen_text import as_seen

# E-mail addresses encoded by Cloudflare for decoding by its script.

_PATH = "/cdn-cgi/l/email-protection#"


def protected_email(node: LexborNode) -> str:
    """Return the e-mail address encoded in an element, ``""`` for any other element.

    The first byte of ``data-cfemail`` (hexadecimal) is the key; each of the others is a character
    xor the key.
    """
    own = node.attributes
    if code := own.get("data-cfemail"):
        return decoded(code)
    _, _, code = (own.get("href") or "").partition(_PATH)
    return decoded(code) if code else ""


def decoded(code: str) -> str:
    """Return the e-mail address of a hexadecimal code, ``""`` if it is invalid."""
    try:
        key, *characters = bytes.fromhex(code)
        email = bytes(character ^ key for character in characters).decode()
    except (ValueError, UnicodeDecodeError):
        return ""
    return email.partition("?")[0] if "@" in email and email.isprintable() else ""


_LONGEST_LINE = 20_000
_MOST_TEXT = 100_000
_MOST_LINES = 6_000
_MOST_NODES = 150_000
_LONGEST_ALT = 60
_LONGEST_LABEL = 10
_NODES_OF_ICON = 50

_SKIPPED = frozenset(
    "script style noscript template iframe svg object video audio head select".split()
)
_INPUTS = frozenset({"input", "textarea"})
_NO_TYPING = frozenset({"hidden", "submit", "button", "image", "reset", "checkbox", "radio"})
_BLANKS = re.compile(r"\s+")
_LONGEST_NUMBER = 7  # one digit more than _PART_OF_NUMBER matches
_PART_OF_NUMBER = re.compile(r"(?<!\d)\d{1,6}$")
# The text of a picture of a number or an e-mail address.
_VALUE = re.compile(r"\+?[\d\s()-]{7,24}|[\w.+-]{1,64}@[\w-]{1,40}\.[\w.]{2,24}", re.ASCII)
# The halves of an e-mail address in two elements.
_MAILBOX, _HOST = re.compile(r"[\w.+-]{1,64}", re.ASCII), re.compile(r"@[\w.-]{4,80}", re.ASCII)
# A whole number begins behind that of a room: 1902 | 0574-87654320.
_WHOLE_NUMBER = re.compile(r"0\d{2,3}-\d|(?:0\d{9,11}|1[3-9]\d{9})(?!\d)")
# 宁波校区 | 宁波市海曙区…: the name of a branch before its address.
_BRANCH = re.compile(r"(?:校区|院区|园区|店|分公司|办事处|总部)$")
_LATIN = re.compile(r"[A-Za-z0-9]")


@dataclass(slots=True)
class Line:
    """A line as printed, with whitespace folded; ``links`` are start, end and ``href`` of each."""

    text: str
    block: Block
    links: list[tuple[int, int, str]] = field(default_factory=list)


class _Step(NamedTuple):
    """A node to enter, or an element to leave if ``node`` is None."""

    node: LexborNode | None
    block: Block
    href: str | None = None
    start: int = 0


def page_lines(body: LexborNode | None, is_label: Callable[[str], bool]) -> list[Line]:
    """Return the lines of a page in order, up to limits of their number and size.

    An image whose ``alt`` or ``title`` is a label by ``is_label`` counts as that text; other icons,
    and input fields, are replaced by the marks of :mod:`focuscrawl.templates.extraction.labels.label_icons`.
    """
    walk = _Walk(is_label)
    if body is not None:
        walk.run(body)
    return walk.lines


class _Walk:
    def __init__(self, is_label: Callable[[str], bool]) -> None:
        self.is_label = is_label
        self.lines: list[Line] = []
        self.size = 0
        self._begin(Block("body", None))

    def _begin(self, block: Block) -> None:
        self.block = block
        self.text = self.piece = ""
        self.links: list[tuple[int, int, str]] = []

    def run(self, body: LexborNode) -> None:
        """Walk the nodes without recursion: a page may nest deeper than Python's limit."""
        steps = [_Step(body.child, self.block)]
        for _ in range(_MOST_NODES):
            if not steps or self.size > _MOST_TEXT or len(self.lines) > _MOST_LINES:
                break
            step = steps.pop()
            if step.node is None:
                self._leave(step)
                continue
            if (following := step.node.next) is not None:
                steps.append(_Step(following, step.block))
            self._enter(step.node, step.block, steps)
        self._flush(self.block)

    def _enter(self, node: LexborNode, block: Block, steps: list[_Step]) -> None:
        if node.is_text_node:
            self._add_text(node.text_content or "", block)
            return
        tag = node.tag or ""
        if not node.is_element_node or tag in _SKIPPED:
            return
        if email := protected_email(node):
            self._add(email)
            return
        child = node.child
        if tag == "br":
            self._flush(block)
        elif tag in _INPUTS:
            if (node.attributes.get("type") or "").lower() not in _NO_TYPING:
                self.text += INPUT
        elif tag in BLOCK_TAGS:
            inner = opened(node, tag, block)
            self._flush(inner)
            self.text += icon_of_class(node)
            steps.append(_Step(None, block))
            if child is not None:
                steps.append(_Step(child, inner))
        else:
            self._enter_inline(node, tag, block, steps)

    def _enter_inline(self, node: LexborNode, tag: str, block: Block, steps: list[_Step]) -> None:
        child = node.child
        if tag == "a":
            href = (node.attributes.get("href") or "").strip()
            steps.append(_Step(None, block, href, len(self.text)))
        elif tag == "img":
            self._picture(node)
        elif tag in ("i", "span", "em", "b") and _is_empty(node):
            self.text += icon_of(node, tag)
        if child is not None:
            steps.append(_Step(child, block))

    def _picture(self, node: LexborNode) -> None:
        own = node.attributes
        for name in (own.get("alt"), own.get("title")):
            if name and len(name) <= _LONGEST_ALT and self.is_label(name):
                self._add(name if ":" in name or "：" in name else f"{name}：")
                return
        alt = (own.get("alt") or "").strip()
        if alt == "@" or _VALUE.fullmatch(alt):
            self._add(alt)
            return
        self.text += icon_of(node, "img")

    def _leave(self, step: _Step) -> None:
        if step.href is None:
            self._flush(step.block)
        elif step.href:
            # A line may have ended within the link.
            self.links.append((min(step.start, len(self.text)), len(self.text), step.href))

    def _add_text(self, text: str, block: Block) -> None:
        if block.tag == "pre":
            for line in text.split("\n"):
                self._add(line)
                self._flush(block)
            return
        # <b>地址</b>文三路: a word alone in an element is a label without a colon.
        piece = self.piece
        if 0 < len(piece) <= _LONGEST_LABEL and self.text.endswith(piece):
            self.text += " " if _BRANCH.search(piece) or self.is_label(piece) else ""
        text = as_seen(text)
        self._add(text)
        self.piece = text.strip()

    def _add(self, text: str) -> None:
        text = icons_of_emoji(_BLANKS.sub(" ", text))
        if not text or len(self.text) > _LONGEST_LINE:
            return
        self.size += len(text)
        if self.text.endswith(" ") or not self.text:
            text = text.lstrip(" ")
        elif _LATIN.match(text) and _begins_word(self.text, text):
            self.text += " "
        self.text += text[:_LONGEST_LINE]

    def _flush(self, block: Block) -> None:
        if _HOST.fullmatch(self.text) and self.lines and _MAILBOX.fullmatch(self.lines[-1].text):
            self.lines[-1].text += self.text
        elif self.text.strip() or self.links:
            self.lines.append(Line(self.text.rstrip(), self.block, self.links))
        self._begin(block)


def _is_empty(node: LexborNode) -> bool:
    """Return whether an element contains no text and few nodes, since elements may nest without end."""
    if node.child is None:
        return True
    for number, inner in enumerate(node.traverse(include_text=True)):
        is_text = inner.is_text_node and (inner.text_content or "").strip()
        if is_text or number > _NODES_OF_ICON:
            return False
    return True


def _begins_word(before: str, text: str) -> bool:
    """Return whether an element boundary separates words, <b>ACME</b><i>Glass</i>, not parts of a number."""
    if not _LATIN.match(before[-1]):
        return False
    if _WHOLE_NUMBER.match(text):
        return True
    return not (text[0].isdigit() and _PART_OF_NUMBER.search(before[-_LONGEST_NUMBER:]))
