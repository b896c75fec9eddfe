"""Place names of the gazetteer, found in text."""

from __future__ import annotations

from functools import lru_cache

from focuscrawl.text.places.gazetteer import CITY, gazetteer

_ENDS = ("省", "市", "县", "区", "州", "盟", "旗", "自治区")


def place_at(text: str, at: int) -> int:
    """Return the length of the longest place name that begins at ``at``, 0 without one."""
    lengths = _lengths().get(text[at : at + 1], ())
    places = gazetteer()
    return next((length for length in lengths if text[at : at + length] in places), 0)


def is_place(text: str) -> bool:
    """Return whether the whole text is a place name, including 中国 and large regions (华东, 亚太).

    >>> is_place("成都"), is_place("成都市"), is_place("成都市人")
    (True, True, False)
    """
    return text in gazetteer() or text in ("中国", "华东", "华南", "华北", "亚太")


def is_certain_place(text: str) -> bool:
    """Return whether the text is a prefecture or larger, or has the class of the place (县, 区, 市)."""
    place = gazetteer().get(text)
    return place is not None and (place.level <= CITY or text.endswith(_ENDS))


def first_letters() -> str:
    """Return the characters that a place name can begin with."""
    return "".join(sorted(_lengths()))


@lru_cache(maxsize=1)
def _lengths() -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for name in gazetteer():
        found.setdefault(name[0], set()).add(len(name))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in found.items()}
