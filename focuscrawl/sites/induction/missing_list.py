"""The reason why a page has no list of articles, and what to do about it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import page_links, text_of
from focuscrawl.sites.induction.main_list import RankedGroup
from focuscrawl.sites.induction.page_scripts import ScriptTraces, is_leaf
from focuscrawl.sites.page_reading import absolute_url, hash_route

# On the pages of ``shared/lists``: lists score 6.04 or more; the longest text beside a list has half of
# the characters of its page, and less than thrice the share of the list.
_WEAK_SCORE, _MENU_SCORE = 7.0, 4.5
_SHORT_TITLES = 0.35
_SMALL_SHARE, _LEAST_TEXT, _SHORTEST_TEXT = 0.08, 250, 15
_LARGE_TEXT, _TIMES_TEXT = 0.4, 3
# What articles print once, beside a heading that is the title of the page.
_BYLINE = re.compile(
    r"(?:作\s*者|来\s*源|來源|[发發]布(?:时间|日期|于)|(?<!最后)更新时间|点击数?|责任编辑|責任編輯)\s*[:：]"
)
_NEIGHBOUR = re.compile(r"\W*[上下前后後]一?(?:篇|条|條|则)(?:文章|新闻|日志)?\W*")
_LEAST_BESIDE, _LEAST_HEADING, _MOST_BYLINES, _SIGNS = 150, 8, 3, 2
_MOSTLY = 0.5
_SAME_LINKS, _TITLE = 3, 6
_NOT_FOUND = re.compile(
    r"\b404\b|not found|(?:页面|頁面|网页|文章|内容)(?:不存在|未找到|找不到|已删除|没有找到)|找不到(?:页面|网页)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"暂无|暫無|没有(?:找到|相关|数据|内容|文章|记录)|無資料|no (?:posts|results|articles|data|records)|nothing found",
    re.IGNORECASE,
)
_LONGEST_NOTICE = 60
_ARTICLE = "{url} is a single article; give the URL of a page that lists articles"
_TEXT_INPUTS = ("", "text", "search")
BROWSER = "profiles read no scripts; fetch it with a browser: pip install 'focuscrawl[browser]'"


def list_refusal(ranked: RankedGroup, page: _Element) -> str:
    """Return the kind of page that the best group of links is no list of; ``""`` if it is one.

    The kinds are ``article``, ``login``, ``search`` and ``menu``.
    """
    evidence = ranked.evidence
    is_short = evidence.title < _SHORT_TITLES
    is_weak = evidence.dated < _MOSTLY and ranked.score < _WEAK_SCORE and is_short
    if is_weak and _has_password(page):
        return "login"
    if _is_article(ranked, page):
        return "article"
    if is_weak and _is_search_form(page):
        return "search"
    if evidence.dated >= _MOSTLY:
        return ""
    is_aside = evidence.aside or evidence.far_aside
    is_bar = evidence.far_aside and evidence.title < _SHORT_TITLES
    return "menu" if is_bar or (is_aside and ranked.score < _MENU_SCORE) else ""


def missing_list(page: _Element, url: str, traces: ScriptTraces, refusal: str = "") -> str:
    """Return one sentence on the page of ``url``, which has no list, with what to do."""
    return next(_reasons(page, url, traces, refusal))


def _reasons(page: _Element, url: str, traces: ScriptTraces, refusal: str) -> Iterator[str]:
    if refusal == "login" or (not refusal and _has_password(page)):
        yield f"{url} asks for a login; give the URL of a list that everyone can read, or write a profile with login: by hand"
    if _NOT_FOUND.search(" ".join(map(text_of, page.iter("title", "h1")))):
        yield f"{url} says that there is no such page; check the address"
    if refusal == "article":
        yield _ARTICLE.format(url=url) + _above(page, url)
    if traces.redirects:
        yield f"{url} leads to {' or '.join(traces.redirects)} by a script; give that URL"
    yield from (f"{url}: {sentence}" for sentence in unread_lists(page, traces))
    yield from _script_reasons(url, traces)
    yield from _link_reasons(page, url)
    if not refusal and _text_beside(page, ()) >= _LEAST_TEXT:
        yield _ARTICLE.format(url=url) + _above(page, url)
    if not text_of(page):
        yield f"{url} is empty; check the address"
    if notice := _notice(page):
        yield f"the list on {url} is empty ({notice}); give the URL of a list with articles"
    if refusal == "search" or _is_search_form(page):
        yield f"{url} is a search form; search by hand, and give the URL of the results"
    kind = "menus only" if refusal else "no list of links"
    yield f"{url} has {kind}; give the URL of a page that lists articles"


def unread_lists(page: _Element, traces: ScriptTraces, least: int = _SAME_LINKS) -> Iterator[str]:
    """Yield a sentence on each list of at least so many titles that only a script can show.

    They are records inside of the page, or links to one page that differ behind their ``#``.
    """
    shown = text_of(page)
    hidden = [title for title in traces.records if title not in shown]
    if len(hidden) >= least:
        yield (
            f"a script draws a list of {len(hidden)} records inside of the page ({hidden[0]!r} and so "
            f"on); {BROWSER}"
        )
    links = [a.get("href") or "" for a in page.iter("a") if len(text_of(a)) >= _TITLE]
    routes = [href for href in dict.fromkeys(links) if "#" in href]
    if len(routes) >= least and (route := hash_route(routes)):
        yield (
            f"{len(routes)} links lead to {route} and so on, which a script shows on one page: the site "
            f"needs JavaScript; {BROWSER}"
        )


def _script_reasons(url: str, traces: ScriptTraces) -> Iterator[str]:
    if traces.data_urls:
        tries = " or ".join(f"`scrapy newsite '{each}'`" for each in traces.data_urls[:3])
        yield f"{url} has no list of its own: perhaps a script loads it; try {tries}"
    if traces.inline_data and traces.is_shell:
        yield (
            f"{url} has its list as data of a script ({traces.inline_data}); {BROWSER}, or find the "
            "URL of its JSON in the network tools of a browser"
        )
    if traces.is_shell:
        yield f"{url} needs JavaScript; {BROWSER}"


def _link_reasons(page: _Element, url: str) -> Iterator[str]:
    dead = [text_of(a) for a in page.iter("a") if _is_dead(a) and len(text_of(a)) >= _TITLE]
    if len(dead) >= _SAME_LINKS:
        yield (
            f"{len(dead)} links on {url} lead nowhere ({dead[0]!r}), since a script opens them; "
            f"{BROWSER}"
        )
    texts: dict[str, set[str]] = defaultdict(set)
    for link in page_links(page, url):
        if urlsplit(link.url).path not in ("", "/"):
            texts[link.url].add(text_of(link.element))
    counts = Counter({target: len(found) for target, found in texts.items()})
    for target, count in counts.most_common(1):
        if count >= _SAME_LINKS:
            yield f"all {count} entries of {url} have the link {target}; no article can be told from it"


def _is_dead(link: _Element) -> bool:
    href = (link.get("href") or "").strip().lower()
    return href in ("", "#") or href.startswith("javascript:")


def _is_article(ranked: RankedGroup, page: _Element) -> bool:
    entries = ranked.group.entries
    free, length = _text_beside(page, entries), max(len(text_of(page)), 1)
    share = ranked.evidence.text
    is_longer = free > _LARGE_TEXT * length and share < free / length / _TIMES_TEXT
    if free >= _LEAST_TEXT and (share < _SMALL_SHARE or is_longer):
        return True
    return free >= _LEAST_BESIDE and _signs_of_article(page, entries) >= _SIGNS


def _signs_of_article(page: _Element, entries: Iterable[_Element]) -> int:
    """Return how many signs a page has: its title as a heading, a byline, links to the next article."""
    inside = {node for entry in entries for node in entry.iter()}
    title = " ".join(map(text_of, page.iter("title")))
    headings = (node for node in page.iter("h1", "h2", "h3") if node not in inside)
    own = (text_of(node) for node in headings if node.find(".//a") is None)
    texts = [
        text
        for node in page.iter("*")
        for text, holder in ((node.text, node), (node.tail, node.getparent()))
        if text and holder not in inside
    ]
    bylines = sum(map(bool, map(_BYLINE.search, texts)))
    return sum(
        (
            any(len(text) >= _LEAST_HEADING and title.startswith(text) for text in own),
            0 < bylines <= _MOST_BYLINES,
            any(map(_NEIGHBOUR.match, texts)),
        )
    )


def _text_beside(page: _Element, entries: Iterable[_Element]) -> int:
    """Return the number of characters outside of links and of the entries of a list.

    Short texts do not count: they are labels, dates and numbers.
    """
    inside = {node for entry in entries for node in entry.iter()}
    inside.update(
        node for tag in ("a", "head", "select") for a in page.iter(tag) for node in a.iter()
    )
    lengths = []
    for element in page.iter("*"):
        parent = element.getparent()
        if element not in inside:
            lengths.append(len("".join((element.text or "").split())))
        if parent is not None and parent not in inside:
            lengths.append(len("".join((element.tail or "").split())))
    return sum(length for length in lengths if length >= _SHORTEST_TEXT)


def _above(page: _Element, url: str) -> str:
    """Return the last link of the breadcrumbs as a suggestion."""
    crumbs = (
        node
        for node in page.iter("*")
        if re.search(
            r"crumb|position|location|weizhi", f"{node.get('class')} {node.get('id')}", re.I
        )
    )
    links = [a for node in crumbs for a in node.iter("a") if not _is_dead(a)]
    target = absolute_url(url, links[-1].get("href") or "") if links else ""
    return f", perhaps {target}" if target not in ("", url) else ""


def _has_password(page: _Element) -> bool:
    return any((node.get("type") or "").lower() == "password" for node in page.iter("input"))


def _is_search_form(page: _Element) -> bool:
    return any(
        (node.get("type") or "").lower() in _TEXT_INPUTS and node.get("name")
        for form in page.iter("form")
        for node in form.iter("input")
    )


def _notice(page: _Element) -> str:
    nodes = page.iter("p", "div", "span", "li", "td", "h2", "h3")
    texts = (text_of(node) for node in nodes if is_leaf(node))
    return next((t for t in texts if len(t) <= _LONGEST_NOTICE and _NOTHING.search(t)), "")
