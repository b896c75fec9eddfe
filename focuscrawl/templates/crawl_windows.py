"""Windows: what one run met beside what the last ones did, and what is gone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from focuscrawl.items import Seed, TemplateRecord
from focuscrawl.pages.site_hosts import host_of

PATIENCE = 3
"""So many windows running a site may be silent before its records are gone."""
CRAWLED = ("useful", "useless", "failed")
"""States of seeds that were crawled in their window."""
_NOT_ASKED = ("waiting", "skipped")


class Window:
    """One window of a crawl (Chen Duanbing et al. 2012): added, updated, unchanged, deleted.

    A record is gone if this window has not met it, unless its seed, or any seed of its site, was
    skipped or did not answer: nobody knows then, until it has been silent for ``PATIENCE`` windows.
    """

    def __init__(self, number: int, known: Sequence[TemplateRecord]) -> None:
        self.number = number
        self._before = {record.url: record for record in known if record.window < number}
        # Seeds by URL and their sites, which have no slash.
        self._not_asked: set[str] = set()
        self._silent: set[str] = set()

    def meet(self, urls: Iterable[str]) -> None:
        """Note the URLs of records that are there."""
        for url in urls:
            self._before.pop(url, None)

    def settle(self, seed: Seed, arrived: str = "") -> None:
        """Note what came of a seed; ``arrived`` is where its redirects have led."""
        names = {seed.url, *(host_of(url) for url in (seed.url, arrived) if url)}
        if seed.state in _NOT_ASKED:
            self._not_asked |= names
        elif seed.state == "failed":
            self._silent |= names

    def misses(self, seed: str, arrived: str, found: Container[str]) -> bool:
        """Tell whether a record of this seed, or of its site, is neither met nor ``found`` now."""
        sites = {host_of(seed), host_of(arrived or seed)}
        unmet = (record for record in self._before.values() if record.url not in found)
        return any(record.seed == seed or host_of(record.url) in sites for record in unmet)

    def unmet_seeds(self, listed: Container[str]) -> list[str]:
        """Return the seeds of records that no seed of this window leads to."""
        return list(dict.fromkeys(r.seed for r in self._before.values() if r.seed not in listed))

    def gone(self) -> list[TemplateRecord]:
        """Return the records that are there no more, once all seeds are settled."""
        return [record for record in self._before.values() if not self._is_unsure(record)]

    def _is_unsure(self, record: TemplateRecord) -> bool:
        names = {record.seed, host_of(record.url)}
        is_patient = self.number - record.window <= PATIENCE
        return not names.isdisjoint(self._not_asked) or (
            is_patient and not names.isdisjoint(self._silent)
        )
