"""Entries of a list that a script replaces or adds to at each click."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree
from lxml.html import document_fromstring

from focuscrawl.sites.site_profile import Rule


def with_earlier_entries(pages: Sequence[str], entry: Rule) -> str:
    """Return the last page, with the entries of earlier ones that it lacks before its first entry.

    ``pages`` is the HTML after each click. A page that has kept all entries is returned as it is.
    """
    trees = [document_fromstring(page) for page in pages]
    last = next((tree for tree in reversed(trees) if entry.select(tree)), None)
    if last is None:
        return pages[-1]
    found = entry.select(last)
    seen = set(map(_content, found))
    place, added = found[0], False
    for tree in trees:
        if tree is last:
            break
        for node in entry.select(tree):
            if (content := _content(node)) not in seen:
                seen.add(content)
                node.tail = "\n"
                place.addprevious(node)
                added = True
    if last is trees[-1] and not added:
        return pages[-1]
    return str(etree.tostring(last, encoding="unicode", method="html"))


def _content(node: etree._Element) -> bytes:
    return etree.tostring(node, with_tail=False, method="c14n")
