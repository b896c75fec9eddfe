"""Counts of judged pages and links, which add up over the workers of a crawl."""

from __future__ import annotations

from collections.abc import Mapping

Pairs = dict[str, list[int]]
"""Two numbers by name, such as the pages of a site and how many of them are relevant."""

Counts = dict[str, Pairs]
"""Pairs by part, such as ``sites`` or ``links``; a JSON object."""


def add_pairs(pairs: Pairs, others: Mapping[str, list[int]]) -> None:
    """Add pairs to ``pairs``; the names added last stand at its end."""
    for name, (one, other) in others.items():
        pair = pairs.pop(name, None)
        pairs[name] = [pair[0] + one, pair[1] + other] if pair else [one, other]


def add_counts(counts: Counts, others: Mapping[str, Pairs]) -> None:
    """Add counts to ``counts``.

    >>> counts = {"sites": {"a.test": [3, 1]}}
    >>> add_counts(counts, {"sites": {"a.test": [1, 0]}, "paths": {}})
    >>> counts
    {'sites': {'a.test': [4, 1]}, 'paths': {}}
    """
    for part, pairs in others.items():
        add_pairs(counts.setdefault(part, {}), pairs)
