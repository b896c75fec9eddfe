"""E-mail addresses, including obfuscated ones."""

from __future__ import annotations

import re

from focuscrawl.templates.extraction.values.found_value import Found

_AT = r"\s?(?:@|[\[({<#]\s?(?:at|@)\s?[\])}>#]|#at#|\sat\s(?=[\w.-]+\.(?:com|cn|net|org)\b))\s?"
_DOT = r"(?:\.|\s?\.\s?(?=(?:com|cn|net|org)\b)|\s?[\[({#]\s?(?:dot|\.)\s?[\])}#]\s?)"
_EMAIL = re.compile(
    rf"(?<![A-Za-z0-9._%+-])([A-Za-z0-9][A-Za-z0-9._%+-]{{0,63}}){_AT}"
    rf"((?:[A-Za-z0-9-]{{1,40}}{_DOT}){{1,4}}[A-Za-z]{{2,24}})",
    re.IGNORECASE,
)
# Accepted only after a label: info#163.com (请将#换成@)
_DISGUISED = re.compile(
    rf"(?<![A-Za-z0-9._%+-])([A-Za-z0-9][A-Za-z0-9._%+-]{{0,63}})\s?(?:[#◎⊙*]|\(a\)|\[a\])\s?"
    rf"((?:[A-Za-z0-9-]{{1,40}}{_DOT}){{1,4}}[A-Za-z]{{2,24}})",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(r"[#◎⊙*]\s?[改换替]\S{0,3}\s?@")
_ANY_DOT = re.compile(_DOT, re.IGNORECASE)
# The following word may be attached to the address: abc@163.comTel
_ENDING = re.compile(
    r"\.(?:com\.cn|net\.cn|org\.cn|gov\.cn|edu\.cn|com|cn|net|org)(?=[a-z]*$)", re.I
)
_KNOWN_ENDINGS = frozenset(
    "com cn net org edu gov info biz cc co io me tv hk tw top vip xyz".split()
)
_FILES = frozenset("png jpg jpeg gif webp svg css js".split())
_PLACEHOLDER = re.compile(
    r"(?:x{2,}|your\w*|name|user(?:name)?|example|email|someone|test|abc|info|admin)@"
    r"(?:x{2,}|example|domain|yourdomain|yoursite|your\w*|company|email|mail|test|website|site|admin)\.\w+"
    r"|.*@(?:example\.(?:com|org|net|cn)|domain\.com|(?:x{2,}|\*+)\.\w+|sentry\..*)$",
    re.IGNORECASE,
)


def emails(text: str, *, labelled: bool = False) -> list[Found]:
    """Return the e-mail addresses in a folded text: ``abc#at#163.com`` is ``abc@163.com``.

    ``labelled`` also accepts those with another sign in place of the @.
    """
    found = []
    matches = list(_EMAIL.finditer(text)) if _may_hold(text) else []
    is_disguised = labelled or _EXPLAINED.search(text)
    for match in matches or (_DISGUISED.finditer(text) if is_disguised else ()):
        domain = _ANY_DOT.sub(".", match[2]).replace(" ", "").lower()
        cut = _cut(domain)
        value = f"{match[1].strip('.-_')}@{cut}"
        last = cut.rpartition(".")[2]
        if last not in _FILES and not _PLACEHOLDER.fullmatch(value):
            end = match.end() - (len(domain) - len(cut))
            found.append(Found(match.start(), end, value, 1.0, value.lower()))
    return found


def _may_hold(text: str) -> bool:
    return "@" in text or "at" in text.lower()


def _cut(domain: str) -> str:
    ending = domain.rpartition(".")[2]
    if ending in _KNOWN_ENDINGS or len(ending) <= 3:
        return domain
    cut = _ENDING.search(domain)
    return domain[: cut.end()] if cut else domain
