"""Search of stored texts and of related articles, over any store."""

from __future__ import annotations

import asyncio

from focuscrawl.errors import ArgumentError
from focuscrawl.items import check_code
from focuscrawl.search.index_terms import headline_terms
from focuscrawl.search.related_articles import key_words, most_related
from focuscrawl.search.result_ranking import ranked
from focuscrawl.search.search_index import SearchIndex
from focuscrawl.search.search_query import Query, query_for, read_query
from focuscrawl.search.search_results import EVERYWHERE, Found, Related, Scope
from focuscrawl.system.input_files import check_utf8

CANDIDATES = 200
"""Maximum number of articles ranked by their texts: of more matches, the newest.

Articles with all words in title and tags take precedence.
"""
MOST = 1000
"""Maximum number of results."""

_OF_A_WORD = 30


async def search(index: SearchIndex, text: str, limit: int, scope: Scope) -> list[Found]:
    """Return the ``limit`` best of the stored texts that contain all words of ``text``.

    Every store gives the same texts in the same order. Raises ArgumentError for an invalid
    query, see :func:`~focuscrawl.search.search_query.read_query`, and for a limit below one or above
    :data:`MOST`.
    """
    _check_text(scope.site, scope.series, scope.tag)
    query = read_query(text)
    most = max(CANDIDATES, _checked(limit))
    keys = dict.fromkeys(await _in_headline(index, query, scope, most))
    terms = (*query.terms, *query.words)
    for wanted in dict.fromkeys([terms, query.terms]):
        if len(keys) < most:
            keys |= dict.fromkeys(
                await index.matching(wanted, query.parts, scope, most, in_headline=False)
            )
    candidates = await index.candidates([*keys][:most])
    if not (scope.series or scope.tag):
        candidates += await index.unindexed(query.spellings, scope, most)
    # In a thread, so that a server answers others meanwhile.
    return await asyncio.to_thread(ranked, query, candidates, limit)


async def headed(index: SearchIndex, words: str, limit: int, scope: Scope) -> list[str]:
    """Return the keys of the ``limit`` newest articles with all ``words`` in title and tags.

    Raises ArgumentError as :func:`search` does.
    """
    _check_text(scope.site, scope.series, scope.tag)
    return await _in_headline(index, read_query(words), scope, _checked(limit))


async def _in_headline(index: SearchIndex, query: Query, scope: Scope, limit: int) -> list[str]:
    terms = headline_terms((*query.terms, *query.words))
    return await index.matching(terms, query.parts, scope, limit, in_headline=True)


async def related(index: SearchIndex, url: str, limit: int) -> list[Related]:
    """Return the ``limit`` articles most similar to the one at ``url``, by tags and by words.

    Each has the tags and words that it shares with that one.

    Its tags and key words are searched for in titles and tags, and in all texts if too few articles
    match. Raises ArgumentError if there is no such article.
    """
    _checked(limit)
    _check_text(url)
    own = await index.candidates([check_code(url)])
    if not own:
        raise ArgumentError(f"{url} is not in the store; give the URL of a stored article")
    queries = [query for word in key_words(own[0]) if (query := query_for([word])).terms]
    keys: dict[str, None] = {}
    for query in queries:
        keys |= dict.fromkeys(await _in_headline(index, query, EVERYWHERE, _OF_A_WORD))
    if len(keys) <= limit:
        for query in queries:
            found = await index.matching(query.terms, (), EVERYWHERE, _OF_A_WORD, in_headline=False)
            keys |= dict.fromkeys(found)
    candidates = await index.candidates([*keys])
    return await asyncio.to_thread(most_related, own[0], candidates, limit)


def _check_text(*texts: str | None) -> None:
    for text in texts:
        check_utf8(text, repr(text))


def _checked(limit: int) -> int:
    if not 1 <= limit <= MOST:
        raise ArgumentError(f"the limit {limit} is out of range; give 1 to {MOST}")
    return limit
