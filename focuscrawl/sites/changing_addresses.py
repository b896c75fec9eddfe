"""Articles whose address changes from run to run, so that each run would store them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from focuscrawl.sites.page_reading import ListEntry
from focuscrawl.sites.profile_checks import Problem
from focuscrawl.sites.tracking_parameters import differing_parameters
from focuscrawl.stored_records import KnownArticle

_LEAST_ENTRIES = 3


def changed_addresses(
    new: Sequence[ListEntry], stored: Iterable[KnownArticle]
) -> Iterator[Problem]:
    """Yield a problem if most of the new entries have title and date of a stored article."""
    url_of: dict[tuple[str, date | None], str] = {}
    for known in stored:
        # The date of an article whose list has none is that of its page.
        url_of[known.title, known.published] = url_of[known.title, None] = known.url
    pairs = [
        (entry.url, url_of[entry.title, entry.published])
        for entry in new
        if (entry.title, entry.published) in url_of
    ]
    if len(new) < _LEAST_ENTRIES or 2 * len(pairs) <= len(new):
        return
    counts = Counter(name for pair in pairs for name in differing_parameters(*pair))
    names = sorted(name for name, count in counts.items() if 2 * count > len(pairs))
    remedy = (
        f"if {' and '.join(names)} change at every run, write ignore_parameters: "
        f"[{', '.join(names)}] in the profile"
        if names
        else "the site may have given its articles other addresses"
    )
    yield Problem(
        f"{len(pairs)} of {len(new)} new entries have title and date of a stored article with another "
        f"address, such as {pairs[0][0]} and {pairs[0][1]}; {remedy}"
    )
