"""Draft of a topic from example pages: its lexicon, and how many of the examples it finds unseen.

Weights are those of Robertson and Sparck Jones (1976, formula F4): the log-odds of a word in relevant
pages against all others. Of ten examples the counts are too small for that, so that each share is
smoothed by what is known of the word from the pages of other topics.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from focuscrawl.errors import TopicError
from focuscrawl.text.term_finder import term_key, term_spelling
from focuscrawl.text.tokeniser import make_tokeniser
from focuscrawl.topics.topic_model import PageRule, Topic, page_relevance

THRESHOLD = 0.9
"""``page_rule.threshold`` of a draft. Its words are less sure than those that a person chooses."""

FEWEST = 5
"""Relevant pages below which there is no draft."""

# Chosen on three recorded topics; from 40, 20 and 10 pages, and as many others, drafts have that precision.
_EXPECTED = ((40, "0.85"), (20, "0.75"), (10, "0.55"))
_TERMS = 40
_HEAD = 3000  # characters
_IN_PAGES = 2
# The background counts as that many irrelevant pages.
_TRUST = 10.0
_LEAST_WEIGHT, _HEAVIEST = 1.0, 4.0


_FILE = """\
# A topic for focuscrawl, drafted from example pages; all keys: scrapy newtopic OTHER.
# Remove the words that only happen to be on your pages, add those that you know, then try it.

name: {name}
description: what it is about, for people

# In natural log-odds, the most telling word first; a weight below 0 speaks against the topic.
lexicon:
{words}

# Where crawls begin.
seeds:
{seeds}

page_rule:
  # High, since these words are less sure than chosen ones; 0.4 once you have edited them.
  threshold: {threshold}
  min_terms: 2
"""


class Example(NamedTuple):
    """A page that is relevant to the topic, or is not."""

    title: str
    text: str
    relevant: bool


class Check(NamedTuple):
    """Verdicts of drafts, each on the example that it was made without."""

    found: int
    relevant: int
    mistaken: int
    others: int

    @property
    def sentence(self) -> str:
        """What to expect of the topic, as a user reads it."""
        expected = next((rate for least, rate in _EXPECTED if self.relevant >= least), "")
        is_good = self.found * 2 >= self.relevant and self.mistaken * 2 <= self.others
        text = f"finds {self.found} of {self.relevant} pages of the topic that it has not seen"
        if self.others:
            text += f", takes {self.mistaken} of {self.others} others for such"
        if not is_good:
            return f"{text}; a draft like that is no use: give pages that are more alike, and more others"
        if not expected:
            return f"{text}; from fewer than 10 pages expect most of what it takes to be wrong"
        return f"{text}; on three recorded topics drafts from so many had a precision of {expected}"


def draft_lexicon(examples: Sequence[Example], shares: Mapping[str, float]) -> dict[str, float]:
    """Return weights by word, in natural log-odds, the best words first.

    ``shares`` are those of the pages of other topics that have a word, up to 1. Raises
    :class:`~focuscrawl.errors.TopicError` for fewer than ``FEWEST`` relevant pages, and if they have no
    word in common that others lack.
    """
    if (pages := sum(page.relevant for page in examples)) < FEWEST:
        raise TopicError(
            f"{pages} readable pages of the topic are too few; give {FEWEST} or more, better 20"
        )
    lexicon = _lexicon([(_words(page), page.relevant) for page in examples], shares)
    if not lexicon:
        raise TopicError("the pages have no words in common that others lack; give more of them")
    return lexicon


def check_draft(examples: Sequence[Example], shares: Mapping[str, float]) -> Check:
    """Judge each example by the draft from the others (leave one out)."""
    read = [(_words(page), page.relevant) for page in examples]
    taken = [0, 0]
    for number, page in enumerate(examples):
        lexicon = _lexicon([*read[:number], *read[number + 1 :]], shares)
        if not lexicon:
            continue
        topic = Topic(name="draft", lexicon=lexicon, page_rule=PageRule(threshold=THRESHOLD))
        taken[page.relevant] += page_relevance(topic, page.title, page.text).relevant
    relevant = sum(page.relevant for page in examples)
    return Check(taken[1], relevant, taken[0], len(examples) - relevant)


def draft_yaml(name: str, lexicon: Mapping[str, float], seeds: Sequence[str]) -> str:
    """Return the topic file, with comments that say what to do with it."""
    quoted = [json.dumps(text, ensure_ascii=False) for text in (name, *lexicon, *seeds)]
    words = zip(quoted[1 : len(lexicon) + 1], lexicon.values(), strict=True)
    return _FILE.format(
        name=quoted[0],
        words="\n".join(f"  {word}: {weight}" for word, weight in words),
        seeds="\n".join(f"  - {url}" for url in quoted[len(lexicon) + 1 :]),
        threshold=THRESHOLD,
    )


def _words(page: Example) -> set[str]:
    tokens = make_tokeniser().tokens(f"{page.title} \n {page.text[:_HEAD]}")
    return {word for word in tokens if len(word) > 1 and not word.startswith("#")}


def _lexicon(
    read: Sequence[tuple[set[str], bool]], shares: Mapping[str, float]
) -> dict[str, float]:
    inside = Counter(word for words, relevant in read if relevant for word in words)
    outside = Counter(word for words, relevant in read if not relevant for word in words)
    pages = sum(relevant for _, relevant in read)
    others = len(read) - pages
    weights = {}
    for word, count in inside.items():
        if count < _IN_PAGES:
            continue
        share = (count + 0.05) / (pages + 0.5)
        # A word that no page of another topic has may be one that no page at all has.
        known = min(1.0, shares.get(word, 0.0))
        rest = max((outside[word] + _TRUST * known) / (others + _TRUST), 0.5 / (others + _TRUST))
        weights[word] = _log_odds(share) - _log_odds(rest)
    # Of words that are one term, such as web-server and web server, the best stays.
    strong = {
        term_key(term_spelling(word)): word
        for word in sorted(
            weights, key=lambda word: (weights[word] * math.sqrt(inside[word]), word)
        )
        if weights[word] > _LEAST_WEIGHT
    }
    best = [word for key, word in reversed(strong.items()) if key][:_TERMS]
    return {word: round(min(_HEAVIEST, weights[word]), 1) for word in best}


def _log_odds(share: float) -> float:
    # Bounded: a word in every example is not certain.
    return math.log(share / (1.05 - share))
