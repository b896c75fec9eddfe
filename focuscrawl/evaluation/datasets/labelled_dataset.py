"""Data set of labelled links and pages, the input of all evaluations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.classification_metrics import Bools
from focuscrawl.evaluation.datasets.host_splits import Indices
from focuscrawl.pages.link import LabelledLink, LabelledPage, Link
from focuscrawl.pages.site_hosts import host_of


@dataclass(frozen=True, slots=True)
class DataSet:
    """Links with labels, hosts and sources, all of length n, and pages.

    ``hosts`` are those of the links' targets after known redirects, ``sources`` those of the pages
    with the links.
    """

    links: list[Link]
    labels: Bools
    hosts: list[str]
    sources: list[str]
    pages: list[LabelledPage]

    def part(self, rows: Indices, held_out: Iterable[str] = ()) -> DataSet:
        """Return the links of these rows, and the pages except those of the held-out hosts."""
        without = set(held_out)
        return DataSet(
            [self.links[row] for row in rows],
            self.labels[rows],
            [self.hosts[row] for row in rows],
            [self.sources[row] for row in rows],
            [page for page in self.pages if host_of(page.url) not in without],
        )


def data_set(
    links: Iterable[LabelledLink],
    pages: Iterable[LabelledPage],
    final_url: dict[str, str] | None = None,
) -> DataSet:
    """Return the labelled links, with the pages.

    ``final_url`` maps targets to the URLs they redirect to. Raises
    :class:`~focuscrawl.errors.ArgumentError` if no link is labelled.
    """
    known = [link for link in links if link.label is not None]
    if not known:
        raise ArgumentError("no link is labelled; run scrapy crawl labels first, or give a truth.")
    targets = [
        (final_url or {}).get(known_link.link.url, known_link.link.url) for known_link in known
    ]
    return DataSet(
        [link.link for link in known],
        np.array([bool(link.label) for link in known]),
        [host_of(url) for url in targets],
        [host_of(link.source) for link in known],
        list(pages),
    )
