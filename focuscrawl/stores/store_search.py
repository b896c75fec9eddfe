"""Search in a store, the same for every database."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from focuscrawl.search.search_index import SearchIndex
from focuscrawl.search.search_results import (
    BODY,
    EVERYWHERE,
    FoundText,
    Related,
    Scope,
    TextCandidate,
)
from focuscrawl.stores.records.batch_changes import (
    ARTICLES,
    ITEMS,
    NUMBERED,
    PAGES,
    RECORDS,
    RecordKind,
)


class TextSource(NamedTuple):
    """A kind of texts without an index: where they are, and what orders them."""

    name: str
    kind: RecordKind
    title: str
    body: str
    day: str = "first_seen"
    may_be_gone: bool = False


Sought = tuple[Sequence[str], Scope, int]  # spellings, scope, limit

READ = (
    TextSource("article", ARTICLES, "title", "text", "published", may_be_gone=True),
    TextSource("page", PAGES, "title", "text"),
    TextSource("record", RECORDS, "title", "fields", may_be_gone=True),
    TextSource("item", ITEMS, "item_key", "item"),
)
TEXTS = {one.name: one for one in (TextSource("numbered", NUMBERED, "title", "body_text"), *READ)}
"""All kinds of texts by name."""


class Searched(SearchIndex):
    """A :class:`~focuscrawl.search.search_index.SearchIndex` with the searches of a store in it."""

    async def search(
        self, query: str, limit: int = 20, *, scope: Scope = EVERYWHERE
    ) -> list[FoundText]:
        """Return the best of the stored texts that have all words of ``query``."""
        # Imported here because it loads dictionaries that a crawl does not need.
        from focuscrawl.search.article_search import search

        return await search(self, query, limit, scope)

    async def unindexed(
        self, spellings: Sequence[str], scope: Scope, limit: int
    ) -> list[TextCandidate]:
        """Return texts without an index: those with the spellings in the title, then the newest."""
        found, sought = list[TextCandidate](), (spellings, scope, limit)
        # Only articles have a day.
        for texts in READ[:1] if scope.since or scope.until else READ:
            keys = dict.fromkeys(await self._read(texts, [texts.title], sought))
            if len(keys) < limit:
                keys |= dict.fromkeys(await self._read(texts, [texts.title, texts.body], sought))
            rows = await self._read_rows(texts, [*keys][:limit])
            every = [read_candidate(texts, row) for row in rows]
            found += [one for one in every if scope.site in (None, one.site)]
        return found

    @abstractmethod
    async def _read(self, texts: TextSource, fields: Sequence[str], sought: Sought) -> list[str]:
        """Return the keys of the newest texts that match all of the spellings in the fields."""

    @abstractmethod
    async def _read_rows(
        self, texts: TextSource, keys: Sequence[str]
    ) -> Sequence[Mapping[str, Any]]:
        """Return key, URL, site, day, title and body of texts."""

    async def texts_of(self, kind: str, keys: Sequence[str]) -> list[TextCandidate]:
        """Return the stored ones of texts of a kind, in any order, their bodies cut."""
        if kind == "numbered":
            return await self.candidates(keys)
        rows = await self._read_rows(TEXTS[kind], keys)
        return [read_candidate(TEXTS[kind], row) for row in rows]

    async def headed(self, words: str, limit: int = 20, *, scope: Scope = EVERYWHERE) -> list[str]:
        """Return the MD5s of the newest numbered articles with all words in title and tags."""
        from focuscrawl.search.article_search import headed

        return await headed(self, words, limit, scope)

    async def related(self, url: str, limit: int = 10) -> list[Related]:
        """Return the numbered articles most similar to the one at ``url``, and what both share."""
        from focuscrawl.search.article_search import related

        return await related(self, url, limit)


def read_candidate(texts: TextSource, row: Mapping[str, Any], longest: int = BODY) -> TextCandidate:
    """Build a candidate from the row of a text without an index."""
    title, body = row[texts.title], row[texts.body]
    if texts.kind is ITEMS:
        title = f"{row['class_name']} {title}"
    elif texts.kind is RECORDS:
        body = "\n".join(value["value"] for value in body)
    return TextCandidate(
        key=row[texts.kind.key],
        kind=texts.name,
        url=row["url"],
        site=row["site"] if "site" in row else urlsplit(row["url"]).hostname or "",
        published=row.get("published"),
        title=title,
        body=body[:longest],
        is_whole=len(body) < longest,
    )


def stored_candidate(row: Mapping[str, Any], body: str, *, is_whole: bool) -> TextCandidate:
    """Build a candidate from the row of a numbered article and the beginning of its body."""
    return TextCandidate(
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
