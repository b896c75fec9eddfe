"""The weighted terms of a topic, found in text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from focuscrawl.text.normal_form import BETWEEN, normal_form
from focuscrawl.text.term_finder import TermFinder, term_key, term_spelling


class Lexicon:
    """Terms and their weights, in natural log-odds: above 0 speaks for the topic, below 0 against it.

    The longest term counts where several begin (机器学习, not 机器); Latin terms are whole words: ``ai``
    is not in ``email``. Case, width, traditional characters, hyphens and blanks make no difference.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = dict(weights)
        self._terms = {term_key(term_spelling(term)): term for term in weights}
        self._finder = TermFinder(weights)

    def hits(self, text: str) -> list[str]:
        """Return the terms in ``text`` as the topic spells them, as often as they stand there.

        Those with Latin letters or digits come first.
        """
        return self._hits(normal_form(text))

    def hits_of(self, texts: Sequence[str]) -> list[list[str]]:
        """Return ``hits`` of each text, normalised in one call; equal texts share one list."""
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
