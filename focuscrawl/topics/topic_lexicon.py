"""Lexicon of a topic: weighted terms, and their search in texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from focuscrawl.text.normal_form import BETWEEN, normal_form
from focuscrawl.text.term_finder import TermFinder, term_key, term_spelling


class Lexicon:
    """Terms and their weights, in natural log-odds: above 0 for the topic, below 0 against it.

    The longest of several overlapping terms matches (机器学习, not 机器); Latin terms match whole words:
    ``ai`` does not match ``email``. Case, width, traditional characters, hyphens and blanks are ignored.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = dict(weights)
        self._terms = {term_key(term_spelling(term)): term for term in weights}
        self._finder = TermFinder(weights)

    def hits(self, text: str) -> list[str]:
        """Return all occurrences of terms in ``text``, in the spelling of the topic.

        Those with Latin letters or digits come first.
        """
        return self._hits(normal_form(text))

    def hits_of(self, texts: Sequence[str]) -> list[list[str]]:
        """Return ``hits`` of each text, normalised in one call; equal texts share a list."""
        distinct = list(dict.fromkeys(texts))
        joined = BETWEEN.join(text.replace(BETWEEN, " ") for text in distinct)
        plain = normal_form(joined).split(BETWEEN)
        found = {text: self._hits(form) for text, form in zip(distinct, plain, strict=False)}
        return [found[text] for text in texts]

    def weight(self, text: str) -> float:
        """Return the sum of the weights of all hits in ``text``."""
        return self.weight_of(self.hits(text))

    def weight_of(self, terms: Iterable[str]) -> float:
        """Return the sum of the weights of ``terms``."""
        return math.fsum(self.weights[term] for term in terms)

    def _hits(self, plain: str) -> list[str]:
        return [self._terms[key] for key in self._finder.find(plain)]
