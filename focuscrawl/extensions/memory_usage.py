"""Scrapy's ``MemoryUsage`` extension for the memory of the crawl alone."""

from __future__ import annotations

from scrapy.extensions.memusage import MemoryUsage

from focuscrawl.system.worker_process import peak_memory


class OwnMemoryUsage(MemoryUsage):
    """Extension: excludes the memory of the program that started the crawl, for example a notebook."""

    def get_virtual_size(self) -> int:
        """Return the peak memory of the crawl in bytes."""
        return peak_memory() or super().get_virtual_size()
