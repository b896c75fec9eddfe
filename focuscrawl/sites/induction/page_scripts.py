"""Traces of lists that scripts load: the URLs of their data, empty application roots, 加载更多."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from lxml import etree
from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import page_links, text_of
from focuscrawl.sites.page_reading import absolute_url, base_url

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
    r"\W*(?:点击|點擊|下拉|滚动|上拉|查看)?\s*(?:加载|載入|加載|显示|查看)(?:更多|下一页|中)\W*|(?:load|show) more\W*",
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
