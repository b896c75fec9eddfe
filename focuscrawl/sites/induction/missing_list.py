"""The reason why a page has no list of articles, and what to do about it."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from lxml import etree
from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import page_links, text_of
from focuscrawl.sites.induction.main_list import RankedGroup
from focuscrawl.sites.page_reading import absolute_url, base_url, hash_route

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
_NO_SESSION = re.compile(
    r"(?:尚未|还未|未|没有|沒有)登[录錄陆入]|请先?登[录錄陆入]|登[录錄陆入]后[才方]?[可能]"
)
_LONGEST_NOTICE, _LONGEST_LOGIN = 60, 300
_ARTICLE = "{url} is a single article; give the URL of a page that lists articles"
_TEXT_INPUTS = ("", "text", "search")
BROWSER = "profiles read no scripts; fetch it with a browser: pip install 'focuscrawl[browser]'"


_QUOTED = r"[\"'`]([^\"'`\s<>]{2,300})[\"'`]"
_CALLS = (
    re.compile(
        r"(?:\bfetch|\baxios(?:\.\w+)?|(?:\$|jQuery)\.(?:ajax|get|getJSON|post)|\.open)\(\s*"
        rf"(?:[\"'](?:GET|POST)[\"']\s*,\s*)?{_QUOTED}"
    ),
    re.compile(rf"\burl\s*[:=]\s*{_QUOTED}"),
)
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}")
_NO_DATA = re.compile(r"\.(?:js|css|png|jpe?g|gif|svg|ico|html?)(?:$|\?)", re.IGNORECASE)
_INLINE = re.compile(r"\b(?:window\.)?(__[A-Z][A-Z_]+__|__NUXT__|initialState)\s*=\s*[{\[(]")
_ROOT_IDS = frozenset({"app", "root", "__next", "__nuxt", "q-app", "___gatsby", "main-app"})
_MORE = re.compile(
    r"\W*(?:点击|點擊|下拉|滚动|上拉|查看)?\s*(?:加载|載入|加載|显示|查看)(?:更多|下一页|中)\W*|\W*(?:上拉|下滑|滑动|滚动)(?:自动)?加载\W*|(?:load|show) more\W*",
    re.IGNORECASE,
)
_WAITING = re.compile("[加载載]+中")
_SIDE, _NEAR = re.compile("aside|widget|sidebar|comment|search", re.IGNORECASE), 4
_PAGE_LINK = re.compile(r"/|https?:|\?|[\w./-]+\.\w+", re.IGNORECASE)
_MORE_NAME = re.compile(r"load-?more", re.IGNORECASE)
_SCROLL_NAME = re.compile(r"infinite-?scroll", re.IGNORECASE)
_LEAF = 5
_DATA_ATTRIBUTES = ("data-url", "data-api", "data-href", "data-next", "data-next-url")
_FEW_LINKS, _FEW_CHARACTERS = 5, 200
_COMMENT = re.compile(r"^[ \t]*//[^\n]*|/\*.*?(?:\*/|\Z)", re.MULTILINE | re.DOTALL)
_JOINED = re.compile(r"(?<=[\w/.:?=&-])([\"'])\s*\+\s*\1")
_REDIRECT = re.compile(
    r"(?:\blocation(?:\s*\.\s*href|\s*\[\s*.href.\s*\])?\s*=(?!=)|\blocation\s*\.\s*(?:replace|assign)\s*\("
    r"|\bwindow\s*\.\s*(?:navigate|open)\s*\()\s*"
    r"(?:\\?[\"'`]([^\"'`\\\s<>]{1,300})\\?[\"'`](?!\s*\+)|([\w$]+)\s*[;)}\n]|)"
)
_REFRESH = re.compile(r"[\d.\s]*[;,]\s*(?:url\s*=)?[\s\"']*([^\s\"']+)", re.IGNORECASE)
_ELSEWHERE = "another page"
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
# A title in quotes or behind a tag; with as many dates, numbered pages or ids it is that of a record.
_RECORD = re.compile(r"[>\[\"'`]\s*+([^<>\"'`\[\]\\]{6,200}+)(?=[<\]\"'`\\])")
_CHINESE = re.compile("[\u4e00-\u9fff]{4}")
_NUMBERED = re.compile(
    r"20\d\d[-/.年]\d\d?[-/.月]\d\d?|\d\.(?:s?html?|jsp)|\b\w*id[\"']?\s*[=:]\s*[\"']?\d",
    re.IGNORECASE,
)
_FEWEST_RECORDS, _MOST_RECORDS, _MOST_REDIRECTS = 3, 200, 9


@dataclass(frozen=True, slots=True)
class ScriptTraces:
    """Traces of scripts on a page: the text of each is empty, or the collection, without them.

    ``data_urls`` are URLs that scripts request, ``inline_data`` is the name of data in the page itself,
    ``more`` the text of a button that adds entries. ``is_shell`` means that the page has next to no text
    and links of its own. ``redirects`` are the URLs that such a page leads to by a script or a tag that
    Scrapy does not follow, ``records`` the titles of records in scripts and templates.
    """

    data_urls: tuple[str, ...]
    inline_data: str
    more: str
    is_shell: bool
    redirects: tuple[str, ...] = ()
    records: tuple[str, ...] = ()


def script_traces(page: _Element, url: str) -> ScriptTraces:
    """Return the traces of scripts on the page of ``url``, whose tree still has them."""
    more = next(_more_buttons(page), None)
    found = [*_called(page), *(_attributes(more) if more is not None else ())]
    urls = dict.fromkeys(filter(None, (_data_url(each, url) for each in found)))
    is_bare = _is_bare(page, url)
    return ScriptTraces(
        tuple(urls),
        _inline_data(page),
        _label(more),
        is_bare and _is_shell(page),
        tuple(dict.fromkeys(_redirects(page, url))) if is_bare else (),
        tuple(itertools.islice(dict.fromkeys(_records(page)), _MOST_RECORDS)),
    )


def _redirects(page: _Element, url: str) -> Iterator[str]:
    base, written = base_url(page, url), []
    scripts = [*(node.text for node in page.iter("script"))]
    scripts += [node.get("onload") for node in page.iter("body")]
    for script in filter(None, scripts):
        code = _JOINED.sub("", _COMMENT.sub("", script))
        for found in itertools.islice(_REDIRECT.finditer(code), _MOST_REDIRECTS):
            name = found[2] and re.search(rf"\b{re.escape(found[2])}\s*=\s*{_QUOTED}", code)
            written.append(found[1] or (name[1] if name else None))
    for node in page.iter("meta"):
        if (node.get("http-equiv") or "").strip().lower() == "refresh":
            refresh = _REFRESH.match(node.get("content") or "")
            written += [refresh[1]] if refresh else []
    targets = (absolute_url(base, each) if each else _ELSEWHERE for each in written)
    yield from (target for target in targets if target not in ("", absolute_url(url, url)))


def _records(page: _Element) -> Iterator[str]:
    """Yield the titles of the records in each script or template that has several."""
    for node in page.iter("script", "template"):
        raw = node.text or "" if node.tag == "script" else etree.tostring(node, encoding="unicode")
        if len(_NUMBERED.findall(raw)) < _FEWEST_RECORDS:
            continue
        code = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), raw)
        titles = (" ".join(found[1].split()) for found in _RECORD.finditer(code))
        yield from (title for title in titles if _CHINESE.search(title))


def _called(page: _Element) -> Iterator[str]:
    for script in page.iter("script"):
        for call in _CALLS:
            yield from (found[1] for found in call.finditer(script.text or ""))


def _attributes(element: _Element) -> list[str]:
    return [value for name in _DATA_ATTRIBUTES if (value := element.get(name))]


def _data_url(written: str, url: str) -> str:
    """Return the URL of data on the site of ``url``, with 1 for what the script fills in."""
    filled = _PLACEHOLDER.sub("1", written)
    if filled.endswith("="):
        filled += "1"
    try:
        target = urlsplit(urljoin(url, filled))
        site = (urlsplit(url).hostname or "").rsplit(".", 2)[-2:]
    except ValueError:
        return ""
    is_own = (target.hostname or "").rsplit(".", 2)[-2:] == site
    is_page = target.geturl() == url or _NO_DATA.search(target.path)
    return target.geturl() if is_own and target.scheme.startswith("http") and not is_page else ""


def _inline_data(page: _Element) -> str:
    for script in page.iter("script"):
        if script.get("type") == "application/json" and (script.text or "").strip():
            return script.get("id") or "application/json"
        if found := _INLINE.search(script.text or ""):
            return found[1]
    return ""


def _more_buttons(page: _Element) -> Iterator[_Element]:
    for element in page.iter("a", "button", "div", "span", "p", "input", "ul"):
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        is_small = is_leaf(element)
        is_button = is_small and (_MORE.fullmatch(text_of(element)) or _MORE_NAME.search(names))
        has_url = element.get("data-next") or element.get("data-next-url")
        # A link that leads to a page is the link to the next one.
        links = (element, *(element.iter("a") if is_small else ()))
        leads_on = any(_PAGE_LINK.match(link.get("href") or "") for link in links)
        adds = (is_button or has_url or _SCROLL_NAME.search(names)) and not leads_on
        if adds and not (_WAITING.search(text_of(element)) and _is_beside(element)):
            yield element


def _is_beside(element: _Element) -> bool:
    """Return whether an element stands before all links, for the page itself, or in a side part."""
    around = [element, *itertools.islice(element.iterancestors(), _NEAR)]
    names = (f"{node.tag} {node.get('class')} {node.get('id')}" for node in around)
    return not element.xpath("preceding::a[1]") or any(map(_SIDE.search, names))


def is_leaf(element: _Element) -> bool:
    """Return whether an element has at most a few elements in it."""
    # The texts of all elements would take quadratic time on a page that nests deeply.
    return len(list(itertools.islice(element.iter(), _LEAF))) < _LEAF


def _label(button: _Element | None) -> str:
    if button is None:
        return ""
    return (text_of(button) if is_leaf(button) else "") or button.get("value") or "scrolling"


def _is_bare(page: _Element, url: str) -> bool:
    if len({link.url for link in page_links(page, url)}) >= _FEW_LINKS:
        return False
    hidden = sum(len(text_of(node)) for node in page.iter("script", "style", "noscript", "title"))
    return len(text_of(page)) - hidden < _FEW_CHARACTERS


def _is_shell(page: _Element) -> bool:
    if page.find(".//script") is None:
        return False
    is_asked_for = any("javascript" in text_of(node).lower() for node in page.iter("noscript"))
    roots = (node for node in page.iter("div") if node.get("id") in _ROOT_IDS)
    return is_asked_for or any(not text_of(node) for node in roots)


def list_refusal(ranked: RankedGroup, page: _Element) -> str:
    """Return the kind of page that the best group of links is no list of; ``""`` if it is one.

    The kinds are ``article``, ``login``, ``search`` and ``menu``.
    """
    evidence = ranked.evidence
    is_short = evidence.title < _SHORT_TITLES
    is_weak = evidence.dated < _MOSTLY and ranked.score < _WEAK_SCORE and is_short
    if is_weak and _asks_for_login(page):
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
    if refusal == "login" or (not refusal and _asks_for_login(page)):
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


def _asks_for_login(page: _Element) -> bool:
    """Return whether a page has a password to fill in, or little more than a sentence that asks for a login."""
    if any((node.get("type") or "").lower() == "password" for node in page.iter("input")):
        return True
    text = text_of(page)
    return len(text) <= _LONGEST_LOGIN and _NO_SESSION.search(text) is not None


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
