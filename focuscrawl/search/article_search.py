"""Search of stored texts and of related articles, over any store."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from focuscrawl.errors import ArgumentError
from focuscrawl.items import check_code
from focuscrawl.search.search_index import SearchIndex, headline_terms
from focuscrawl.search.search_query import Query, query_for, read_query
from focuscrawl.search.search_results import (
    EVERYWHERE,
    FoundText,
    Passage,
    Related,
    Scope,
    Span,
    TextCandidate,
    newest_first,
    on_one_line,
    snippet,
)
from focuscrawl.system.durable_files import check_utf8
from focuscrawl.text.character_folding import normal_characters
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.tokeniser import make_tokeniser

# Articles related to another one, by common tags and by tf-idf similarity.

KEY_WORDS = 8
"""Number of words of an article used to search for related ones."""
COMMON_WORDS = 5
"""Maximum number of shared words named."""

_TITLE_COUNTS = 4
_TAGS_COUNT = 0.5
_Vector = Mapping[str, float]
_Found = TypeVar("_Found", bound=FoundText)


def key_words(article: TextCandidate) -> list[str]:
    """Return the tags and key words of an article, the most significant first.

    Words are weighted by frequency, more in the title, and by length: a substitute for their rarity
    that needs no other articles.
    """
    tags = [form for tag in article.tags if (form := normal_form(tag).strip())]
    counts = _counts(article)
    weights = {word: count * len(word) for word, count in counts.items() if word[0] != "#"}
    words = sorted((word for word in weights if len(word) > 1), key=lambda w: (-weights[w], w))
    return [*dict.fromkeys([*tags, *words])][:KEY_WORDS]


def most_related(
    article: TextCandidate, others: Sequence[TextCandidate], limit: int
) -> list[Related]:
    """Return the ``limit`` articles most similar to ``article``, without itself, and what both share.

    Half of the score is the share of common tags (Jaccard), half the cosine of tf-idf vectors,
    with the document frequencies among ``others``. Both are 0 to 1.
    """
    others = [other for other in others if other.key != article.key]
    counts = [_counts(entry) for entry in (article, *others)]
    idf = _idf(counts)
    own, *vectors = [_vector(count, idf) for count in counts]
    scores = [
        _TAGS_COUNT * _shared(article.tags, other.tags) + (1 - _TAGS_COUNT) * _cosine(own, vector)
        for other, vector in zip(others, vectors, strict=True)
    ]
    order = sorted(range(len(others)), key=lambda place: (-scores[place], others[place].key))
    return [
        _result(
            Related,
            other := others[place],
            title=Passage(on_one_line(other.title)),
            snippet=snippet(other.description or other.body, (), ""),
            score=scores[place],
            shared_tags=_common_tags(article, other),
            shared_words=_common_words(own, vectors[place]),
        )
        for place in order[:limit]
        if scores[place] > 0
    ]


def _counts(article: TextCandidate) -> Counter[str]:
    title = "\n".join([article.title, *article.tags])
    first, rest = make_tokeniser().tokens_of([title, f"{article.description}\n{article.body}"])
    counts = Counter(rest)
    for word in first:
        counts[word] += _TITLE_COUNTS
    return counts


def _idf(counts: Sequence[Counter[str]]) -> dict[str, float]:
    frequencies = Counter(word for count in counts for word in count)
    return {word: math.log(1 + len(counts) / df) for word, df in frequencies.items()}


def _vector(count: Counter[str], idf: _Vector) -> dict[str, float]:
    vector = {word: (1 + math.log(tf)) * idf[word] for word, tf in count.items()}
    length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
    return {word: weight / length for word, weight in vector.items()}


def _cosine(one: _Vector, other: _Vector) -> float:
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())


def _shared(tags: Sequence[str], others: Sequence[str]) -> float:
    one, other = {*map(normal_form, tags)}, {*map(normal_form, others)}
    return len(one & other) / len(one | other) if one & other else 0.0


def _common_words(one: _Vector, other: _Vector) -> tuple[str, ...]:
    """Return the words that add most to the cosine."""
    parts = {word: weight * other[word] for word, weight in one.items() if word in other}
    worded = [word for word in parts if word[0] != "#" and len(word) > 1]
    return tuple(sorted(worded, key=lambda word: (-parts[word], word))[:COMMON_WORDS])


def _common_tags(one: TextCandidate, other: TextCandidate) -> tuple[str, ...]:
    known = {*map(normal_form, one.tags)}
    return tuple(dict.fromkeys(tag for tag in other.tags if normal_form(tag) in known))


# Ranking of the texts that contain all words of a query, by their texts.

_TITLE, _TAGS, _DESCRIPTION, _BODY = 6.0, 5.0, 3.0, 1.0
_PHRASE = 2.0
_SATURATION = 4.0
_USUAL_LENGTH, _LENGTH_COUNTS = 1500, 0.5


@dataclass(frozen=True, slots=True)
class _Field:
    """A text of an article, original and folded, and the spans of query words in it."""

    text: str
    folded: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """An article with the spans of the words in it, and its score."""

    candidate: TextCandidate
    title: _Field
    description: _Field
    body: _Field
    score: float


def ranked(query: Query, candidates: Iterable[TextCandidate], limit: int) -> list[FoundText]:
    """Return the best ``limit`` articles, each with the passage that contains most of the query.

    An article whose terms match by chance, without one of the pieces in its text, is omitted.
    """
    readings = [reading for one in candidates if (reading := _read(query, one)) is not None]
    readings.sort(key=lambda reading: reading.candidate.key)
    readings.sort(key=lambda reading: newest_first((reading.candidate.published, "")), reverse=True)
    readings.sort(key=lambda reading: -reading.score)
    return [_found(reading) for reading in readings[:limit]]


def _read(query: Query, candidate: TextCandidate) -> _Reading | None:
    title, tags, description, body = (
        _field(query, text)
        for text in (
            candidate.title,
            "\n".join(candidate.tags),
            candidate.description,
            candidate.body,
        )
    )
    long = 1 - _LENGTH_COUNTS + _LENGTH_COUNTS * len(body.text) / _USUAL_LENGTH
    counts: defaultdict[str, float] = defaultdict(float)
    weights = ((title, _TITLE), (tags, _TAGS), (description, _DESCRIPTION), (body, _BODY / long))
    for field, weight in weights:
        for start, end in field.spans:
            # Texts may have a space between Latin and Chinese characters.
            counts[field.folded[start:end].replace(" ", "")] += weight
    for piece in query.pieces:
        if not _count(piece, counts) and any(query.is_in(piece, f.folded) for f, _ in weights):
            counts[piece] += _BODY
    score = _score(query, counts, candidate.is_whole)
    return None if score is None else _Reading(candidate, title, description, body, score)


def _field(query: Query, text: str) -> _Field:
    folded = normal_characters(text)
    return _Field(text, folded, tuple(match.span() for match in query.pattern.finditer(folded)))


def _score(query: Query, counts: Mapping[str, float], is_whole: bool) -> float | None:
    """Return the score, None if a piece is missing in an article that was read completely."""
    score = sum(_PHRASE * _saturated(counts.get(phrase, 0)) for phrase in query.phrases)
    for piece in query.pieces:
        count = _count(piece, counts)
        if is_whole and not count:
            return None
        score += _saturated(count)
    return score


def _count(piece: str, counts: Mapping[str, float]) -> float:
    return sum(weight for found, weight in counts.items() if piece in found)


def _saturated(count: float) -> float:
    return count / (count + _SATURATION)


def _found(reading: _Reading) -> FoundText:
    candidate = reading.candidate
    shown = reading.body if reading.body.spans or not reading.description.spans else None
    shown = shown or reading.description
    return _result(
        FoundText,
        candidate,
        title=Passage(on_one_line(candidate.title), reading.title.spans),
        snippet=snippet(shown.text, shown.spans, shown.folded),
        score=reading.score,
    )


def unranked(candidate: TextCandidate) -> FoundText:
    """Return a text of a list without words, with its beginning."""
    return _result(
        FoundText,
        candidate,
        title=Passage(on_one_line(candidate.title)),
        snippet=snippet(candidate.description or candidate.body, (), ""),
        score=0.0,
    )


def _result(kind: type[_Found], candidate: TextCandidate, **found: Any) -> _Found:
    """Build a result: what the search found beside what the store knows of the text."""
    return kind(
        kind=candidate.kind,
        key=candidate.key,
        url=candidate.url,
        site=candidate.site,
        series=candidate.series,
        number=candidate.number,
        published=candidate.published,
        **found,
    )


CANDIDATES = 200
"""Maximum number of articles ranked by their texts: of more matches, the newest.

Articles with all words in title and tags take precedence.
"""
MOST = 1000
"""Maximum number of results."""

_OF_A_WORD = 30


async def search(index: SearchIndex, text: str, limit: int, scope: Scope) -> list[FoundText]:
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
