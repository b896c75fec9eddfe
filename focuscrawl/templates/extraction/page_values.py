"""Values extracted from a page, by field, with their evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple, Self

from focuscrawl.templates.names.organisations import NameEvidence


class Value(NamedTuple):
    """A value in normal form, as printed (``raw``), and its confidence (0 to 1)."""

    value: str
    raw: str
    confidence: float


@dataclass(frozen=True)
class Reading:
    """Values of a page by field, the surest first.

    ``region`` is the text of the heaviest blocks: changes elsewhere on the page do not affect it.
    ``names`` is the evidence for the site's owner, to be weighed together with that of other pages.
    """

    title: str
    values: Mapping[str, tuple[Value, ...]]
    region: str
    names: tuple[NameEvidence, ...] = ()

    def to_json(self) -> str:
        """Return the reading as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the reading that :meth:`to_json` wrote."""
        data = json.loads(text)
        values = {
            field: tuple(Value(*value) for value in values)
            for field, values in data["values"].items()
        }
        names = tuple(NameEvidence(*name) for name in data["names"])
        return cls(data["title"], values, data["region"], names)
