"""Scrapy's ``MemoryUsage``, for the memory of the crawl alone."""

from __future__ import annotations

from scrapy.extensions.memusage import MemoryUsage

from focuscrawl.system.worker_process import peak_memory


class OwnMemoryUsage(MemoryUsage):
    """Extension: does not count what the program that started the crawl holds, a notebook say."""

    def get_virtual_size(self) -> int:
        """Return the most bytes that the crawl has held."""
        return peak_memory() or super().get_virtual_size()
