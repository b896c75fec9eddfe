"""Interface of the stored texts, as a search needs it: an index of numbered articles, the others read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from focuscrawl.search.search_results import Candidate, Scope


class SearchIndex(ABC):
    """An index that finds articles by their terms."""

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
        """Return the keys of articles with all terms and parts: the newest first, then by key.

        ``terms`` are in any of the columns of terms, ``parts`` within one of them: those of title
        and tags if ``in_headline``, else of all four.
        """

    @abstractmethod
    async def unindexed(
        self, spellings: Sequence[str], scope: Scope, limit: int
    ) -> list[Candidate]:
        """Return texts of other kinds, not gone, that match all regular expressions ``spellings``.

        Of each kind ``limit`` at most: those with all in the title first, then the newest.
        """

    @abstractmethod
    async def candidates(self, keys: Sequence[str]) -> list[Candidate]:
        """Return the articles with the given keys, in any order, with bodies truncated to BODY."""
