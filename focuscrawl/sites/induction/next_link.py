"""Link from a list page to the next one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from urllib.parse import urldefrag, urljoin

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import text_of
from focuscrawl.sites.page_reading import base_url

_EXACT = re.compile(
    r"\W*(?:下\s*一?\s*[页頁]|后一?[页頁]|後一?頁|next(?: page)?|older(?: posts?)?)\W*",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"下\s*一?\s*[页頁]")
_ENGLISH = re.compile(r"next|older", re.IGNORECASE)
_NEXT_NAME = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])|下一[页頁]", re.IGNORECASE)
_ARROWS = frozenset({">", ">>", "›", "»", "→", "❯"})
_ARROW_NAME = re.compile(r"(?:chevron|angle|arrow)-right", re.IGNORECASE)
_PAGING = re.compile("pag|fenye|turn", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"(?:page[/=_-]?|_|/p/|list_\d+_|index_)(\d+)", re.IGNORECASE)
_LONGEST_CHINESE, _LONGEST_ENGLISH = 12, 25
_PAGING_DEPTH = 4


def next_link(page: _Element, url: str, entries: Collection[str]) -> _Element | None:
    """Return the link element to the next list page; None without one or if it leads nowhere.

    ``entries`` are the URLs of the entries of the list.
    """
    best, most = None, 0.0
    base = base_url(page, url)
    for link in page.iter("a", "link"):
        score = _likelihood(link)
        if score and urldefrag(urljoin(base, link.get("href") or "")).url in entries:
            score -= 4
        if score > most:
            best, most = link, score
    if best is None:
        best = next(_numbered(page, url), None)
    return best if best is not None and _leads_on(best, base, url) else None


def is_next_text(text: str) -> bool:
    """Return whether a link text is 下一页 or the like."""
    return _EXACT.fullmatch(text) is not None


def icon_condition(link: _Element) -> str:
    """Return an XPath condition for the arrow icon in a link; empty if it has none."""
    for node in link.iterdescendants("*"):
        found = _ARROW_NAME.search(node.get("class") or "")
        if found:
            return f'.//{node.tag}[contains(@class, "{found[0]}")]'
    return ""


def _likelihood(link: _Element) -> float:
    if not link.get("href"):
        return 0
    if link.tag == "link":
        return 4.2 if link.get("rel") == "next" else 0
    text = text_of(link)
    if _EXACT.fullmatch(text):
        return 5
    if _CHINESE.search(text) and len(text) < _LONGEST_CHINESE:
        return 4.5
    if _NEXT_NAME.search(_names(link)):
        return 4
    if _ENGLISH.search(text) and len(text) < _LONGEST_ENGLISH:
        return 3.5
    if text in _ARROWS:
        return 3
    return 2.5 if _ARROW_NAME.search(_names(link)) and _is_paging(link) else 0


def _names(link: _Element) -> str:
    own = (link.get(name) or "" for name in ("class", "rel", "title", "aria-label"))
    return " ".join([*own, *(node.get("class") or "" for node in link.iterdescendants("*"))])


def _is_paging(link: _Element) -> bool:
    around = [link, *list(link.iterancestors())[:_PAGING_DEPTH]]
    return any(_PAGING.search(f"{node.get('class')} {node.get('id')}") for node in around)


def _numbered(page: _Element, url: str) -> Iterator[_Element]:
    here = _PAGE_NUMBER.search(url)
    following = str(int(here[1]) + 1 if here else 2)
    yield from (a for a in page.iter("a") if text_of(a) == following and _is_paging(a))


def _leads_on(link: _Element, base: str, url: str) -> bool:
    target = urldefrag(urljoin(base, (link.get("href") or "").strip())).url
    return target.startswith(("http://", "https://")) and target != urldefrag(url).url
