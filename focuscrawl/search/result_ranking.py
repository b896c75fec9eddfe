"""Ranking of the texts that contain all words of a query, by their texts.

The full-text engines rank differently from one another. They therefore only find the matching
articles, and this module ranks them the same way for all: by the frequencies of the pieces of the
query, weighted higher in title and tags than in the body, with the saturation and length
normalisation of BM25F (Robertson, Zaragoza and Taylor 2004). There is no idf: all candidates contain
all words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from focuscrawl.search.listed_article import newest_first
from focuscrawl.search.search_query import Query
from focuscrawl.search.search_results import Candidate, Found, Passage, Span
from focuscrawl.search.text_snippets import on_one_line, snippet
from focuscrawl.text.character_folding import normal_characters

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

    candidate: Candidate
    title: _Field
    description: _Field
    body: _Field
    score: float


def ranked(query: Query, candidates: Iterable[Candidate], limit: int) -> list[Found]:
    """Return the best ``limit`` articles, each with the passage that contains most of the query.

    An article whose terms match by chance, without one of the pieces in its text, is omitted.
    """
    readings = [reading for one in candidates if (reading := _read(query, one)) is not None]
    readings.sort(key=lambda reading: reading.candidate.key)
    readings.sort(key=lambda reading: newest_first((reading.candidate.published, "")), reverse=True)
    readings.sort(key=lambda reading: -reading.score)
    return [_found(reading) for reading in readings[:limit]]


def _read(query: Query, candidate: Candidate) -> _Reading | None:
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


def _found(reading: _Reading) -> Found:
    candidate = reading.candidate
    shown = reading.body if reading.body.spans or not reading.description.spans else None
    shown = shown or reading.description
    return Found(
        kind=candidate.kind,
        key=candidate.key,
        url=candidate.url,
        site=candidate.site,
        series=candidate.series,
        number=candidate.number,
        published=candidate.published,
        title=Passage(on_one_line(candidate.title), reading.title.spans),
        snippet=snippet(shown.text, shown.spans, shown.folded),
        score=reading.score,
    )
