"""Pictures of articles: by link, and loaded from their site on a page of their own only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from focuscrawl.network.address_rules import (
    is_private_name,
    is_public,
    literal_address,
    normal_host,
    reference,
)
from focuscrawl.search.search_results import WholeArticle
from focuscrawl.web.articles.shown_articles import line
from focuscrawl.web.security_headers import HEADERS

POLICY = "Content-Security-Policy"
MOST = 40
_LONGEST_HTML, _LONGEST_LINK = 2_000_000, 2000
# Sites that load pictures when they are scrolled to have a blank one in src.
_SOURCES = ("data-original", "data-src", "src")
_HOST = re.compile(r"[a-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its address, and what its site says that it shows."""

    address: str
    text: str

    @property
    def origin(self) -> str:
        """Scheme and host, as in a content security policy."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"


def pictures_of(article: WholeArticle) -> list[Picture]:
    """Return the first pictures of an article, each once; none of a private host."""
    if "<img" not in article.html.lower():
        return []
    found: dict[str, Picture] = {}
    for node in LexborHTMLParser(article.html[:_LONGEST_HTML]).css("img"):
        attributes = node.attributes
        links = (reference(attributes.get(name) or "") for name in _SOURCES)
        address = _public(article.url, next(filter(None, links), ""))
        if address and len(found) < MOST:
            found.setdefault(address, Picture(address, line(attributes.get("alt") or "")))
    return [*found.values()]


def _public(base: str, link: str) -> str:
    """Return the address of a link at a public host, otherwise '': a reader's own network is none."""
    try:
        parts = urlsplit(urljoin(base, link[:_LONGEST_LINK]))
        host, port = normal_host(parts.hostname or ""), parts.port
    except ValueError:
        return ""
    literal = literal_address(host)
    is_reachable = is_public(literal) if literal else not is_private_name(host)
    # Nothing but a host may get into the policy.
    if not (link and parts.scheme in ("http", "https") and is_reachable and _HOST.fullmatch(host)):
        return ""
    return parts._replace(netloc=f"{host}:{port}" if port else host, fragment="").geturl()


def policy_for(pictures: Sequence[Picture]) -> str:
    """Return the content security policy of a page that loads pictures, and nothing else, elsewhere."""
    origins = " ".join(dict.fromkeys(one.origin for one in pictures))
    return HEADERS[POLICY].replace("img-src 'self'", f"img-src 'self' {origins}")
