"""Choice of the hosts that a replay imitates as dead."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b


class Death(StrEnum):
    """Kind of dead host: refuses connections, has no address, or never answers."""

    REFUSES = "refuses"
    UNKNOWN = "unknown"
    SILENT = "silent"


def dead_hosts(share: float, recorded: Collection[str]) -> Callable[[str], Death | None]:
    """Return a function that tells how a host is dead, None for a live one; it never changes its mind.

    ``share`` is that of the hosts that were not recorded, from 0 to 1: a third of them for each kind.
    """

    @lru_cache(maxsize=100_000)
    def death_of(host: str) -> Death | None:
        drawn = int.from_bytes(blake2b(host.encode(), digest_size=6).digest(), "big") / 256**6
        if drawn >= share or host in recorded:
            return None
        return list(Death)[int(drawn / share * len(Death))]

    return death_of
