"""Link contexts by the tag tree.

Pant and Srinivasan, Link contexts in classifier-guided topical crawlers, IEEE Transactions on
Knowledge and Data Engineering 18(1), 2006: the aggregation node of a link is its nearest ancestor in
the tag tree whose text is long enough; the context is the text of that node.
"""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.pages.page_outline import Outline

# In characters. The paper uses the whole text of the node, which on a page without structure is the
# text of the page for each of its links; text farther away is unrelated to the link.
LONGEST_SIDE = 200


class Span(NamedTuple):
    """Character offsets of an element in the page's text."""

    start: int
    end: int


def tree_contexts(outline: Outline, least: int) -> tuple[list[str], list[str]]:
    """Return the texts of the aggregation nodes before the links, and those after the links.

    ``least`` is the minimum length of an aggregation node in characters; if no element is that long,
    the body is the node. ``outline`` must have been read with ``every_element``.
    """
    nodes = _aggregation_nodes(outline, least)
    text = outline.text
    befores, afters = [], []
    links = [node for node, place in zip(nodes, outline.elements, strict=True) if place is None]
    for node, begin, end in zip(links, outline.anchors.starts, outline.anchors.ends, strict=True):
        befores.append(text[max(node.start, begin - LONGEST_SIDE) : begin].strip())
        afters.append(text[end : min(node.end, end + LONGEST_SIDE)].strip())
    return befores, afters


def _aggregation_nodes(outline: Outline, least: int) -> list[Span]:
    """Return for each marked element its smallest ancestor, or itself, that is long enough."""
    spans, parents = _spans(outline)
    body = Span(0, len(outline.text))
    found: list[Span] = []
    # Parents precede their children, so one look-up suffices, however deep the tree is.
    for span, parent in zip(spans, parents, strict=True):
        if span.end - span.start >= least:
            found.append(span)
        else:
            found.append(body if parent is None else found[parent])
    return found


def _spans(outline: Outline) -> tuple[list[Span], list[int | None]]:
    """Return the span of each marked element, and the index of its parent."""
    spans: list[Span] = []
    parents: list[int | None] = []
    around: list[int] = []
    at = len(outline.runs[0][0])
    for number, (inside, *afters) in enumerate(outline.runs[1:]):
        parents.append(around[-1] if around else None)
        around.append(number)
        spans.append(Span(at, at))
        at += len(inside)
        for after in afters:
            ended = around.pop()
            spans[ended] = Span(spans[ended].start, at)
            at += len(after)
    return spans, parents
