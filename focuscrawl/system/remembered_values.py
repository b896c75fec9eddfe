"""Values that are made once for each key, of which not too many are kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class RememberedValues(dict[_K, _V]):
    """Values by their keys, at most so many; a new one beyond that begins without the others.

    Half as slow as a cache that knows which value is the oldest.
    """

    def __init__(self, make: Callable[[_K], _V], most: int) -> None:
        super().__init__()
        self._make, self._most = make, most

    def __missing__(self, key: _K) -> _V:
        if len(self) >= self._most:
            self.clear()
        value = self[key] = self._make(key)
        return value
