"""Postcodes and QQ numbers."""

from __future__ import annotations

import re

from focuscrawl.templates.found import Found

_POSTCODE = re.compile(r"(?<![\d.-])[0-8]\d(?:\s?\d){4}(?![\d.]|-\d)")
_IN_BRACKETS = re.compile(r"[(\[]\s?(\d{6})\s?[)\]]")
# Of Canada: some firms have offices there.
_WITH_LETTERS = re.compile(r"(?<![A-Za-z0-9])[A-Z]\d[A-Z]\s?\d[A-Z]\d(?![A-Za-z0-9])")
_QQ = re.compile(r"(?<![\d.-])[1-9]\d{4,10}(?![\d]|-\d)")
_MOST_BETWEEN = 15  # characters before a number: a name, blanks
_QQ_LINK = re.compile(
    r"(?:wpa\.qq\.com|tencent:|mqqwpa:|qm\.qq\.com).*?(?:[?&;]|%3f|%26)(?:uin|exe)=(\d{5,11})(?!\d)",
    re.I,
)


def postcodes(text: str, *, labelled: bool = False) -> list[Found]:
    """Return the postcodes in a folded text; without label only those in brackets."""
    if not labelled:
        matches = [(m.span(1), m[1]) for m in _IN_BRACKETS.finditer(text)]
    else:
        matches = [(m.span(), m[0]) for m in _POSTCODE.finditer(text)]
        matches = matches or [(m.span(), m[0]) for m in _WITH_LETTERS.finditer(text)]
    codes = [(span, "".join(code.split()) if code[0].isdigit() else code) for span, code in matches]
    return [
        Found(start, end, code, 1.0, code)
        for (start, end), code in codes
        if len(set(code)) > 1 and code != "123456"
    ]


def qq_numbers(text: str, *, labelled: bool = False) -> list[Found]:
    """Return the QQ numbers in a folded text: only a label tells them from other numbers."""
    if not labelled:
        return []
    found: list[Found] = []
    for match in _QQ.finditer(text):
        number, before = match[0], text[found[-1].end if found else 0 : match.start()]
        if len(before) > _MOST_BETWEEN:
            break
        if len(set(number)) > 1 and not number.startswith("12345678"):
            found.append(Found(*match.span(), number, 1.0, number))
    return found


def qq_of_link(href: str) -> str:
    """Return the QQ number that a link begins a talk with, ``""`` if it does not."""
    match = _QQ_LINK.search(href)
    return match[1] if match else ""
