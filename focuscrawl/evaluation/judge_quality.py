"""Measurement of a judge of pages on held-out hosts, for the estimate of harvest rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression

from focuscrawl.evaluation.classification_metrics import Bools, Floats
from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.pages.link import LabelledPage
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.harvest_estimate import JudgeQuality, log_odds
from focuscrawl.scoring.page_classifier import ScoredPage


def links_by_page(urls: Sequence[str], probabilities: Sequence[float]) -> dict[str, list[float]]:
    """Return the probabilities of the links to each page, by its canonical URL."""
    found: dict[str, list[float]] = {}
    for url, probability in zip(urls, probabilities, strict=True):
        found.setdefault(canonical_or_same(url), []).append(probability)
    return found


def measured_quality(
    pages: Sequence[LabelledPage],
    judged: Sequence[ScoredPage],
    links: Mapping[str, Sequence[float]],
) -> JudgeQuality | None:
    """Return the quality of a judge on pages that it was not trained on, None if nothing follows from them.

    ``links`` has the probabilities of the links to a page by its canonical URL, from a scorer that has not
    seen its host. A page with n links counts as n parts: a crawl follows one of them, and not always the best,
    since it has not seen them all. Pages without links are counted, but no weight is fitted on them.
    """
    labels = np.array([page.label for page in pages], bool)
    chosen = np.array([one.relevant for one in judged], bool)
    hosts = np.array([host_of(page.url) for page in pages])
    behind = [links.get(canonical_or_same(page.url), ()) for page in pages]
    rows = np.array([row for row, its in enumerate(behind) for _ in its], int)
    parts = np.array([1 / len(its) for its in behind for _ in its])
    columns = [
        (1.0, log_odds(one.probability), log_odds(link))
        for one, its in zip(judged, behind, strict=True)
        for link in its
    ]
    known = labels[rows]
    if len(set(known.tolist())) < 2 or len(set(hosts[rows].tolist())) < 2:
        return None
    weights, covariance, clustering = _fitted(np.array(columns), parts, known, hosts[rows])
    return JudgeQuality(
        hosts=len(set(hosts.tolist())),
        found=int((labels & chosen).sum()),
        missed=int((labels & ~chosen).sum()),
        false_alarms=int((~labels & chosen).sum()),
        rejected=int((~labels & ~chosen).sum()),
        weights=weights.round(6).tolist(),
        covariance=covariance.round(9).tolist(),
        clustering=round(clustering, 6),
    )


def _fitted(
    columns: Floats, parts: Floats, labels: Bools, hosts: np.ndarray
) -> tuple[Floats, Floats, float]:
    """Return the weights of a logistic regression, their covariance by clusters (Liang and Zeger 1986,
    Biometrika 73), and the clustering of its errors by host, by the method of moments.
    """
    model = LogisticRegression(C=1.0, max_iter=1000).fit(columns[:, 1:], labels, parts)
    weights = np.array([model.intercept_[0], *model.coef_[0]])
    chances = model.predict_proba(columns[:, 1:])[:, 1]
    slopes, errors = parts * chances * (1 - chances), parts * (labels - chances)
    groups = [hosts == host for host in np.unique(hosts)]
    scores = np.array([errors[group] @ columns[group] for group in groups])
    bread = np.linalg.pinv(columns.T @ (columns * slopes[:, None]))
    spreads = np.array([slopes[group].sum() for group in groups])
    excess = np.array([errors[group].sum() ** 2 for group in groups]) - spreads
    clustering = float(max(0.0, excess.sum() / max((spreads**2).sum(), 1e-12)))
    return weights, bread @ (scores.T @ scores) @ bread, clustering
