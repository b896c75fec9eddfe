"""Pseudo-random values as hashes of keys, so that they can be computed in any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def draw(*keys: object) -> float:
    """Return a number in [0, 1) that depends only on the keys."""
    digest = blake2b(repr(keys).encode(), digest_size=7).digest()
    return int.from_bytes(digest, "big") / 2**56


def pick(options: Sequence[T], *keys: object) -> T:
    """Return one of the options, chosen by the keys."""
    return options[int(draw(*keys) * len(options))]


def noise(position: float, *keys: object) -> float:
    """Return smooth noise in [-1, 1]: random at integer positions, interpolated in between."""
    left = math.floor(position)
    share = position - left
    eased = share * share * (3 - 2 * share)
    start, end = draw(*keys, left), draw(*keys, left + 1)
    return 2 * (start + (end - start) * eased) - 1
