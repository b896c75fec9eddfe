"""Link from a list page to the next one: addresses in links and scripts, pagers, and the words for it."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, urldefrag, urlsplit

from lxml.etree import _Element

from focuscrawl.network.address_rules import reference
from focuscrawl.sites.induction.link_groups import text_of
from focuscrawl.sites.induction.main_list import is_more_link
from focuscrawl.sites.induction.missing_list import is_leaf
from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.sites.site_profile import ADDRESSES

QUOTED = r"""['"]([^'"]+)['"]"""
_QUOTED = re.compile(QUOTED)
_LIKE_ADDRESS = re.compile(r"https?:|\.{0,2}/|\?\w|[\w%./-]+\.(?:s?html?|aspx?|php|jsp|do)\b", re.I)
_SCRIPTED = re.compile(r"\s*javascript\s*:", re.IGNORECASE)
_DATA = ("data-href", "data-url", "data-link")
LINK_TAGS = ("a", "link", "button", "input", "li", "span", "div", "i")
# Pagers.
_NUMBER = re.compile(r"[\[(（【［<]?\s*第?\s*(\d{1,3})\s*[页頁]?\s*[\])）】］>]?")
# A text that ends with the number of the page, before the link to the next one.
BARE_NUMBER = r"(^|[\s\[(（|])\d+[\])）]?[\s\[(（|]*$"
_URL_NUMBER = re.compile(r"(?:page[/=_-]?|_|/p/|list_\d+_|index_)(\d+)", re.IGNORECASE)
_ITEMS = ("a", "button", "li", "span", "b", "strong", "em", "i", "font", "td", "div", "label", "u", "option")  # fmt: skip
_PAGER_NAME = re.compile(r"page|pagi|pager|fenye|turn|\bpg\b", re.IGNORECASE)
# Numbers of pictures and of days.
_OTHER = re.compile(
    r"slid|swiper|focus|banner|carousel|flash|dots|calendar|rili|datepicker", re.IGNORECASE
)
_WORD = re.compile(
    r"首\s*[页頁]|[尾末][页頁]|最[后後]一?[页頁]|[上下前后後]\s*一?\s*[页頁]|(?:共|总|總|合计)\s*(?:有|计|数)?"
    r"|每[页頁]|第|条|條|记录|記錄|篇|[页頁](?:次|码|碼|数)?|当前|跳\s*转?|转?到|至|确定|前往"
    r"|first|last|prev(?:ious)?|next|older|newer|pages?|total|posts?|entries|goto|go|of",
    re.IGNORECASE,
)
_CHAINED = re.compile(
    r"[上下前后後]\s*一?\s*[页頁]|[尾末][页頁]|[共总總]\s*(?:有|计)?\s*\d+\s*[页頁]"
)
_STATE = re.compile(
    r"active|cur(?:rent)?|selected|this|now|\bon\b|thisclass|hover|is-current", re.IGNORECASE
)
_COUNTED = re.compile(
    r"[共总總]\s*(?:有|计|数)?\s*[::]?\s*\d+|\d+\s*/\s*\d+|每[页頁]\s*\d+|\d+\s*[条條篇]"
)
_HERE = re.compile(r"第\s*(\d{1,3})\s*[页頁]|(\d{1,3})\s*/\s*\d{1,3}")
_LONGEST_PAGER, _PAGER_DEPTH = 400, 4
_FEW, _MANY = 2, 30
# The words of a link to the next page.
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


class OnwardLink(NamedTuple):
    """An element with the address of a page in one of its attributes, perhaps in quotes in a script."""

    element: _Element
    attribute: str
    address: str
    is_quoted: bool = False


def onward_link(element: _Element) -> OnwardLink | None:
    """Return the address that an element leads to, None if it has none."""
    href = reference(element.get("href") or "")
    if element.tag in ("a", "link") and href.strip("#") and not _SCRIPTED.match(href):
        return None if href.startswith("#") else OnwardLink(element, "href", href)
    for name in (*_DATA, *(("value",) if element.tag == "option" else ())):
        value = element.get(name) or ""
        value = reference(value) if name.endswith(ADDRESSES) else squeezed(value)
        if _LIKE_ADDRESS.match(value):
            return OnwardLink(element, name, value)
    for name in ("onclick", "href"):
        quoted = _QUOTED.search(element.get(name) or "")
        if quoted and _LIKE_ADDRESS.match(quoted[1]):
            return OnwardLink(element, name, squeezed(quoted[1]), is_quoted=True)
    return None


def leading_link(element: _Element, base: str, url: str) -> OnwardLink | None:
    """Return the link of an element if it leads to another page of the site of ``url``, else None."""
    link = onward_link(element)
    target = absolute_url(base, link.address) if link else ""
    is_other = target not in ("", absolute_url(url, urldefrag(url).url))
    return link if is_other and _site(target) == _site(url) else None


def is_scripted(element: _Element) -> bool:
    """Return whether only a script knows where an element leads: it has no address, but a script."""
    href = element.get("href")
    has_script = any(element.get(name) for name in ("onclick", "ng-click", "@click", "v-on:click"))
    is_dead = href is not None and (href.strip() in ("", "#") or bool(_SCRIPTED.match(href)))
    is_button = element.tag in ("button", "input")
    return onward_link(element) is None and (has_script or is_dead or is_button)


def is_disabled(element: _Element) -> bool:
    """Return whether an element, or the item of a list around it, says that it leads nowhere."""
    parent = element.getparent()
    nodes = [element, *([parent] if parent is not None and parent.tag == "li" else [])]
    return any(
        node.get("disabled") is not None
        or node.get("aria-disabled") == "true"
        or re.search(r"disable|nolink|no-?more", node.get("class") or "", re.IGNORECASE)
        for node in nodes
    )


def _site(url: str) -> list[str]:
    return (urlsplit(url).hostname or "").rsplit(".", 2)[-2:]


def squeezed(value: str | None) -> str:
    """Return the value of an attribute with single blanks and none around it, as rules select it."""
    return " ".join((value or "").split())


@dataclass(frozen=True, slots=True)
class Pager:
    """A box with page numbers: the elements that show each, and the number of the page itself.

    It ``is_plain`` if nothing but its numbers speaks for it: neither a name nor words such as 下一页;
    ``is_shown`` if the number of the page is among its numbers.
    """

    box: _Element
    items: dict[int, list[_Element]]
    here: int
    is_plain: bool
    is_shown: bool


def page_number(text: str) -> int | None:
    """Return the number in a text such as 2, [2], (2) or 第2页, and None for any other."""
    found = _NUMBER.fullmatch(text.strip())
    return int(found[1]) if found else None


def other_words(text: str) -> str:
    """Return the letters of a text that are no words of pagers."""
    return re.sub(r"[\W\d_]+", "", _WORD.sub("", text))


def pagers(page: _Element, url: str) -> Iterator[Pager]:
    """Yield the pagers of the page of ``url``."""
    boxes: dict[_Element, dict[int, list[_Element]]] = defaultdict(lambda: defaultdict(list))
    known: dict[_Element, bool] = {}
    for element, number in _numbers(page):
        for around in itertools.islice(element.iterancestors(), _PAGER_DEPTH):
            if around.tag in ("body", "html"):
                break
            if around not in known:
                known[around] = _has_numbers(around)
            if known[around]:
                boxes[around][number].append(element)
                break
    base = base_url(page, url)
    for box, items in boxes.items():
        is_named, has_words = _is_named(box), bool(_CHAINED.search(text_of(box)))
        if _is_pager(box, is_named=is_named):
            here = _here(box, items, base, url)
            is_shown = here in items or here in _bare_numbers(box)
            yield Pager(box, dict(items), here, not is_named and not has_words, is_shown)


def _numbers(page: _Element) -> Iterator[tuple[_Element, int]]:
    """Yield the elements that show nothing but a number: links, otherwise the innermost."""
    for element in page.iter(*_ITEMS):
        number = page_number(text_of(element)) if is_leaf(element) else None
        if number is None:
            continue
        is_link = element.tag in ("a", "option", "button")
        inner = any(page_number(text_of(child)) is not None for child in element)
        outer = any(node.tag in ("a", "button") for node in itertools.islice(element.iterancestors(), 2))  # fmt: skip
        if is_link or not (inner or outer):
            yield element, number


def _has_numbers(around: _Element) -> bool:
    """Return whether an element shows at least two numbers."""
    text = " ".join(" ".join(map(str, around.itertext())).split())
    return len(text) <= _LONGEST_PAGER and len(set(re.findall(r"\d+", _COUNTED.sub(" ", text)))) > 1


def _is_named(box: _Element) -> bool:
    around = [box, *itertools.islice(box.iterancestors(), 2)]
    names = (f"{node.get('class')} {node.get('id')} {node.get('name')}" for node in around)
    return any(map(_PAGER_NAME.search, names))


def _is_pager(box: _Element, *, is_named: bool) -> bool:
    around = [box, *itertools.islice(box.iterancestors(), _PAGER_DEPTH)]
    if any(_OTHER.search(f"{node.get('class')} {node.get('id')}") for node in around):
        return False
    return len(other_words(text_of(box))) <= (_MANY if is_named else _FEW)


def _here(box: _Element, items: dict[int, list[_Element]], base: str, url: str) -> int:
    """Return the number of the page: the only one that is no link, or is marked, or printed, or in the URL."""
    closed = {
        number
        for number, elements in items.items()
        if not any(leading_link(element, base, url) for element in elements)
    }
    marked = {number for number, elements in items.items() if any(map(_is_marked, elements))}
    bare = _bare_numbers(box) - (set(items) - closed)
    for found in (marked, closed if len(items) > 1 else set(), bare):
        if len(found) == 1:
            return next(iter(found))
    printed = _HERE.search(text_of(box)) if not items else None
    number = printed or _URL_NUMBER.search(url)
    return int(next(filter(None, number.groups()))) if number else 1


def _is_marked(element: _Element) -> bool:
    parent = element.getparent()
    nodes = [element, *([parent] if parent is not None and parent.tag == "li" else [])]
    return element.get("selected") is not None or any(
        node.get("aria-current") or _STATE.search(node.get("class") or "") for node in nodes
    )


def _bare_numbers(box: _Element) -> set[int]:
    """Return the numbers in texts of the box that stand in no element of their own."""
    texts = [box.text, *(child.tail for child in box)]
    joined = (_COUNTED.sub(" ", text) for text in texts if text)
    return {int(found) for text in joined for found in re.findall(r"(?<!\d)\d{1,3}(?!\d)", text)}


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
