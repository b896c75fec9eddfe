"""Link contexts by the tag tree.

Pant and Srinivasan, Link contexts in classifier-guided topical crawlers, IEEE Transactions on
Knowledge and Data Engineering 18(1), 2006: from the link, climb the tree of tags to its aggregation
node, the first whose text is long enough; the context is the text of that node.
"""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.pages.page_outline import Outline

# The paper takes the whole text of the node, on a page without structure that of all the page for
# each of its links; what stands farther from the link than this says nothing of it.
LONGEST_SIDE = 200


class Span(NamedTuple):
    """Where an element begins and ends in the page's text."""

    start: int
    end: int


def tree_contexts(outline: Outline, least: int) -> tuple[list[str], list[str]]:
    """Return the text of each link's aggregation node before the link, and that after it.

    ``least`` is the number of characters that an aggregation node has; the body is one if no other
    is. ``outline`` must have every element fenced.
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
    """Return for each fenced element the smallest node around it that is long enough."""
    spans, parents = _spans(outline)
    body = Span(0, len(outline.text))
    found: list[Span] = []
    # Parents come before their children, so theirs is known: no climbing, however deep the tree.
    for span, parent in zip(spans, parents, strict=True):
        if span.end - span.start >= least:
            found.append(span)
        else:
            found.append(body if parent is None else found[parent])
    return found


def _spans(outline: Outline) -> tuple[list[Span], list[int | None]]:
    """Return where each fenced element stands, and the number of the one around it."""
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
