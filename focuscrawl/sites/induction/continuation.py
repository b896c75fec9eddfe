"""Links to the next page, or to the whole text, of an article that is split."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Container
from urllib.parse import parse_qsl, urldefrag, urlsplit

from lxml import etree
from lxml.etree import _Element

from focuscrawl.sites.induction.paging.next_link import is_next_text, onward_link
from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.text.seen_text import as_seen

_ENDING = re.compile(r"\.(?:s?html?|aspx?|php|jsp)$", re.IGNORECASE)
_NUMBER = re.compile(r"(?:/index)?(?:[_/.-]|[_/-]?p(?:age)?[_/-]?)(\d{1,2})/?", re.IGNORECASE)
_PAGE_NAME = re.compile(r"p|pn|pg|(?:cur(?:rent)?_?)?page_?(?:no|num|number|index)?", re.IGNORECASE)
# 第2页：后市展望, «2», Page 2.
_PAGE_WORDS = re.compile(
    r"第?\s*([\d二三四五六七八九十]{1,2})\s*[页頁].*|\W*(?:page)?\s*(\d{1,2})\W*", re.IGNORECASE
)
_NUMERALS = "一二三四五六七八九十"
_LONGEST_WORDS, _LONGEST_TEXT = 30, 300
_TEXT = etree.XPath("string()")
_WHOLE = re.compile(
    r"全文|[余餘]下|剩[余餘]|完整|全部|[单單][页頁]|本[页頁]|不分[页頁]|[继繼][续續][阅閱]"
)
_WHOLE_WORDS = re.compile(
    r"\W*(?:(?:请|請|点击|點擊|点此|點此|查看|阅读|閱讀|显示|顯示|展开|展開|浏览|瀏覽|继续|繼續|余下|餘下|剩余|剩餘|全部|完整|本文"
    r"|单页|單頁|本页|本頁|不分页|不分頁|全文|内容|內容|部分|正文|文章|在|的|版)\W*)+"
    r"|\W*(?:(?:continue|read|view|show|see|the|full|whole|entire|complete|all|more|text|article|story|reading|on|as|a|one"
    r"|single|page)\W+){2,6}",
    re.IGNORECASE,
)
_WHOLE_LATIN = re.compile(
    r"read(?:ing)?\W|full|whole|entire|complete|all|single|one", re.IGNORECASE
)
_ASIDE = re.compile(r"comment|reply|review|pinglun|huifu|liuyan|评论", re.IGNORECASE)
_ASIDE_DEPTH = 6
_FIRST_EAST_ASIAN = "\u2e80"


def continues(url: str, target: str) -> bool:
    """Return whether the address of a page is that of ``url`` with the number of a page."""
    one, other = urlsplit(urldefrag(url).url), urlsplit(urldefrag(target).url)
    if one.netloc != other.netloc or one[:4] == other[:4]:
        return False
    stem, longer = _ENDING.sub("", one.path), _ENDING.sub("", other.path)
    if one.path == other.path:
        before, after = dict(parse_qsl(one.query)), dict(parse_qsl(other.query))
        added = {name for name in after if after[name] != before.get(name)}
        return len(added) == 1 and all(_PAGE_NAME.fullmatch(name) for name in added)
    stem = stem.rstrip("/")
    return longer.startswith(stem) and _NUMBER.fullmatch(longer[len(stem) :]) is not None


def further_page(page: _Element, url: str, first: str, seen: Container[str]) -> tuple[str, bool]:
    """Return the URL of a page of the article at ``first`` that is not ``seen``, and whether it has the whole text.

    The page of ``url`` links to it by a number, by 下一页, or by 余下全文 and the like. ``("", False)`` without one.
    """
    following: dict[float, str] = {}
    base = base_url(page, url)
    for element in page.iter("a", "option", "button", "span", "li"):
        # Most elements are left out by their words, which takes a tenth of the time of their links.
        text = _words(element)
        if not text:
            continue
        number, is_whole = _number_of(text), _says_whole(text)
        link = onward_link(element) if number > 1 or is_whole or is_next_text(text) else None
        target = absolute_url(base, link.address) if link else ""
        if target in ("", url, first) or target in seen or _is_aside(element):
            continue
        if is_whole and _is_own(first, target):
            return target, True
        if continues(first, target) or continues(url, target):
            following.setdefault(number or math.inf, target)
    return (following[min(following)] if following else ""), False


def _words(element: _Element) -> str:
    """Return the text of an element, ``""`` if it is long."""
    text = str(_TEXT(element)) if len(element) else element.text or ""
    text = as_seen(" ".join(text.split())) if len(text) <= _LONGEST_TEXT else ""
    return text if len(text) <= _LONGEST_WORDS else ""


def _number_of(text: str) -> int:
    """Return the number of the page that a link with this text leads to, 0 if it is none."""
    found = _PAGE_WORDS.fullmatch(text)
    number = next(filter(None, found.groups())) if found else "0"
    return int(number) if number.isdecimal() else _NUMERALS.find(number) + 1


def _says_whole(text: str) -> bool:
    is_latin = max(text) < _FIRST_EAST_ASIAN
    says = _WHOLE_LATIN.search(f"{text} ") if is_latin else _WHOLE.search(text)
    return says is not None and _WHOLE_WORDS.fullmatch(f"{text} ") is not None


def _is_own(first: str, target: str) -> bool:
    """Return whether an address has the name or number of the article at ``first``, and is on its site."""
    one, other = urlsplit(first), urlsplit(target)
    stem = _ENDING.sub("", one.path).removesuffix("/index").rstrip("/").rpartition("/")[2]
    names = [value for _, value in parse_qsl(one.query)] or [stem]
    rest = f"{other.path}?{other.query}"
    return one.netloc.partition(".")[2] == other.netloc.partition(".")[2] and all(
        re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", rest) for name in names if name
    )


def _is_aside(element: _Element) -> bool:
    around = itertools.islice(element.iterancestors(), _ASIDE_DEPTH)
    return any(_ASIDE.search(f"{node.get('class')} {node.get('id')}") for node in around)
