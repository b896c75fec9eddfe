"""Names of the keys of a crawl, and the shard of a host."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

SHARDS = 256


def shard_of(host: str, shards: int = SHARDS) -> int:
    """Return the shard of a host: the same in every process, since whole crawls are kept by it."""
    digest = blake2b(host.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % shards


CRAWLS = "focuscrawl:crawls"
"""Key of the set of the names of all crawls that were ever begun on a server."""

LAYOUT = 1
"""Version of the keys, rows and scripts."""

_shard_of = lru_cache(50_000)(shard_of)


class CrawlKeys:
    """Keys of one generation of a crawl, and its random ``mark``, as far as known.

    Those of a shard have a hash tag of their own, so that they share a slot of a cluster; those of the
    whole crawl share another.
    """

    def __init__(
        self, crawl: str, generation: int = 1, shards: int = SHARDS, mark: bytes = b""
    ) -> None:
        self.mark = mark
        self.shards = shards
        self.generation = generation
        self.crawl = f"focuscrawl:{{{crawl}}}"
        self.workers = f"{self.crawl}:workers"
        self._shards = f"focuscrawl:{{{crawl}/{generation}/"

    @property
    def ended(self) -> str:
        """The key of the set of earlier generations whose keys have to be deleted."""
        return f"{self.crawl}:ended"

    def of_all(self, name: str) -> str:
        """Return the key of something that all workers share."""
        return f"{self.crawl}:{self.generation}:{name}"

    def shard(self, number: int) -> str:
        """Return the prefix of the keys of a shard."""
        return f"{self._shards}{number}}}"

    def queue(self, shard: int, host: str) -> str:
        """Return the key of the waiting URLs of a host."""
        return f"{self.shard(shard)}:queue:{host}"

    def shard_of(self, host: str) -> int:
        """Return the shard of a host."""
        return _shard_of(host, self.shards)
