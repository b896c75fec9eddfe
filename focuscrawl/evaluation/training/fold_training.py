"""Cross-validated classifiers by host, for crawls of the same recorded web that they are trained on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from focuscrawl.evaluation.datasets.labelled_dataset import DataSet, cross_validation
from focuscrawl.pages.site_hosts import host_of
from focuscrawl.scoring.link_classifier import LinkClassifier
from focuscrawl.scoring.link_features import LinkFeatures
from focuscrawl.scoring.model_files.fold_files import save_folds
from focuscrawl.scoring.page_classifier import PageClassifier, PageFeatures
from focuscrawl.topics import Topic

Step = Callable[[], None]


def train_folds(
    data: DataSet,
    topic: Topic,
    folds: int,
    folder: Path,
    source: str,
    step: Step = lambda: None,
) -> Path:
    """Train and write a link and a page classifier per fold; ``step`` is called after each fold.

    ``source`` is kept with them, see :func:`~focuscrawl.scoring.model_files.fold_files.save_folds`. Raises
    :class:`~focuscrawl.errors.ArgumentError` if there are fewer hosts than folds need.
    """
    fold_of = deal_hosts(data, folds)
    links, pages = [], []
    for part in training_parts(data, fold_of, folds):
        classifier = LinkClassifier(LinkFeatures(topic.terms))
        links.append(classifier.fit(part.links, part.labels.tolist(), part.hosts))
        if len({page.label for page in part.pages}) == 2:
            judge = PageClassifier(PageFeatures(topic.terms))
            texts = [(page.title, page.text) for page in part.pages]
            labels = [page.label for page in part.pages]
            pages.append(judge.fit(texts, labels, [host_of(page.url) for page in part.pages]))
        step()
    return save_folds(
        folder, topic.name, source, fold_of, links, pages if len(pages) == folds else []
    )


def deal_hosts(data: DataSet, folds: int) -> dict[str, int]:
    """Return the fold of every host, balanced by the labels of its links, else of its pages.

    A host whose links redirect to another host is in the fold of that host.
    """
    splits = cross_validation(data.labels, data.hosts, folds=folds)
    fold_of = {data.hosts[row]: fold for fold, split in enumerate(splits) for row in split.test}
    for link, host in zip(data.links, data.hosts, strict=True):
        fold_of.setdefault(host_of(link.url), fold_of[host])
    pages = Counter(host_of(page.url) for page in data.pages)
    sizes = Counter(dict.fromkeys(range(folds), 0))
    for host, fold in fold_of.items():
        sizes[fold] += pages[host]
    for host in sorted({*pages, *data.sources} - {*fold_of}):
        smallest = min(sizes, key=lambda fold: (sizes[fold], fold))
        fold_of[host] = smallest
        sizes[smallest] += pages[host]
    return fold_of


def training_parts(data: DataSet, fold_of: Mapping[str, int], folds: int) -> Iterator[DataSet]:
    """Yield the training data of each fold: no pages of its hosts, and no links from or to them."""
    touched = np.array(
        [
            [fold_of[host] for host in (target, host_of(link.url), source)]
            for link, target, source in zip(data.links, data.hosts, data.sources, strict=True)
        ]
    )
    for fold in range(folds):
        held_out = [host for host, its in fold_of.items() if its == fold]
        yield data.part(np.flatnonzero((touched != fold).all(axis=1)), held_out)
