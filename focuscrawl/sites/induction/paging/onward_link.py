"""Addresses of pages in links, and in the buttons and options that scripts make into links."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urldefrag, urlsplit

from lxml.etree import _Element

from focuscrawl.network.address_rules import reference
from focuscrawl.sites.page_reading import absolute_url
from focuscrawl.sites.site_profile import ADDRESSES

QUOTED = r"""['"]([^'"]+)['"]"""
_QUOTED = re.compile(QUOTED)
_LIKE_ADDRESS = re.compile(r"https?:|\.{0,2}/|\?\w|[\w%./-]+\.(?:s?html?|aspx?|php|jsp|do)\b", re.I)
_SCRIPTED = re.compile(r"\s*javascript\s*:", re.IGNORECASE)
_DATA = ("data-href", "data-url", "data-link")
LINK_TAGS = ("a", "link", "button", "input", "li", "span", "div", "i")


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
