"""Postcodes and QQ numbers."""

from __future__ import annotations

import re

from focuscrawl.templates.extraction.values.found_value import Found

_POSTCODE = re.compile(r"(?<![\d.-])([0-8]\d(?:\s?\d){4})(?![\d.]|-\d)")
_BY_SIGN = re.compile(r"(?:[(\[]\s?(?=\d{6}\s?[)\]])|〒\s?)(\d{6})(?!\d)")
# Canadian postcodes: some firms have offices there.
_WITH_LETTERS = re.compile(r"(?<![A-Za-z0-9])([A-Z]\d[A-Z]\s?\d[A-Z]\d)(?![A-Za-z0-9])")
# Digits behind letters are part of another account: QQ / 微信：8001234 / qinghe8001234.
_QQ = re.compile(r"(?<![\d._-])(?<![a-pr-zA-PR-Z])[1-9]\d{4,10}(?![\d@]|-\d)")
_COUNTING = re.compile(r"123456(?:7(?:8\d*)?)?")
_MOST_BETWEEN = 15  # characters before a number: a name, blanks
_QQ_LINK = re.compile(
    r"(?:wpa\.qq\.com|tencent:|mqqwpa:|qm\.qq\.com).*?(?:[?&;]|%3f|%26)(?:uin|exe)=(\d{5,11})(?!\d)",
    re.I,
)


def postcodes(text: str, *, labelled: bool = False) -> list[Found]:
    """Return the postcodes in a folded text; without a label only those in brackets or after 〒."""
    if not labelled:
        matches = list(_BY_SIGN.finditer(text))
    else:
        matches = near_one_another(_POSTCODE, text) or near_one_another(_WITH_LETTERS, text)
    found = []
    for match in matches:
        code = "".join(match[1].split()) if match[1][0].isdigit() else match[1]
        if len(set(code)) > 1 and code != "123456":
            found.append(Found(*match.span(1), code, 1.0, code))
    return found


def qq_numbers(text: str, *, labelled: bool = False) -> list[Found]:
    """Return the QQ numbers in a folded text; none without a label, as any number looks like one."""
    if not labelled:
        return []
    return [
        Found(*match.span(), match[0], 1.0, match[0])
        for match in near_one_another(_QQ, text)
        if len(set(match[0])) > 1 and not _COUNTING.fullmatch(match[0])
    ]


def near_one_another(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return the matches from the start of the text up to the first gap that is too wide."""
    found: list[re.Match[str]] = []
    for match in pattern.finditer(text):
        if match.start() - (found[-1].end() if found else 0) > _MOST_BETWEEN:
            break
        found.append(match)
    return found


def qq_of_link(href: str) -> str:
    """Return the QQ number of a link that opens a chat, ``""`` for other links."""
    match = _QQ_LINK.search(href)
    return match[1] if match else ""
