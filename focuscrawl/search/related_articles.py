"""Articles related to another one, by common tags and by tf-idf similarity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from focuscrawl.search.search_results import Candidate, Passage, Related
from focuscrawl.search.text_snippets import on_one_line, snippet
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.tokeniser import make_tokeniser

KEY_WORDS = 8
"""Number of words of an article used to search for related ones."""
COMMON_WORDS = 5
"""Maximum number of shared words named."""

_TITLE_COUNTS = 4
_TAGS_COUNT = 0.5
_Vector = Mapping[str, float]


def key_words(article: Candidate) -> list[str]:
    """Return the tags and key words of an article, the most significant first.

    Words are weighted by frequency, more in the title, and by length: a substitute for their rarity
    that needs no other articles.
    """
    tags = [form for tag in article.tags if (form := normal_form(tag).strip())]
    counts = _counts(article)
    weights = {word: count * len(word) for word, count in counts.items() if word[0] != "#"}
    words = sorted((word for word in weights if len(word) > 1), key=lambda w: (-weights[w], w))
    return [*dict.fromkeys([*tags, *words])][:KEY_WORDS]


def most_related(article: Candidate, others: Sequence[Candidate], limit: int) -> list[Related]:
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
        _found(article, others[place], scores[place], _common_words(own, vectors[place]))
        for place in order[:limit]
        if scores[place] > 0
    ]


def _counts(article: Candidate) -> Counter[str]:
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


def _common_tags(one: Candidate, other: Candidate) -> tuple[str, ...]:
    known = {*map(normal_form, one.tags)}
    return tuple(dict.fromkeys(tag for tag in other.tags if normal_form(tag) in known))


def _found(article: Candidate, other: Candidate, score: float, words: tuple[str, ...]) -> Related:
    return Related(
        kind=other.kind,
        key=other.key,
        url=other.url,
        site=other.site,
        series=other.series,
        number=other.number,
        published=other.published,
        title=Passage(on_one_line(other.title)),
        snippet=snippet(other.description or other.body, (), ""),
        score=score,
        shared_tags=_common_tags(article, other),
        shared_words=words,
    )
