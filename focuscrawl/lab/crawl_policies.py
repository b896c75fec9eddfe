"""Crawl policies by name: each is a set of arguments of ``scrapy crawl tunnel``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from focuscrawl.errors import ArgumentError

_BEST_FIRST = {"mode": "best-first"}
KNOWN: dict[str, dict[str, str]] = {
    "breadth": {"mode": "breadth"},
    "random": {"order": "random", **_BEST_FIRST},
    "lexicon": {"order": "lexicon", **_BEST_FIRST},
    "keyword-front": {"order": "keyword-front", **_BEST_FIRST},
    "crawlee": {"order": "crawlee", **_BEST_FIRST},
    "parent": {"order": "parent", "judge": "truth", **_BEST_FIRST},
    "nb": {"learn": "false", **_BEST_FIRST},
    "nb+learn": {"learn": "true", **_BEST_FIRST},
    "tunnel": {"mode": "tunnel", "learn": "true"},
    "sparse-tunnel": {"mode": "sparse-tunnel", "learn": "true"},
    "oracle": {"order": "oracle", "judge": "truth", **_BEST_FIRST},
}
# The lab sets these itself.
_RESERVED = ("topic", "seeds", "max_pages", "keep", "truth")


class Policy(NamedTuple):
    """A policy: its name as written, and its spider arguments."""

    name: str
    arguments: dict[str, str]

    @property
    def needs_truth(self) -> bool:
        """True if the spider itself needs the true relevance of pages."""
        return self.arguments.get("order") == "oracle" or self.arguments.get("judge") == "truth"


def parse_policies(text: str) -> list[Policy]:
    """Return the policies of a list like ``breadth,sparse-tunnel:length=5:learn=false``.

    Raises :class:`~focuscrawl.errors.ArgumentError` for an unknown or repeated name.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise ArgumentError(f"no policy is named; choose from {', '.join(KNOWN)}")
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f"policy {name!r} is named twice; name it once")
    return [_parsed(name) for name in names]


def with_lengths(policies: Iterable[Policy], lengths: Iterable[int]) -> list[Policy]:
    """Return each policy with each tunnel length K, as ``sparse-tunnel:length=5``."""
    wanted = list(lengths)
    return [
        Policy(
            f"{_without_length(policy.name)}:length={length}",
            {**policy.arguments, "length": str(length)},
        )
        for policy in policies
        for length in wanted
    ]


def length_of(name: str) -> tuple[str, int] | None:
    """Return a policy's name without its length, and the length; None if its name has none.

    >>> length_of("tunnel:learn=false:length=5")
    ('tunnel:learn=false', 5)
    """
    parts = name.split(":")
    lengths = [part.removeprefix("length=") for part in parts if part.startswith("length=")]
    if len(lengths) != 1 or not lengths[0].isdecimal():
        return None
    return ":".join(part for part in parts if not part.startswith("length=")), int(lengths[0])


def _without_length(name: str) -> str:
    parts = length_of(name)
    return parts[0] if parts else name


def _parsed(written: str) -> Policy:
    name, *changes = written.split(":")
    if name not in KNOWN:
        raise ArgumentError(f"unknown policy {name!r}; choose from {', '.join(KNOWN)}")
    arguments = dict(KNOWN[name])
    for change in changes:
        argument, equals, value = change.partition("=")
        if not (argument and equals and value):
            raise ArgumentError(f"policy {written!r}: write {name}:argument=value, not {change!r}")
        if argument in _RESERVED:
            raise ArgumentError(f"policy {written!r}: remove {argument}, which the lab sets itself")
        arguments[argument] = value
    return Policy(written, arguments)
