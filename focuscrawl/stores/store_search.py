"""Search in a store, the same for every database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from focuscrawl.search.search_index import SearchIndex
from focuscrawl.search.search_results import EVERYWHERE, Candidate, Found, Related, Scope


class Searched(SearchIndex):
    """A :class:`~focuscrawl.search.search_index.SearchIndex` with the searches of a store in it."""

    async def search(
        self, query: str, limit: int = 20, *, scope: Scope = EVERYWHERE
    ) -> list[Found]:
        """Return the best of the numbered articles that have all words of ``query``."""
        # Imported here because it loads dictionaries that a crawl does not need.
        from focuscrawl.search.article_search import search

        return await search(self, query, limit, scope)

    async def headed(self, words: str, limit: int = 20, *, scope: Scope = EVERYWHERE) -> list[str]:
        """Return the MD5s of the newest numbered articles with all words in title and tags."""
        from focuscrawl.search.article_search import headed

        return await headed(self, words, limit, scope)

    async def related(self, url: str, limit: int = 10) -> list[Related]:
        """Return the numbered articles most similar to the one at ``url``, and what both share."""
        from focuscrawl.search.article_search import related

        return await related(self, url, limit)


def stored_candidate(row: Mapping[str, Any], body: str, *, is_whole: bool) -> Candidate:
    """Build a candidate from the row of a numbered article and the beginning of its body."""
    return Candidate(
        key=row["url_md5"],
        url=row["url"],
        site=row["site"],
        series=row["series"],
        number=row["number"],
        published=row["published"],
        title=row["title"],
        tags=tuple(row["tags"]),
        description=row["description"],
        body=body,
        is_whole=is_whole,
    )
