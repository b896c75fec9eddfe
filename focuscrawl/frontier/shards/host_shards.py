"""Shard of a host."""

from __future__ import annotations

from hashlib import blake2b

SHARDS = 256


def shard_of(host: str, shards: int = SHARDS) -> int:
    """Return the shard of a host: the same in every process, since whole crawls are kept by it."""
    digest = blake2b(host.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % shards
