"""Link from a list page to the next one."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import parse_qsl, urldefrag, urlsplit

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import text_of
from focuscrawl.sites.induction.main_list import is_more_link
from focuscrawl.sites.induction.page_scripts import is_leaf
from focuscrawl.sites.induction.paging.onward_link import (
    LINK_TAGS,
    OnwardLink,
    is_disabled,
    leading_link,
)
from focuscrawl.sites.induction.paging.pager import pagers
from focuscrawl.sites.page_reading import absolute_url, base_url

_EXACT = re.compile(
    r"\W*(?:下\s*一?\s*[页頁]|[后後]\s*一?\s*[页頁]|next(?: page)?|older(?: (?:posts?|entries|articles))?"
    r"|(?:更早|较早|較早|较旧|旧|早期|以前)的?(?:文章|日志|博文|内容|帖子))\W*",
    re.IGNORECASE,
)
CHINESE_NEXT = re.compile(r"[下后後]\s*一?\s*[页頁]")
_ENGLISH = re.compile(
    r"\W*(?:go to |view )?(?:the )?(?:next|older)(?:\s+(?:pages?|posts?|entries|articles?|results|news|list|\d+))*\W*",
    re.IGNORECASE,
)
NEXT_NAME = re.compile(
    r"(?:^|[\s_-])(?:next(?:[_-]?page)?|page[_-]?next)(?:$|[\s_-])|下一?[页頁]", re.IGNORECASE
)
# A double arrow is for the last page where there is a single one, too.
_ARROWS = {">": 3.0, "›": 3.0, "→": 3.0, "❯": 3.0, ">>": 2.9, "»": 2.9}
_MORE = re.compile(
    r"\W*(?:点击)?(?:加载|載入|显示|顯示)更多\W*|(?:load|show) more\W*", re.IGNORECASE
)
_NUMBERS = re.compile(r"\d+")
_PAGE_PARAMETER = re.compile(r"p|pn|.*page.*|start|offset|from", re.IGNORECASE)
_ARROW_NAME = re.compile(r"(?:chevron|angle|arrow)-right", re.IGNORECASE)
_PAGING = re.compile("pag|fenye|turn", re.IGNORECASE)
_LONGEST_CHINESE, _LONGEST_ENGLISH = 12, 25
_PAGING_DEPTH = 4
_WEAK, _LIKE_MORE = 3, 2
_NAMES = ("class", "rel", "title", "aria-label")


def next_link(page: _Element, url: str, entries: Collection[str]) -> OnwardLink | None:
    """Return the link to the next list page; None without one that leads to another page.

    ``entries`` are the URLs of the entries of the list.
    """
    best, most, likelihood, likeliest = None, 0.0, 0.0, 0.0
    base = base_url(page, url)
    for element in page.iter(*LINK_TAGS):
        said = 0.0 if is_disabled(element) else next_likelihood(element)
        likeliest = max(likeliest, said)
        link = leading_link(element, base, url) if said else None
        target = urldefrag(absolute_url(base, link.address)).url if link else ""
        if link is None or not _may_lead_on(element, said, target, url):
            continue
        score = said - 4 if target in entries else said
        if score > most:
            best, most, likelihood = link, score, said
    if likelihood > _WEAK:
        return best
    # Beside a 下一页 that leads nowhere, an arrow is for something else.
    return _by_number(page, base, url, entries, best if likeliest <= _WEAK else None)


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


def next_likelihood(element: _Element) -> float:
    """Return how likely an element is the link or button to the next page, 0 if it is not."""
    if element.tag == "link":
        return 4.2 if element.get("rel") == "next" else 0
    if element.tag != "a" and not is_leaf(element):
        return 0
    text = shown_text(element)
    if _EXACT.fullmatch(text):
        return 5
    if _has_chinese(text):
        return 4.5
    if NEXT_NAME.search(_names(element)):
        return 4
    if _has_english(text):
        return 3.5
    if is_more_link(element.get("title") or element.get("aria-label") or ""):
        return 0
    if text in _ARROWS:
        return _ARROWS[text]
    # The data-url of a button is that of data.
    if element.tag == "a" and _MORE.fullmatch(text):
        return _LIKE_MORE
    return 2.5 if _ARROW_NAME.search(_names(element)) and _is_paging(element) else 0


def shown_text(element: _Element) -> str:
    """Return the text of a link, or the one on a button or for its image."""
    if element.tag == "input":
        return " ".join((element.get("value") or "").split())
    return text_of(element) or image_text(element)


def image_text(link: _Element) -> str:
    """Return the text that stands for the only image of a link."""
    images = link.findall(".//img")
    return (images[0].get("alt") or "").strip() if len(images) == 1 else ""


def says_next(text: str) -> bool:
    """Return whether the words of a link, or an arrow, say that it leads on."""
    is_named = is_next_text(text) or _has_chinese(text) or _has_english(text)
    return is_named or text in _ARROWS or _MORE.fullmatch(text) is not None


def _has_chinese(text: str) -> bool:
    return bool(CHINESE_NEXT.search(text)) and len(text) < _LONGEST_CHINESE


def _has_english(text: str) -> bool:
    return bool(_ENGLISH.fullmatch(text)) and len(text) < _LONGEST_ENGLISH


def _names(link: _Element) -> str:
    own = (link.get(name) or "" for name in _NAMES)
    return " ".join([*own, *(node.get("class") or "" for node in link.iterdescendants("*"))])


def _is_paging(link: _Element) -> bool:
    around = [link, *list(link.iterancestors())[:_PAGING_DEPTH]]
    return any(_PAGING.search(f"{node.get('class')} {node.get('id')}") for node in around)


def _may_lead_on(element: _Element, said: float, target: str, url: str) -> bool:
    """Return whether an arrow or 加载更多 is for a page of the list, and not for another list."""
    if said > _WEAK or (said != _LIKE_MORE and _is_paging(element)):
        return True
    parts, here = urlsplit(target), urlsplit(url)
    given = parse_qsl(parts.query)
    changed = (pair[0] for pair in parse_qsl(here.query) if pair not in given)
    folder = re.sub(r"\d", "", here.path.rpartition("/")[0])
    return (
        re.sub(r"\d", "", parts.path).startswith(folder)
        and _NUMBERS.findall(target) not in ([], _NUMBERS.findall(url))
        and all(map(_PAGE_PARAMETER.fullmatch, changed))
    )


def _by_number(
    page: _Element, base: str, url: str, entries: Collection[str], arrow: OnwardLink | None
) -> OnwardLink | None:
    """Return the link of the number after that of the page, or ``arrow`` if it leads there, too."""
    for pager in pagers(page, url):
        for element in pager.items.get(pager.here + 1, ()):
            link = leading_link(element, base, url)
            target = urldefrag(absolute_url(base, link.address)).url if link else ""
            is_series = not pager.is_plain or (pager.is_shown and re.search(r"\d", target))
            if link and target not in entries and is_series and not (arrow and pager.is_plain):
                return arrow if arrow and arrow.address == link.address else link
    return arrow
