"""Crawl windows: the records that one run found, compared with those of the runs before it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from focuscrawl.items import Seed, TemplateRecord
from focuscrawl.pages.site_hosts import host_of

PATIENCE = 3
"""Number of consecutive windows without a response from a site after which its records are gone."""
CRAWLED = ("useful", "useless", "failed")
"""States of seeds that were crawled in their window."""
_NOT_CRAWLED = ("waiting", "skipped")


class Window:
    """One window of a crawl (Chen Duanbing et al. 2012): added, updated, unchanged, deleted.

    A record is gone if this window has not found it, unless its seed, or any seed of its site, was
    skipped or failed: its state is unknown then, until the site has failed for ``PATIENCE`` windows.
    """

    def __init__(self, number: int, known: Sequence[TemplateRecord]) -> None:
        self.number = number
        self._before = {record.url: record for record in known if record.window < number}
        # Seeds by URL and their sites, which have no slash.
        self._not_crawled: set[str] = set()
        self._failed: set[str] = set()

    def meet(self, urls: Iterable[str]) -> None:
        """Record the URLs of records found in this window."""
        for url in urls:
            self._before.pop(url, None)

    def settle(self, seed: Seed, arrived: str = "") -> None:
        """Record the outcome of a seed; ``arrived`` is the URL after its redirects."""
        names = {seed.url, *(host_of(url) for url in (seed.url, arrived) if url)}
        if seed.state in _NOT_CRAWLED:
            self._not_crawled |= names
        elif seed.state == "failed":
            self._failed |= names

    def misses(self, seed: str, arrived: str, found: Container[str]) -> bool:
        """Return whether a record of this seed, or of its site, is missing in this window and in ``found``."""
        sites = {host_of(seed), host_of(arrived or seed)}
        unmet = (record for record in self._before.values() if record.url not in found)
        return any(record.seed == seed or host_of(record.url) in sites for record in unmet)

    def unmet_seeds(self, listed: Container[str]) -> list[str]:
        """Return the seeds, absent from ``listed``, of records not found in this window."""
        return list(dict.fromkeys(r.seed for r in self._before.values() if r.seed not in listed))

    def gone(self) -> list[TemplateRecord]:
        """Return the records that no longer exist; call it once all seeds are settled."""
        return [record for record in self._before.values() if not self._is_unsure(record)]

    def _is_unsure(self, record: TemplateRecord) -> bool:
        names = {record.seed, host_of(record.url)}
        is_patient = self.number - record.window <= PATIENCE
        return not names.isdisjoint(self._not_crawled) or (
            is_patient and not names.isdisjoint(self._failed)
        )
