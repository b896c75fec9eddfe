"""Pages that may be too heavy for a parser, told from their bytes, and lighter copies of them."""

from __future__ import annotations

import re

# A parser's time for a page of fewer bytes, or tags, is no danger whatever they are.
_FEW_BYTES = 128 * 1024
_FEW_TAGS = 2000
# Nested without end, so many tags take the parser a second.
_MANY_TAGS = 24_000
# Elements of 360 bytes each that a parser makes of the page: see most_elements.
_MANY_ELEMENTS = 1_000_000
# Attributes that every tokenizer reads in the same way.
_PLAIN = rb"""(?:[ \t\r\n]+[\w:-]+(?:="[^"<>]*+"|='[^'<>]*+'|=[\w#.%-]*+)?)*+[ \t\r\n]*+"""
_PLAIN_TAG = re.compile(rb"<\w+" + _PLAIN)
# Formatting elements with attributes as the HTML standard has them (13.2.4.3), but <a> and <nobr>, which
# close the one before, and those that the next tag closes: <i class="x">text</i>. Letters that follow one
# of these by chance do no harm; to compare without regard to case takes twice as long.
_FORMATTING = re.compile(
    rb"<([bBcCeEfFiIsStTuU](?:[iI][gG]|[oO][dD][eE]|[mM]|[oO][nN][tT]|[mM][aA][lL][lL]"
    rb"|[tT][rR][iI][kK][eE]|[tT][rR][oO][nN][gG]|[tT])?)(?=[\s/])"
    rb"(?!" + _PLAIN + rb">[^<]{0,500}+</(?i:\1)>)[^>]*+"
)
# Twelve names, each up to three times.
_WITHOUT_ATTRIBUTES = 36
# The time for a tag grows with the square of its attributes: 8,000 take 0.1 s, 75,000 a minute. This
# finds a tag of 100 parts, quoted or not, one with 200 characters outside quotes in a row, and one with
# a quoted value of 4,096: to look for its end from each of many tags takes a time that grows with the
# square, too. What it leaves out has 5,000 attributes at most.
_ATTRIBUTES = re.compile(
    rb"""<[a-zA-Z](?:[^>"']{1,199}+(?![^>"'])|"[^"]{0,4095}+"|'[^']{0,4095}+'){0,99}+[^>]"""
)
_TITLE = re.compile(rb"<title[^>]{0,200}>([^<]{0,1000})", re.IGNORECASE)
_MARKUP = re.compile(
    rb"<(?:!--.*?(?:-->|\Z)|(script|style)\b.*?(?:</\1[^>]*+>?|\Z)|[^>]*+>?)", re.I | re.S
)


def may_be_too_heavy(html: bytes) -> bool:
    """Tell whether a parser may need seconds or hundreds of megabytes for a page.

    One page in thirty may, and few of these do: only a parser can tell. But no page for which this
    is false does, even if it was written for that.
    """
    if len(html) < 4 * _FEW_TAGS:
        return False
    tags = html.count(b"<")
    if tags > _MANY_TAGS or (tags > _FEW_TAGS and most_elements(html, tags) > _MANY_ELEMENTS):
        return True
    return len(html) > _FEW_BYTES and _ATTRIBUTES.search(html) is not None


def as_text(html: bytes) -> bytes:
    """Return a page as its title and one block of text, in time that grows with its length."""
    title = _TITLE.search(html)
    text = b" ".join(_MARKUP.sub(b" ", html).split())
    return b"<title>%b</title><body><p>%b</p>" % (title[1] if title else b"", text)


def most_elements(html: bytes, tags: int) -> int:
    """Return how many elements a parser makes at most of formatting elements that are not closed.

    ``tags`` is how many ``<`` the page has.

    Each block makes all of them again (HTML standard, 13.2.4.3: reconstruct the active formatting
    elements), of those with the same attributes three.
    """
    found = [tag[0] for tag in _FORMATTING.finditer(html)]
    plain = [tag for tag in found if _PLAIN_TAG.fullmatch(tag)]
    # What else a tag holds need not end with its first ">".
    distinct = len(set(plain)) * 3 + len(found) - len(plain)
    opened = min(len(found), distinct) + _WITHOUT_ATTRIBUTES
    return opened * (tags - len(found))
