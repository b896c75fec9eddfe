"""Choice of what a replay imitates in place of the hosts that were not recorded: dead ones, or others' pages."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b

from focuscrawl.replay.recorded_web import RecordedAnswer


class Fate(StrEnum):
    """What a host does: it refuses connections, has no address, never answers, or has other pages."""

    REFUSES = "refuses"
    UNKNOWN = "unknown"
    SILENT = "silent"
    OFF_TOPIC = "off topic"


DEAD = (Fate.REFUSES, Fate.UNKNOWN, Fate.SILENT)

_TEXT = "今天下了一场小雨，傍晚去河边散步，路上遇见一位多年没见的邻居，聊了很久。" * 9
_PAGE = f"<!DOCTYPE html><meta charset=utf-8><title>随笔</title><p>{_TEXT}</p>".encode()
OTHER_PAGE = RecordedAnswer(200, "HTTP/1.1", [(b"Content-Type", b"text/html")], _PAGE)
"""A page of no topic, without links."""


def fates(dead: float, off_topic: float, recorded: Collection[str]) -> Callable[[str], Fate | None]:
    """Return a function that tells what is imitated of a host, None for nothing; it never changes its mind.

    ``dead`` and ``off_topic`` are shares of the hosts that were not recorded, from 0 to 1: a third of
    the dead ones for each kind. What both have no room for is not off topic.
    """

    @lru_cache(maxsize=100_000)
    def fate_of(host: str) -> Fate | None:
        drawn = int.from_bytes(blake2b(host.encode(), digest_size=6).digest(), "big") / 256**6
        if host in recorded:
            return None
        if drawn < dead:
            return DEAD[int(drawn / dead * len(DEAD))]
        return Fate.OFF_TOPIC if drawn < dead + off_topic else None

    return fate_of
