"""A doubt about a quote."""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple


class Doubt(NamedTuple):
    """A quote to look at: its flag, or the usual price in yuan per ton that it is far from."""

    day: date
    article_md5: str
    seq: int
    kind: Literal["flag", "jump"]
    flag: str = ""
    usual: float = 0.0

    @property
    def key(self) -> str:
        """Its place in the list, newest day first."""
        return f"{date.max.toordinal() - self.day.toordinal():07}-{self.article_md5}-{self.seq:09}"
