"""Sets of seeds from a JSON file of several sets, or text files of one set each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from focuscrawl.errors import ArgumentError
from focuscrawl.system.durable_files import read_bounded

# The name of a set is that of a folder, too.
_IS_NAME = re.compile(r"\w[\w.+ -]*").fullmatch
SeedSets = dict[str, list[str]]
_SHAPE = 'give {"name": ["http://host/", …]}, or {"topic": {"name": […]}}, or a file of URLs'


def read_seed_sets(paths: Sequence[Path], topic: str) -> SeedSets:
    """Return the seeds by the name of their set.

    A ``.json`` file has sets by name, or by topic and name; any other file has one URL per line and
    is one set with the name of the file. Raises :class:`~focuscrawl.errors.ArgumentError`.
    """
    found: SeedSets = {}
    for path in paths:
        text = _text(path)
        own = _sets(path, text, topic) if path.suffix == ".json" else {path.stem: _lines(text)}
        for name, urls in own.items():
            if not _IS_NAME(name):
                raise ArgumentError(f"{path}: name the set {name!r} in letters, digits and -")
            if name in found:
                raise ArgumentError(f"{path}: duplicate set {name!r}; rename one of them")
            if not urls:
                raise ArgumentError(f"{path}: the set {name!r} has no URL; {_SHAPE}")
            if wrong := [url for url in urls if not url.startswith(("http://", "https://"))]:
                raise ArgumentError(f"{path}: {wrong[0]!r} is not a URL; write http://host/")
            found[name] = urls
    return found


def _text(path: Path) -> str:
    try:
        return read_bounded(path)
    except OSError as error:
        raise ArgumentError(f"cannot read the seeds {path}: {error.strerror}; {_SHAPE}") from None
    except UnicodeDecodeError:
        raise ArgumentError(f"the seeds {path} are not UTF-8; save them as UTF-8") from None


def _lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _sets(path: Path, text: str, topic: str) -> SeedSets:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ArgumentError(f"{path} is not JSON; {_SHAPE}") from None
    if _is_of(data, dict):
        if topic not in data:
            raise ArgumentError(f"{path} has no seeds of {topic!r}, only of {', '.join(data)}")
        data = data[topic]
    if not _is_of(data, list) or not all(
        isinstance(url, str) for urls in data.values() for url in urls
    ):
        raise ArgumentError(f"{path} does not contain sets of seeds; {_SHAPE}")
    found: SeedSets = data
    return found


def _is_of(data: Any, kind: type) -> bool:
    return (
        isinstance(data, dict)
        and bool(data)
        and all(isinstance(one, kind) for one in data.values())
    )
