"""Names of a site in the titles of its pages."""

from __future__ import annotations

import re
from functools import lru_cache

from focuscrawl.templates.names.name_words import any_of, word_lists
from focuscrawl.templates.names.text_spans import HAN, View, readable

_SEPARATOR = re.compile(
    r"\s*[|｜丨_»>＞<《》【】\[\]\n，。;；:：!！]+\s*|\s*,\s*(?!(?:Ltd|Inc|LLC|Limited|Co)(?![a-z]))"
    rf"|\s+[-–—－·]+\s*|[-–—－]+\s+|(?<=[{HAN}])[-–—－·]+|[–—－]+|-+(?=[{HAN}])|--+|\s{{2,}}"
)
_HEAD = re.compile(
    r"^(?:热烈)?欢迎(?:您|大家|各位)?(?:来到|光临|访问|进入|莅临|浏览|关注)?|^(?:welcome to|about|contact)[ -]+",
    re.I,
)
_TAIL = re.compile(
    r"(?:[-_ ]*(?:官方网站|官方首页|官方主页|门户网站|官网|网站首页|首页|欢迎您|网站|主页)"
    r"|[-_ ]+(?:home(?: ?page)?|official (?:web)?site))+$",
    re.I,
)
_LONGEST, _MOST_HAN = 40, 18
_EDGES = " -–—.·、/\\\"'“”*~"
_WHOLE_BRACKET = re.compile(r"[(（]([^()（）]*)[)）]")


def title_names(title: str) -> list[str]:
    """Return the parts of a title that may be the site's name, without navigation words.

    >>> title_names("首页-链实训网"), title_names("Acme Glass | Contact Us")
    (['链实训网'], ['Acme Glass'])
    """
    parts = (_trimmed(part) for part in _SEPARATOR.split(readable(title)))
    return [part for part in parts if _fits(part)]


def _fits(part: str) -> bool:
    han = len(re.findall(f"[{HAN}]", part))
    return 2 <= len(part) <= _LONGEST and han <= _MOST_HAN and bool(re.search(r"[^\W\d_]", part))


def is_navigation(text: str) -> bool:
    """Return whether the text is a word of menus and forms, not a name."""
    return bool(_navigation().fullmatch(View(text.strip(" :：*")).text))


def _trimmed(part: str) -> str:
    part = part.strip(_EDGES)
    part = whole[1] if (whole := _WHOLE_BRACKET.fullmatch(part)) else part
    level = View(part).text
    if len(level) == len(part) and (head := _HEAD.match(level)):
        part, level = part[head.end() :].strip(), level[head.end() :].strip()
    if is_navigation(part):
        return ""
    if len(level) == len(part) and (tail := _TAIL.search(level)):
        part = part[: tail.start()].strip(_EDGES + "的")
    return "" if is_navigation(part) else part


@lru_cache(maxsize=1)
def _navigation() -> re.Pattern[str]:
    lists = word_lists()
    english = [word.strip() for word in " ".join(lists["menu_english"]).split("|")]
    # Many words match in two ways: without an atomic group each of them would double the time.
    word = (
        f"(?>(?:{any_of(lists['menu'] + english)}|{any_of(lists['menu_heads'])}[{HAN}]{{2}}"
        rf"|{any_of(lists['programs'])}.*|[{HAN}]?ICP备.*|new page(?: \d+)?|[{HAN}]{{0,6}}(?:电话|方式|地址|网点|分布|路线|须知))(?=[ /&·|-]|$))"
    )
    return re.compile(rf"{word}(?:[ /&·|-]++{word})*+", re.I)
