"""Web addresses as printed on pages."""

from __future__ import annotations

import re

from focuscrawl.templates.extraction.values.found_value import Found

_DOT = r"\s?\.\s?"
_KNOWN_ENDING = (
    r"(?:com\.cn|net\.cn|org\.cn|gov\.cn|edu\.cn|ac\.cn|com\.hk|com\.tw|com|cn|net|org|gov|edu|cc|info"
    r"|biz|co|io|tv|me|top|vip|xyz|hk|tw|ltd|shop|site|online|tech|store|wang|club|asia|mobi|name|pro)"
)
# There are over a thousand top-level domains; after http or www any of them is accepted.
_ENDING = rf"(?(www)[A-Za-z]{{2,24}}|(?(scheme)[A-Za-z]{{2,24}}|{_KNOWN_ENDING}))"
_PATH = r"(?:/[A-Za-z0-9_\-./?=&%#~]*)?"
_SITE = re.compile(
    rf"(?<![A-Za-z0-9@._-])(?:(?P<scheme>https?\s?:\s?/\s?/\s?)|(?P<www>www{_DOT}))?"
    rf"(?P<host>(?:[A-Za-z0-9-]{{1,63}}{_DOT}){{1,4}}{_ENDING})(?![A-Za-z0-9@-])(?::\d{{2,5}})?(?P<path>{_PATH})",
    re.IGNORECASE,
)
# Nothing but a host behind a label, under any top-level domain.
_WHOLE = re.compile(r"[\s:]*((?:[A-Za-z0-9-]{2,63}\.){1,3}[A-Za-z]{2,24})/?\s*")
_HOME = re.compile(r"/?|/index\.\w+|/(?:cn|en|zh)/?")
_BLANKS = re.compile(r"\s+")
# Sites that any page mentions: the register of sites, maps, browsers, sharing.
_OTHERS = re.compile(
    r"(?:^|\.)(?:gov\.cn/?$|miit\.gov\.cn|miibeian\.gov\.cn|beian\.gov\.cn|baidu\.com|qq\.com|weibo\.com"
    r"|google\.\w+|microsoft\.com|mozilla\.org|taobao\.com|tmall\.com|1688\.com|alibaba\.com|jd\.com|w3\.org|amap\.com"
    r"|cnzz\.com|bdimg\.com|youtube\.com|facebook\.com|twitter\.com|linkedin\.com|instagram\.com)(?:[/:]|$)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"(?:^|\.)(?:example|domain|yourdomain|yoursite|x{3,}|website)\.\w+", re.I)


def web_addresses(text: str, *, labelled: bool = False) -> list[Found]:
    """Return the web addresses in a folded text; ``www. abc .com`` is ``www.abc.com``.

    ``labelled`` also accepts those that begin with neither ``http`` nor ``www``, and those of a
    page within a site.
    """
    found = []
    whole = _WHOLE.fullmatch(text) if labelled else None
    if whole and not _EXAMPLE.search(whole[1]) and not _SITE.search(text):
        return [Found(*whole.span(1), whole[1], 0.9, _key(whole[1]))]
    for match in _SITE.finditer(text) if "." in text else ():
        if not labelled and not (
            (match["scheme"] or match["www"]) and _HOME.fullmatch(match["path"])
        ):
            continue
        value = _BLANKS.sub("", match[0]).rstrip("./?&#")
        key = _key(value)
        if not _EXAMPLE.search(key) and (labelled or not _OTHERS.search(key)):
            found.append(Found(match.start(), match.end(), value, 1.0, key))
    return found


def _key(value: str) -> str:
    bare = value.lower().partition("://")[2] or value.lower()
    return bare.removeprefix("www.").rstrip("/")
