"""Sections of the front page of articles, from the setting ``FOCUSCRAWL_WEB_SECTIONS``."""

from __future__ import annotations

import re

from focuscrawl.errors import ArgumentError

_COMMA = re.compile("[,，]")


def read_sections(text: str) -> tuple[str, ...]:
    """Return the keywords of a comma-separated text.

    Raises ArgumentError for a keyword that no article can have.
    """
    # Imported here because it loads a dictionary.
    from focuscrawl.search.search_query import read_query

    keywords = tuple(dict.fromkeys(filter(None, map(str.strip, _COMMA.split(text)))))
    for keyword in keywords:
        try:
            read_query(keyword)
        except ArgumentError as error:
            raise ArgumentError(f"FOCUSCRAWL_WEB_SECTIONS: {error}") from error
    return keywords
