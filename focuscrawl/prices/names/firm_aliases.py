"""Alias table: canonical names of firms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import yaml

from focuscrawl.errors import ArgumentError
from focuscrawl.prices.tokens.bulletin_words import normalise, spelled
from focuscrawl.system.durable_files import read_bounded
from focuscrawl.system.remembered_values import RememberedValues
from focuscrawl.system.unique_keys import DuplicateKeyError, UniqueKeyLoader

_FULL_ENDS = (
    "集团有限责任公司", "集团股份有限公司", "集团有限公司", "有限责任公司", "股份有限公司", "有限公司",
    "股份公司", "集团公司", "公司", "集团",
)  # fmt: skip
_CUT_TO = 4  # characters to which some sites truncate a firm's name


class AliasTable:
    """Mapping from names as printed to canonical names.

    A name also matches with an added company ending (…有限公司), with places before it, or truncated
    to four characters as in the tables of some sites, if these begin the names of one firm only.
    """

    def __init__(self, names: Mapping[str, Sequence[str]]) -> None:
        self._canonical: dict[str, str] = {}
        for entity, aliases in names.items():
            for name in (entity, *aliases):
                self._canonical.setdefault(_key(name), entity)
        self._cut: dict[str, str | None] = {}
        for key, entity in self._canonical.items():
            head = key[:_CUT_TO]
            self._cut[head] = entity if self._cut.get(head, entity) == entity else None
        self.names = frozenset(key for key in self._canonical if len(key) > 2)
        self._longest = max(map(len, self._canonical), default=0)
        self._known = RememberedValues(self._entity, 1_000)

    def entity(self, mention: str) -> tuple[str, bool]:
        """Return the canonical name of a mention, and whether it is in the table.

        >>> AliasTable({"寿光金玉米": ["寿光金玉"]}).entity("潍坊市寿光金玉米淀粉有限公司")
        ('寿光金玉米', True)
        """
        return self._known[mention]

    def _entity(self, mention: str) -> tuple[str, bool]:
        key = _key(mention)
        if found := self._canonical.get(key) or self._canonical.get(_short(key)):
            return found, True
        if len(key) == _CUT_TO and (cut := self._cut.get(key)):
            return cut, True
        if held := self._held(key):
            return held, True
        return spelled(mention), False

    def _held(self, key: str) -> str | None:
        """Return the firm with the longest name, of at least three characters, within ``key``."""
        pieces = (
            key[a : a + n]
            for n in range(min(len(key) - 1, self._longest), 2, -1)
            for a in range(len(key) - n + 1)
        )
        return next((self._canonical[p] for p in pieces if p in self._canonical), None)


def _key(name: str) -> str:
    return "".join(normalise(name).lower().split())


def _short(key: str) -> str:
    return next((key.removesuffix(end) for end in _FULL_ENDS if key.endswith(end)), key)


def load_aliases(path: str | Path | None = None) -> AliasTable:
    """Return the table of a YAML file of ``canonical name: [alias, …]``, by default the project's own.

    Raises :class:`~focuscrawl.errors.ArgumentError` if the file is unreadable or not such a mapping.
    """
    return _own_table() if path is None else parse_aliases(read_aliases(path), str(path))


def read_aliases(path: str | Path) -> str:
    """Return the text of an alias file; raises :class:`~focuscrawl.errors.ArgumentError`."""
    try:
        return read_bounded(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ArgumentError(
            f"Cannot read the alias file {path}: {reason}; give a UTF-8 YAML file of 'name: [alias, ...]'."
        ) from error


def parse_aliases(text: str, path: str) -> AliasTable:
    """Return the table of a text; errors name ``path``."""
    try:
        loaded = yaml.load(text, UniqueKeyLoader)
    except DuplicateKeyError as error:
        raise ArgumentError(
            f"{error.problem} in the alias file {path}, {error.context}; delete one."
        ) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise ArgumentError(
            f"The alias file {path} is not valid YAML{where}; write 'name: [alias, ...]'."
        ) from error
    if not isinstance(loaded, dict):
        raise ArgumentError(
            f"The alias file {path} is not a mapping; write 'name: [alias, ...]' lines."
        )
    table: dict[str, list[str]] = {}
    for name, aliases in loaded.items():
        listed = aliases if isinstance(aliases, list) else [aliases] if aliases else []
        if not isinstance(name, str) or not all(isinstance(alias, str) for alias in listed):
            raise ArgumentError(
                f"The alias file {path}: {name!r} needs a list of names in quotes or plain text."
            )
        table[name] = listed
    return AliasTable(table)


@lru_cache(maxsize=1)
def _own_table() -> AliasTable:
    text = (files("focuscrawl.prices") / "aliases.yaml").read_text("utf-8")
    return parse_aliases(text, "aliases.yaml")
