"""Pauses in which most entities of a region are silent, such as Spring Festival."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Days = NDArray[np.int64]
Flags = NDArray[np.bool_]


class _Paused(NamedTuple):
    """Stretches of paused days, sorted: the first day of each, and the day after its last one."""

    first: Days
    end: Days


def bridged(days: Days, following: Days, is_last: Flags, carry_days: int) -> Flags:
    """Return which quotes hold until their entity's next one because a pause is between them.

    ``days`` are those of the quotes, ``following`` those of the next quote of the same entity; where
    ``is_last`` there is none yet, and ``following`` is the day after the last one known. An entity
    is silent on the days between two of its quotes if there are more than ``carry_days``; a day is
    paused if more entities are silent than have a price that is at most ``carry_days`` old. A quote
    is bridged if it held at most ``carry_days`` before the first paused day between, and the next one
    follows the last of them by at most as many.
    """
    is_long = following - days > carry_days + 1
    paused = _paused(days, following, is_long & ~is_last, carry_days)
    found = np.zeros(len(days), dtype=bool)
    if not len(paused.first):
        return found
    first = np.searchsorted(paused.end, days + 1, side="right")
    last = np.searchsorted(paused.first, following, side="left") - 1
    found = is_long & (first <= last)
    begins = np.maximum(paused.first[np.minimum(first, len(paused.first) - 1)], days + 1)
    ends = np.minimum(paused.end[last], following) - 1
    return found & (days + carry_days >= begins - carry_days) & (following <= ends + carry_days)


def _paused(days: Days, following: Days, is_silent: Flags, carry_days: int) -> _Paused:
    """Return the paused days; ``is_silent`` says after which quotes their entity is silent."""
    silent = days[is_silent] + 1, following[is_silent]
    # A silent entity has a price on the day of its quote only, or it would count on both sides.
    held_until = np.where(is_silent, days, np.minimum(days + carry_days, following - 1))
    priced = days, held_until + 1
    edges = np.unique(np.concatenate([*silent, *priced]))
    is_paused = _number(edges, *silent) > _number(edges, *priced)
    return _Paused(edges[is_paused], edges[np.flatnonzero(is_paused) + 1])


def _number(edges: Days, begins: Days, ends: Days) -> NDArray[np.intp]:
    """Return how many of the stretches cover the days from each edge to the next one."""
    size = len(edges)
    opened = np.bincount(np.searchsorted(edges, begins), minlength=size)
    closed = np.bincount(np.searchsorted(edges, ends), minlength=size)
    return np.cumsum(opened - closed)
