"""Link contexts by the tag tree.

Pant and Srinivasan, Link contexts in classifier-guided topical crawlers, IEEE Transactions on
Knowledge and Data Engineering 18(1), 2006: from the link, climb the tree of tags to its aggregation
node, the first whose text is long enough; the context is the text of that node.
"""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.links.page_outline import Outline, split_at_marks

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
    for anchor in outline.anchors:
        start, end = nodes[anchor.number]
        befores.append(text[max(start, anchor.start - LONGEST_SIDE) : anchor.start].strip())
        afters.append(text[anchor.end : min(end, anchor.end + LONGEST_SIDE)].strip())
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
    _, offsets, endings = split_at_marks(outline.marked, outline.marks)
    spans: list[Span] = []
    parents: list[int | None] = []
    around: list[int] = []
    mark = 1
    for number, ends in enumerate(endings):
        parents.append(around[-1] if around else None)
        around.append(number)
        spans.append(Span(offsets[mark], offsets[mark]))
        mark += 1
        for _ in range(ends):
            ended = around.pop()
            spans[ended] = Span(spans[ended].start, offsets[mark])
            mark += 1
    return spans, parents
