"""Links of an article to files, which it has as attachments or shows in a frame."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from lxml import etree
from lxml.etree import _Element

from focuscrawl.articles.article_page import smallest_holder
from focuscrawl.sites.page_reading import absolute_url, base_url
from focuscrawl.sites.site_profile import SiteProfile
from focuscrawl.text.file_kinds import kind_of_address
from focuscrawl.text.main_text import main_text
from focuscrawl.text.seen_text import text_under

_READ = frozenset({"PDF", "Word", "Excel", "CSV"})
_LINKS = ("a", "iframe", "embed", "object")


def attached_files(
    page: _Element, url: str, profile: SiteProfile, encoding: str
) -> list[list[str]]:
    """Return URL and name of each file that the body of an article links to or shows, in their order.

    The body is what ``article.body`` selects, without that rule the smallest element with the main text.
    """
    rule = profile.article.body
    if rule:
        bodies = [node for node in rule.select(page) if isinstance(node, _Element)]
    else:
        html = etree.tostring(page, encoding="unicode", method="html")
        holder = smallest_holder(page, main_text(html, url))
        bodies = [] if holder is None else [holder]
    base = base_url(page, url)
    found: dict[str, str] = {}
    for body in bodies:
        for node in body.iter(*_LINKS):
            for address, name in _files(node):
                if link := absolute_url(base, address, encoding):
                    found.setdefault(link, name or unquote(urlsplit(link).path.rpartition("/")[2]))
    return [[link, name] for link, name in found.items() if link != url]


def _files(node: _Element) -> Iterator[tuple[str, str]]:
    address = node.get("href") or node.get("src") or node.get("data") or ""
    try:
        parts = urlsplit(address)
        # A viewer has the address of the file among its parameters.
        shown = [value for _, value in parse_qsl(parts.query) if kind_of_address(value) in _READ]
    except ValueError:
        return
    if node.tag != "a":
        target = address if kind_of_address(parts.path) in _READ else (shown or [""])[0]
        if target:
            yield target, ""
        return
    name = " ".join(text_under(node).split())
    if kind_of_address(f"{parts.path} ") in _READ or kind_of_address(f"{name} ") in _READ or shown:
        yield address, name or node.get("title") or ""
