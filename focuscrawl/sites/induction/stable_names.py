"""Classes and ids that a program made up, which change when the site is built again, and their stable parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

# Numbers of posts, hashes, and the prefixes of libraries that make up classes.
_GENERATED = re.compile(
    r".*\d{2,}.*|[a-z]*[0-9a-f]{8,}|(?:css|sc|jsx|jss|svelte|ember|v|emotion|mui)-.*", re.IGNORECASE
)
# CSS modules: Post_title__3xYz9, title___3xYz9, _title_1q2w3_5; styled-components with a name: Title-sc-1a2b3c-0.
_MODULE = re.compile(r"([A-Za-z][\w-]*?_{2,3})([\w+-]{4,8})")
_NUMBERED_MODULE = re.compile(r"(_[A-Za-z][A-Za-z-]*_)(\w{5})_\d+")
_NAMED_COMPONENT = re.compile(r"([A-Za-z]\w*-sc-)[0-9a-z]{4,8}(?:-\d+)?")
_COMPONENT = re.compile(r"(?:\w+-)?sc-[0-9A-Za-z]{4,8}(?:-\d+)?")
_COMPONENT_HASH = re.compile(r"[A-Za-z]{5,7}")
_LETTERS, _LEAST_WORD = re.compile(r"[A-Za-z]{5,8}"), 3
_DIGITS_APART = re.compile(r"[A-Za-z]*\d+[A-Za-z]+\d+\w*")


def is_generated(name: str) -> bool:
    """Return whether a class or id is made up by a program, wholly or in part."""
    return bool(_GENERATED.fullmatch(name)) or _is_random(name) or bool(stable_part(name))


def stable_part(name: str) -> str:
    """Return the part of a made-up class that stays, such as ``Post_title__``; empty for any other name."""
    named = _NAMED_COMPONENT.fullmatch(name) or _NUMBERED_MODULE.fullmatch(name)
    if named:
        return named[1]
    module = _MODULE.fullmatch(name)
    has_hash = module and (_is_random(module[2]) or re.search(r"\d", module[2]))
    return module[1] if module and has_hash else ""


def without_hashes(classes: Sequence[str]) -> list[str]:
    """Return classes without those that styled-components puts behind the one of the component."""
    hashes = {
        name
        for before, name in pairwise(classes)
        if _COMPONENT.fullmatch(before) and _COMPONENT_HASH.fullmatch(name)
    }
    return [name for name in classes if name not in hashes and not _is_random(name)]


def class_condition(name: str) -> str:
    """Return an XPath condition for elements with a class, or with its stable part; empty without one."""
    if '"' in name:
        return ""
    if part := stable_part(name):
        return f'contains(@class, "{part}")'
    return (
        ""
        if is_generated(name)
        else f'contains(concat(" ", normalize-space(@class), " "), " {name} ")'
    )


def _is_random(name: str) -> bool:
    """Return whether a name has capitals or digits where words have none: kXyZab, x1n2onr6."""
    if _DIGITS_APART.fullmatch(name):
        return True
    words = re.findall(r"[A-Z]?[a-z]*", name[:1].lower() + name[1:])[:-1]
    return (
        bool(_LETTERS.fullmatch(name)) and len(words) > 2 and len(name) < _LEAST_WORD * len(words)
    )
