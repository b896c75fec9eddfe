"""Linear models over binary features, whichever algorithm trained them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from focuscrawl.errors import ArgumentError
from focuscrawl.pages.link import Reason

Features = Collection[str]
# Of logistic regression and SVM: weak enough for rare words, strong enough for few hosts.
_PENALTY = 0.3


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Linear model: ``bias`` plus the weights of the features that are present gives the log-odds."""

    bias: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)

    def decision(self, features: Features) -> float:
        """Return the log-odds; unknown features are ignored."""
        known = self.weights
        return self.bias + sum([known[name] for name in features if name in known])

    def by_namespace(self) -> defaultdict[str, dict[str, float]]:
        """Return the weights by namespace (``anchor`` of ``anchor:学习``, "" for none) and word."""
        spaces: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for name, weight in self.weights.items():
            space, parted, word = name.partition(":")
            spaces[space if parted else ""][word if parted else name] = weight
        return spaces

    def reasons(self, features: Features) -> list[Reason]:
        """Return the known features and ``bias`` with their weights, heaviest first."""
        found = [Reason(name, self.weights[name]) for name in features if name in self.weights]
        found.append(Reason("bias", self.bias))
        return sorted(found, key=lambda reason: -abs(reason.weight))


def fit_linear(
    algorithm: Literal["logistic", "svm"],
    examples: Iterable[Features],
    labels: Sequence[bool],
    weights: Sequence[float],
    min_count: int,
) -> LinearModel:
    """Fit scikit-learn's logistic regression or linear SVM on binary features.

    ``weights`` has one entry per example. Features in fewer than ``min_count`` examples are ignored.
    """
    # NumPy and scikit-learn take a second to import, and a crawl that only scores needs neither.
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    vectorizer = CountVectorizer(analyzer=list, binary=True, min_df=min_count, dtype=np.float64)
    try:
        matrix = vectorizer.fit_transform(examples)
    except ValueError:
        raise ArgumentError(
            f"no word occurs in {min_count} or more labelled links, too few for {algorithm};"
            " label more links, or train with --algorithm nb"
        ) from None
    model = (
        LogisticRegression(C=_PENALTY, max_iter=300)
        if algorithm == "logistic"
        else LinearSVC(C=_PENALTY / 10)
    )
    model.fit(matrix, np.asarray(labels, bool), sample_weight=np.asarray(weights))
    names = vectorizer.get_feature_names_out()
    coefficients = dict(zip(names.tolist(), model.coef_[0].tolist(), strict=True))
    return LinearModel(float(model.intercept_[0]), coefficients)
