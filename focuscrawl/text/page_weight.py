"""Detection, from their bytes, of pages too heavy for a parser; lighter copies of them."""

from __future__ import annotations

import re

# Pages of fewer bytes, or tags, are always parsed fast enough.
_FEW_BYTES = 128 * 1024
_FEW_TAGS = 2000
# Nested within one another, so many tags take the parser a second.
_MANY_TAGS = 24_000
# Elements created by the parser, of 360 bytes each: see most_elements.
_MANY_ELEMENTS = 1_000_000
# Attributes that all tokenizers read the same way.
_PLAIN = rb"""(?:[ \t\r\n]+[\w:-]+(?:="[^"<>]*+"|='[^'<>]*+'|=[\w#.%-]*+)?)*+[ \t\r\n]*+"""
_PLAIN_TAG = re.compile(rb"<\w+" + _PLAIN)
# Formatting elements of the HTML standard (13.2.4.3) with attributes, except <a> and <nobr>, which close
# the one before, and those closed by the next tag: <i class="x">text</i>. Names that match by chance do
# no harm; matching with IGNORECASE takes twice as long.
_FORMATTING = re.compile(
    rb"<([bBcCeEfFiIsStTuU](?:[iI][gG]|[oO][dD][eE]|[mM]|[oO][nN][tT]|[mM][aA][lL][lL]"
    rb"|[tT][rR][iI][kK][eE]|[tT][rR][oO][nN][gG]|[tT])?)(?=[\s/])"
    rb"(?!" + _PLAIN + rb">[^<]{0,500}+</(?i:\1)>)[^>]*+"
)
# Twelve element names, each active up to three times.
_WITHOUT_ATTRIBUTES = 36
# The time for a tag grows with the square of its attributes: 8,000 take 0.1 s, 75,000 a minute. This
# matches a tag of 100 parts, quoted or not, one with 200 consecutive characters outside quotes, and one
# with a quoted value of 4,096: searching for the end of that from each of many tags is quadratic too.
# Tags that do not match have at most 5,000 attributes.
_ATTRIBUTES = re.compile(
    rb"""<[a-zA-Z](?:[^>"']{1,199}+(?![^>"'])|"[^"]{0,4095}+"|'[^']{0,4095}+'){0,99}+[^>]"""
)
_TITLE = re.compile(rb"<title[^>]{0,200}>([^<]{0,1000})", re.IGNORECASE)
_MARKUP = re.compile(
    rb"<(?:!--.*?(?:-->|\Z)|(script|style)\b.*?(?:</\1[^>]*+>?|\Z)|[^>]*+>?)", re.I | re.S
)


def may_be_too_heavy(html: bytes) -> bool:
    """Return whether a parser may need seconds or hundreds of megabytes for a page.

    It is true for one page in thirty; only a parser can find the few of these that really are. If it
    is false, the page is harmless, even if it was constructed to be heavy.
    """
    if len(html) < 4 * _FEW_TAGS:
        return False
    tags = html.count(b"<")
    if tags > _MANY_TAGS or (tags > _FEW_TAGS and most_elements(html, tags) > _MANY_ELEMENTS):
        return True
    return len(html) > _FEW_BYTES and _ATTRIBUTES.search(html) is not None


def as_text(html: bytes) -> bytes:
    """Return a page reduced to its title and one block of text, in time linear in its length."""
    title = _TITLE.search(html)
    text = b" ".join(_MARKUP.sub(b" ", html).split())
    return b"<title>%b</title><body><p>%b</p>" % (title[1] if title else b"", text)


def most_elements(html: bytes, tags: int) -> int:
    """Return an upper bound of the elements that a parser creates for unclosed formatting elements.

    ``tags`` is the number of ``<`` in the page. Each block creates all of them again (HTML standard,
    13.2.4.3: reconstruct the active formatting elements), of those with equal attributes three.
    """
    found = [tag[0] for tag in _FORMATTING.finditer(html)]
    plain = [tag for tag in found if _PLAIN_TAG.fullmatch(tag)]
    # A tag with other attributes need not end at its first ">".
    distinct = len(set(plain)) * 3 + len(found) - len(plain)
    opened = min(len(found), distinct) + _WITHOUT_ATTRIBUTES
    return opened * (tags - len(found))
