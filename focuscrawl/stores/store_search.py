"""Search in a store, the same for every database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from focuscrawl.search.search_results import EVERYWHERE, Candidate, Found, Scope


class Searched(ABC):
    """A :class:`~focuscrawl.search.article_search.SearchIndex` with the searches of a store in it."""

    async def search(
        self, query: str, limit: int = 20, *, scope: Scope = EVERYWHERE
    ) -> list[Found]:
        """Return the best of the numbered articles that have all words of ``query``."""
        # Imported here because it loads dictionaries that a crawl does not need.
        from focuscrawl.search.article_search import search

        return await search(self, query, limit, scope)

    async def related(self, url: str, limit: int = 10) -> list[Found]:
        """Return the numbered articles most similar to the one at ``url``."""
        from focuscrawl.search.article_search import related

        return await related(self, url, limit)

    @abstractmethod
    async def matching(
        self,
        terms: Sequence[str],
        parts: Sequence[str],
        scope: Scope,
        limit: int,
        *,
        in_headline: bool,
    ) -> list[str]:
        """Return the keys of the articles with all terms and parts, newest first."""

    @abstractmethod
    async def candidates(self, keys: Sequence[str]) -> list[Candidate]:
        """Return the articles with the given keys, with truncated bodies."""
