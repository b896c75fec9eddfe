"""Seeds of a topical crawl, from arguments or the topic's file."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.errors import ArgumentError
from focuscrawl.pages.canonical_urls import canonical_url
from focuscrawl.topics import Topic


def seeds_of(topic: Topic, given: Sequence[str] | None) -> list[str]:
    """Return the canonical URLs of the given seeds, else of the topic's.

    Raises :class:`~focuscrawl.errors.ArgumentError` if there is none, or one is not the URL of a page.
    """
    seeds = given or topic.seeds
    if not seeds:
        raise ArgumentError(
            f"topic {topic.name!r} has no seeds; add some to its file, or give -a seeds=http://…"
        )
    try:
        return [canonical_url(seed) for seed in seeds]
    except ValueError as error:
        raise ArgumentError(f"a seed is not the URL of a page ({error}); correct it") from None
