"""Search engines as data: their URL patterns, encodings and response layouts, and result pages read by them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, quote, urljoin, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from focuscrawl.errors import SearchEngineError
from focuscrawl.network.address_rules import reference
from focuscrawl.system.yaml_files import NamedModel, Shelf
from focuscrawl.text.page_depth import parse
from focuscrawl.text.seen_text import as_seen

# Result pages, parsed by declarative layouts.

_WHOLE_URL = re.compile(r"https?://[^\s/.…]+\.[^\s…›]+")
_CUT_OFF = ("...", "…")
_BLANKS = re.compile(r"\s+")
_SCRIPTED = re.compile(
    r"""location(?:\.href)?(?:\.replace|\.assign)?\s*[=(]\s*["'](https?:[^"'<>\s]+)"""
    r"""|http-equiv=["']?refresh["']?[^>]{0,200}?url\s*=\s*["']?(https?:[^"'<>\s]+)""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Result:
    """One result: ``rank`` on its page from 1, ``href`` as linked, absolute.

    ``url`` is its target, None if only a request to ``href`` reveals it. ``shown`` is the address
    as printed, with the text around it; often truncated or empty.
    """

    rank: int
    title: str
    href: str
    url: str | None
    shown: str


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Results of one page, best first; ``is_last`` if the page links to no next one."""

    results: tuple[Result, ...]
    is_last: bool


def _checked_selector(selector: str) -> str:
    try:
        LexborHTMLParser("<p></p>").css(selector)
    except SelectolaxError:
        raise ValueError(f"{selector!r} is not a valid CSS selector") from None
    return selector


Selector = Annotated[str, AfterValidator(_checked_selector)]
Selectors = tuple[Selector, ...]


class Marks(BaseModel):
    """Marks of a page without results that give the reason: CSS selectors, texts, or URL patterns.

    ``texts`` are compared without spaces.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    selectors: Selectors = ()
    texts: tuple[str, ...] = ()
    addresses: tuple[re.Pattern[str], ...] = ()

    def match(self, tree: LexborHTMLParser, url: str) -> bool:
        """Return whether the page has one of the marks."""
        if any(pattern.search(url) for pattern in self.addresses) or _first(tree, self.selectors):
            return True
        text = _BLANKS.sub("", tree.body.text() if tree.body else "")
        return any(_BLANKS.sub("", words) in text for words in self.texts)


class HtmlLayout(BaseModel):
    """CSS selectors of the results of an HTML page, for old and new layouts together.

    ``results`` select a whole result each, ``titles`` the link in it. Elements that match
    ``advertisements``, or link to a match of ``advertisement_links``, are not results.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    results: Annotated[Selectors, Field(min_length=1)]
    titles: Annotated[Selectors, Field(min_length=1)]
    shown: Selectors = ()
    advertisements: Selectors = ()
    advertisement_links: tuple[re.Pattern[str], ...] = ()
    next_page: Annotated[Selectors, Field(min_length=1)]


class RealUrl(BaseModel):
    """Sources of the real URL of a result.

    ``redirects`` match redirecting URLs of the engine; any other link is the real URL itself.
    ``attributes`` of the result, or of an element in it, contain it; so do ``parameters`` of the
    redirect, plain or in base64 after the prefix ``base64_after``. ``not_real`` match placeholders
    found in these places.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    redirects: tuple[re.Pattern[str], ...] = ()
    attributes: tuple[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")], ...] = ()
    parameters: tuple[str, ...] = ()
    base64_after: str = ""
    not_real: tuple[re.Pattern[str], ...] = ()

    def is_real(self, url: str) -> bool:
        """Return whether an absolute URL is that of the result itself, without a redirect."""
        if not url.startswith(("http://", "https://")):
            return False
        return not any(pattern.search(url) for pattern in (*self.redirects, *self.not_real))


class JsonLayout(BaseModel):
    """Keys of a JSON response: that of its list of results, and those of each result.

    ``trouble`` is the key of a list of the reasons why there are none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    results: str
    title: str
    url: str
    trouble: str = ""


def read_html(
    tree: LexborHTMLParser, url: str, layout: HtmlLayout, real_url: RealUrl
) -> ResultPage:
    """Return the results of an HTML page at ``url``; an empty list if none is recognised."""
    found: list[Result] = []
    for node, link in _linked_results(tree, layout):
        href = _joined(url, link.attributes["href"] or "")
        if not href or any(pattern.search(href) for pattern in layout.advertisement_links):
            continue
        shown = _first(node, layout.shown)
        address = _text(shown) if shown else ""
        real = _real_url(node, href, address, real_url)
        found.append(Result(len(found) + 1, _text(link), href, real, address))
    return ResultPage(tuple(found), _first(tree, layout.next_page) is None)


def read_json(body: str, layout: JsonLayout) -> tuple[ResultPage, bool]:
    """Return the results of a JSON response and whether it reports trouble.

    The last page is the one without results: these responses name no next page. Raises ValueError
    for any other content.
    """
    data = json.loads(body)
    if not isinstance(data, dict) or not isinstance(data.get(layout.results), list):
        raise ValueError(f"no list {layout.results!r} in the response")
    found: list[Result] = []
    for entry in data[layout.results]:
        address = _string(entry, layout.url)
        if address.startswith(("http://", "https://")):
            title = " ".join(_string(entry, layout.title).split())
            found.append(Result(len(found) + 1, title, address, address, address))
    return ResultPage(tuple(found), not found), bool(layout.trouble and data.get(layout.trouble))


def scripted_target(body: str) -> str | None:
    """Return the target of a page that redirects by script or meta element; None without one.

    The redirects of Sogou and 360 respond with such a page, not with a Location header.
    """
    found = _SCRIPTED.search(body)
    return (found[1] or found[2]).replace("&amp;", "&") if found else None


def _joined(base: str, href: str) -> str:
    """Return an absolute URL; empty unless it is a valid HTTP URL."""
    try:
        joined = urljoin(base, reference(href))
        parts = urlsplit(joined)
    except ValueError:
        return ""
    return joined if parts.scheme in ("http", "https") and parts.hostname else ""


def _linked_results(
    tree: LexborHTMLParser, layout: HtmlLayout
) -> Iterator[tuple[LexborNode, LexborNode]]:
    advertised = {node.mem_id for node in _all(tree, layout.advertisements)}
    known: set[int] = set()
    for node in _all(tree, layout.results):
        link = _first(node, layout.titles)
        # A nested result has the same link: the outer one counts.
        if link is None or link.mem_id in known or _is_within(node, advertised):
            continue
        known.add(link.mem_id)
        if link.attributes.get("href"):
            yield node, link


def _all(tree: LexborHTMLParser, selectors: Sequence[str]) -> list[LexborNode]:
    # A single selector list keeps the order of the page.
    return tree.css(", ".join(selectors)) if selectors else []


def _first(tree: LexborHTMLParser | LexborNode, selectors: Sequence[str]) -> LexborNode | None:
    """Return the first match of the first selector that has any."""
    for selector in selectors:
        if node := tree.css_first(selector):
            return node
    return None


def _is_within(node: LexborNode | None, mem_ids: set[int]) -> bool:
    while mem_ids and node is not None:
        if node.mem_id in mem_ids:
            return True
        node = node.parent
    return False


def _real_url(node: LexborNode, href: str, shown: str, known: RealUrl) -> str | None:
    candidates = [*_attributes(node, known.attributes), href, *_parameters(href, known)]
    if _WHOLE_URL.fullmatch(shown) and not any(cut in shown for cut in _CUT_OFF):
        candidates.append(shown)
    return next((url for url in candidates if known.is_real(url)), None)


def _attributes(node: LexborNode, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        holder = node if node.attributes.get(name) else node.css_first(f"[{name}]")
        if holder is not None:
            yield (holder.attributes.get(name) or "").strip()


def _parameters(href: str, known: RealUrl) -> Iterator[str]:
    if not known.parameters:
        return
    values = parse_qs(urlsplit(href).query)
    for name in known.parameters:
        for value in values.get(name, ()):
            yield _decoded(value, known.base64_after)


def _decoded(value: str, prefix: str) -> str:
    if not prefix or not value.startswith(prefix):
        return value
    digits = value.removeprefix(prefix)
    try:
        return base64.urlsafe_b64decode(digits + "=" * (-len(digits) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return value


def _text(node: LexborNode) -> str:
    return " ".join(as_seen(node.text()).split())


def _string(entry: Any, key: str) -> str:
    value = entry.get(key) if isinstance(entry, dict) else None
    return value if isinstance(value, str) else ""


# Search engines, each a YAML file.

DEFAULT_FOLDER = "engines"

# Servers that declare GB2312 accept its superset, which some keywords need.
_CODECS = {"utf-8": "utf-8", "gb2312": "gb18030", "gbk": "gb18030"}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class PageNumbers(BaseModel):
    """Value of {page} in the URL of the first result page, and its increment per page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: Annotated[int, Field(ge=0)] = 1
    step: Annotated[int, Field(ge=1)] = 1


class SearchEngine(NamedModel):
    """A search engine, read from a YAML file.

    ``url`` is the pattern of a result page with {keyword} and {page}, and {address} if the engine
    is self-hosted. ``most_pages`` is the maximum number of pages that it serves. Its responses are
    parsed by ``html`` or by ``json``. ``nothing_found`` marks pages that report no results,
    ``captcha`` those with a captcha. ``remedy`` is added to the message about an unreadable page.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    title: str
    url: str
    address: str = ""
    encoding: Literal["utf-8", "gb2312", "gbk"] = "utf-8"
    page: PageNumbers = PageNumbers()
    most_pages: Annotated[int, Field(ge=1, le=1000)]
    html: HtmlLayout | None = None
    json_layout: Annotated[JsonLayout | None, Field(alias="json")] = None
    real_url: RealUrl = RealUrl()
    nothing_found: Marks = Marks()
    captcha: Marks = Marks()
    remedy: str = ""

    @model_validator(mode="after")
    def _has_url_pattern_and_layout(self) -> SearchEngine:
        placeholders = set(_PLACEHOLDER.findall(self.url))
        if not {"keyword", "page"} <= placeholders or placeholders - {"keyword", "page", "address"}:
            raise ValueError(
                "the url needs {keyword} and {page}; besides them it may contain {address} only"
            )
        if (self.html is None) == (self.json_layout is None):
            raise ValueError("give either html or json, the layout of its responses")
        return self

    def pages(self, keyword: str) -> Iterator[str]:
        """Yield the URL of each result page for a keyword, the first one first."""
        words = quote(keyword, safe="", encoding=_CODECS[self.encoding], errors="replace")
        values = {"keyword": words, "address": self.address.rstrip("/")}
        for number in range(self.most_pages):
            values["page"] = str(self.page.first + number * self.page.step)
            yield _PLACEHOLDER.sub(lambda placeholder: values[placeholder[1]], self.url)

    def read(self, body: str, url: str) -> ResultPage:
        """Return the results of the page at ``url`` (after all redirects).

        Raises :class:`~focuscrawl.errors.SearchEngineError` if it has none without a reason, or shows a
        captcha instead.
        """
        if self.json_layout:
            return self._read_json(body, self.json_layout)
        assert self.html
        tree = parse(body)
        page = read_html(tree, url, self.html, self.real_url)
        if page.results:
            return page
        if self.captcha.match(tree, url):
            raise self._error(
                "asks for a captcha; wait a while, crawl slower, or use another engine"
            )
        if self.nothing_found.match(tree, url):
            return page
        raise self._error(
            "returned a page with neither results nor a notice that there are none; its layout has changed: "
            f"write the new one to {DEFAULT_FOLDER}/{self._file}, or use another engine"
        )

    def _read_json(self, body: str, layout: JsonLayout) -> ResultPage:
        try:
            page, is_in_trouble = read_json(body, layout)
        except (ValueError, RecursionError):
            raise self._error("did not return the expected JSON; check its address") from None
        if is_in_trouble and not page.results:
            raise self._error("got no response from the engines behind it; use another engine")
        return page

    @property
    def _file(self) -> str:
        return f"{self.name.partition('@')[0]}.yaml"

    def _error(self, trouble: str) -> SearchEngineError:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return SearchEngineError(f"search engine {self.name} {trouble}{remedy}")


_SHELF = Shelf(
    "search engine", SearchEngine, SearchEngineError, __package__, f"write {DEFAULT_FOLDER}/{{name}}.yaml"
)  # fmt: skip


def engine_names(folder: Path = Path(DEFAULT_FOLDER)) -> list[str]:
    """Return the names of the shipped engines and of those in the user's ``folder``, sorted."""
    return _SHELF.names(folder)


def load_search_engine(name: str, folder: Path = Path(DEFAULT_FOLDER)) -> SearchEngine:
    """Return the engine of that name; one in ``folder`` overrides a shipped one.

    The name of a self-hosted engine such as SearXNG includes its base URL:
    ``searxng@http://127.0.0.1:8888``. Raises :class:`~focuscrawl.errors.SearchEngineError` with one
    sentence.
    """
    short, _, in_name = name.partition("@")
    engine = _SHELF.load(short, folder)
    address = in_name or engine.address
    if "{address}" in engine.url and not _is_base(address):
        raise SearchEngineError(
            f"search engine {short} is self-hosted and {address!r} is not its URL; "
            f"write it like {short}@http://127.0.0.1:8888"
        )
    return engine.model_copy(update={"name": name, "address": address})


def _is_base(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
