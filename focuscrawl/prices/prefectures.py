"""The prefecture that a region belongs to, so that prices of one market can be averaged."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

_LONGEST_NAME = 8
_MUNICIPALITIES = ("北京市", "天津市", "上海市", "重庆市", "香港", "澳门")
_PROVINCE_ENDS = ("维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "省", "市")
_ENDS = ("自治州", "地区", "市", "县", "区", "盟", "旗")


@lru_cache(maxsize=4096)
def prefecture_of(region: str) -> str:
    """Return province and prefecture of a region as printed, in short form.

    A county stands for its prefecture; a region with no known place comes back as it is.

    >>> prefecture_of("潍坊市寿光"), prefecture_of("山东省寿光市"), prefecture_of("山东")
    ('山东潍坊', '山东潍坊', '山东')
    """
    compact = "".join(region.split())
    named = _named(compact)
    provinces = {place[0] for place in named if not place[1]}
    prefectures = [place for place in named if place[1]]
    # A county's name may stand in several provinces: the province that is named with it decides.
    fitting = [place for place in prefectures if place[0] in provinces] or prefectures
    if fitting:
        province, prefecture = fitting[0]
        return province if province == prefecture else province + prefecture
    return min(provinces) if len(provinces) == 1 else compact


def _named(text: str) -> list[tuple[str, str]]:
    """Return the places named in a text from left to right, as (province, prefecture or "")."""
    places, start = _places(), 0
    found: list[tuple[str, str]] = []
    while start < len(text):
        for length in range(min(_LONGEST_NAME, len(text) - start), 1, -1):
            if known := places.get(text[start : start + length]):
                found += known
                start += length - 1
                break
        start += 1
    return found


@lru_cache(maxsize=1)
def _places() -> dict[str, tuple[tuple[str, str], ...]]:
    places: dict[str, tuple[tuple[str, str], ...]] = {}

    def add(name: str, province: str, prefecture: str) -> None:
        for form in {name, _short(name, _ENDS), _short(name, _PROVINCE_ENDS)}:
            places[form] = (*places.get(form, ()), (province, prefecture))

    for long_name, lines in _lines_by_province().items():
        province = _short(long_name, _PROVINCE_ENDS)
        add(long_name, province, "")
        for names in lines:
            # One line for a whole province names its prefectures without saying what lies in them.
            is_prefecture = len(lines) > 1
            for name in names:
                own = _short(name, _ENDS) if name.endswith(("市", "州", "盟", "地区")) else ""
                add(name, province, _short(names[0], _ENDS) if is_prefecture else own)
    return places


def _lines_by_province() -> dict[str, list[list[str]]]:
    text = (files("focuscrawl.prices") / "lists" / "places.txt").read_text("utf-8")
    provinces: dict[str, list[list[str]]] = {}
    lines: list[list[str]] = []
    for names in (line.split() for line in text.splitlines() if not line.startswith("#")):
        if len(names) == 1 and names[0].endswith(("省", "自治区", *_MUNICIPALITIES)):
            lines = provinces.setdefault(names[0], [])
        elif names:
            lines.append(names)
    return provinces


def _short(name: str, ends: tuple[str, ...]) -> str:
    for end in ends:
        if name.endswith(end) and len(name) - len(end) >= 2:
            return name.removesuffix(end)
    return name
