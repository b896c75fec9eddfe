"""What complete walks through a list have established, as the stores keep it between runs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Coverage:
    """What complete walks have established: every wanted entry below the top of the ``chain`` is settled.

    ``chain`` has the keys of the entries at the top of the list, in order; those that are ``floating``
    (pinned, out of order) say nothing about what stands below them. ``pages`` are URLs of list pages
    below the first, ``end`` is the last one, ``""`` if the list was read down to ``since`` only.
    ``entries`` is the largest number of entries of the first page, ``whole`` the day when the list was
    last read to its end. ``tried`` entries are unknown to the stores although they were requested.
    New entries were at the end of the list, not at its top, if it ``grows_at_end``. Earlier versions have
    stored no chain.
    """

    day: date
    since: date | None = None
    entries: int = 0
    chain: tuple[str, ...] = ()
    floating: frozenset[str] = frozenset()
    pages: tuple[str, ...] = ()
    end: str = ""
    end_is_sure: bool = True
    whole: date | None = None
    tried: frozenset[str] = frozenset()
    grows_at_end: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the coverage as a JSON object."""
        value: dict[str, Any] = TypeAdapter(Coverage).dump_python(self, mode="json")
        return value

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Coverage | None:
        """Return the coverage in a JSON object, None if there is none or it is invalid."""
        try:
            if value and "until" in value:
                # Of an earlier version, which has concluded what was covered from dates.
                day = datetime.fromisoformat(value["until"]).date()
                return cls(day, value["since"], value.get("entries", 0))
            return TypeAdapter(cls).validate_python(value) if value else None
        except (KeyError, TypeError, ValueError):
            return None
