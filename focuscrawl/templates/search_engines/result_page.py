"""Result pages of search engines, parsed by declarative layouts."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import parse_qs, urljoin, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from focuscrawl.network.address_rules import reference
from focuscrawl.text.seen_text import as_seen

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
