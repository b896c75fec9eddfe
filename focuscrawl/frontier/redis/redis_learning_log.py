"""Log of what the workers of a crawl learn: a stream on their server."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from focuscrawl.errors import FrontierError
from focuscrawl.frontier.redis.crawl_keys import CrawlKeys
from focuscrawl.frontier.redis.redis_calls import RedisCalls, Reply

# Counts by name shrink to a third; better compression takes longer than it saves.
_LEVEL = 1


class RedisLearningLog:
    """The log of :class:`focuscrawl.policy.learning_log.LearningLog` as a stream of compressed texts.

    Its methods may be called in another thread than those of the frontier.
    """

    def __init__(self, calls: RedisCalls, keys: CrawlKeys) -> None:
        self._calls = calls
        self._key = keys.of_all("learned")

    def append(self, text: str) -> str:
        """Append a text; return its id."""
        packed = zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)
        return _text(self._run("XADD", self._key, "*", "text", packed))

    def read(self, after: str, most: int) -> Sequence[tuple[str, str]]:
        """Return ids and texts after an id, in order, at most that many."""
        first = f"({after}" if after else "-"
        found = self._run("XRANGE", self._key, first, "+", "COUNT", most)
        return [(_text(id), self._unpacked(fields)) for id, fields in found]

    def trim(self, last: str) -> None:
        """Delete the texts up to an id, including it."""
        milliseconds, _, number = last.partition("-")
        self._run("XTRIM", self._key, "MINID", f"{milliseconds}-{int(number) + 1}")

    def _run(self, *words: object) -> Reply:
        return self._calls.one(self._key, *words)

    def _unpacked(self, fields: Reply) -> str:
        try:
            return zlib.decompress(fields[b"text"]).decode("utf-8", "surrogatepass")
        except (KeyError, zlib.error, UnicodeDecodeError):
            raise FrontierError(
                f"the key {self._key} on {self._calls.address} is damaged; "
                "delete it, and the crawl learns again from its next pages"
            ) from None


def _text(id: bytes) -> str:
    return id.decode()
