"""Titles that a list cuts off, such as 山东玉米价格… for 山东玉米价格稳中有涨."""

from __future__ import annotations

import re

_CUT = re.compile(r"(?:…+|\.{2,}|。{2,}|⋯+)[\s\])）】]*$")
_SHORTEST = 4
# What stands before the name of the site, but not 2280-2300 or ——.
_SEPARATOR = re.compile(r"\s*(?:[_|｜丨–]|(?<!—)—(?!—)|(?<![!-~])-|-(?![!-~]))")


def is_cut(title: str) -> bool:
    """Return whether a title ends in an ellipsis."""
    return bool(_CUT.search(title))


def without_ellipsis(title: str) -> str:
    """Return a title without the ellipsis at its end."""
    return _CUT.sub("", title)


def completes(title: str, cut: str) -> bool:
    """Return whether ``cut`` is cut off and ``title`` is longer and begins with what is left of it."""
    stem, whole = _comparable(without_ellipsis(cut)), _comparable(title)
    return (
        is_cut(cut) and len(stem) >= _SHORTEST and len(whole) > len(stem) and whole.startswith(stem)
    )


def whole_title(window: str, cut: str) -> str:
    """Return a window's title without the name of the site, ``""`` if it does not complete ``cut``."""
    end = _SEPARATOR.search(window, len(_comparable(without_ellipsis(cut))))
    title = window[: end.start()] if end else window
    return title if completes(title, cut) else ""


def _comparable(title: str) -> str:
    return re.sub(r"\s+", "", title).lower()
