"""Gazetteer of China: provinces, prefectures and counties, and their names in running text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

# Administrative divisions, with their former names.

PROVINCE, CITY, COUNTY = range(3)

# Cities (and regions) that are provinces themselves, and have no prefectures.
MUNICIPALITIES = ("北京", "天津", "上海", "重庆", "香港", "澳门")

_PROVINCE_ENDS = ("维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "特别行政区", "省", "市")
_ENDS = ("地区", "市", "县", "区", "盟", "旗", "州")
_DISTRICT = "区"


class Location(NamedTuple):
    """A place by its short names; ``city`` and ``county`` are empty for what is above them.

    The city of a county is its prefecture; districts keep their 区.
    """

    province: str = ""
    city: str = ""
    county: str = ""

    @property
    def prefecture(self) -> str:
        """Province and city in one word; municipalities, which are both, once."""
        return self.province if self.city == self.province else self.province + self.city

    def is_within(self, other: Location) -> bool:
        """Return whether this is the other place or a part of it."""
        return all(not theirs or own == theirs for own, theirs in zip(self, other, strict=True))


@dataclass(frozen=True, slots=True)
class Division:
    """A division: its names, the present one first, and where it is.

    Counties that a province governs directly, such as 仙桃, stand as cities.
    """

    names: tuple[str, ...]
    level: int
    location: Location


@lru_cache(maxsize=1)
def divisions() -> tuple[Division, ...]:
    """Return all divisions, each after the one that it is a part of."""
    added = _added()
    found: list[Division] = []
    for path, names in _listed():
        found.append(_division(path, (*names, *added.pop(path, ()))))
    found += (_division(path, (path[-1], *names)) for path, names in added.items())
    return tuple(found)


@lru_cache(maxsize=1)
def everyday_words() -> frozenset[str]:
    """Return the short names of counties that are everyday words as well."""
    return frozenset(word for line in _lines("everyday_words.txt") for word in line.split())


def _listed() -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the path of present names from the province down, and all names of the last one."""
    province: tuple[str, ...] = ()
    for line in _lines("divisions.txt"):
        above, *counties = line.split()
        names = tuple(above.split("="))
        if names[0].endswith(_PROVINCE_ENDS[:-1]) or names[0][:-1] in MUNICIPALITIES:
            province = names[:1]
            yield province, names
            continue
        # A dash stands for the prefecture of counties that their province governs directly.
        prefecture = (*province, names[0])
        if names[0] != "-":
            yield prefecture, names
        for county in counties:
            forms = tuple(county.split("="))
            yield (*prefecture, forms[0]), forms


def _added() -> dict[tuple[str, ...], tuple[str, ...]]:
    added: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in _lines("added_names.txt"):
        *above, last = line.split()
        present, *others = last.split("=")
        if above and above[0][:-1] in MUNICIPALITIES:
            above.append("-")
        added[(*above, present)] = tuple(others)
    return added


def _lines(file: str) -> Iterator[str]:
    text = (files("focuscrawl.text.places") / file).read_text("utf-8")
    return (line for line in text.splitlines() if not line.startswith("#"))


def _division(path: tuple[str, ...], names: tuple[str, ...]) -> Division:
    province = short_province(path[0])
    if len(path) == 1:
        is_city = province in MUNICIPALITIES
        return Division(names, PROVINCE, Location(province, province if is_city else ""))
    if len(path) == 2:
        return Division(names, CITY, Location(province, short_name(path[1])))
    county = _county(names)
    if path[1] != "-":
        return Division(names, COUNTY, Location(province, short_name(path[1]), county))
    if province in MUNICIPALITIES:
        return Division(names, COUNTY, Location(province, province, county))
    return Division(names, CITY, Location(province, county))


def _county(names: tuple[str, ...]) -> str:
    # 即墨区 was 即墨市: prices from before and after belong together.
    short = short_name(names[0])
    was_county = any(f"{short}{end}" in names for end in ("市", "县"))
    return names[0] if names[0].endswith(_DISTRICT) and not was_county else short


def short_form(name: str, division: Division) -> str:
    """Return the short form of a name of the division, ``""`` if it is that of another province.

    海南 is the province, not the district of that name in Inner Mongolia.
    """
    if division.level == PROVINCE:
        return short_province(name)
    short = short_name(name)
    return "" if short in _provinces() and short != division.location.province else short


@lru_cache(maxsize=1)
def _provinces() -> frozenset[str]:
    return frozenset(one.location.province for one in divisions())


def short_province(long_name: str) -> str:
    """Return 山东 for 山东省, 内蒙古 for 内蒙古自治区."""
    for end in _PROVINCE_ENDS:
        if long_name.endswith(end):
            return long_name.removesuffix(end)
    return long_name


def short_name(name: str) -> str:
    """Return 寿光 for 寿光市; 左旗 and a name of which one character would be left stay whole."""
    for end in _ENDS:
        if name.endswith(end) and len(name) - len(end) >= 2:
            is_one_of_several = end == "旗" and name[-2] in "前中后左右"
            return name if is_one_of_several else name.removesuffix(end)
    return name


# Names by which places are read in running text.

# Districts that texts name without 区, although they never were counties.
_BARE_DISTRICTS = frozenset(
    "历下 槐荫 历城 长清 钢城 黄岛 崂山 李沧 城阳 淄川 张店 博山 临淄 周村 薛城 峄城 台儿庄 山亭 芝罘 福山 牟平 莱山 潍城 寒亭"
    " 坊子 奎文 岱岳 环翠 岚山 莱城 兰山 罗庄 德城 陵城 东昌府 丰润 曹妃甸 安次 广阳 桃城 祥符 召陵 睢阳 宁江 洮北 富拉尔基 双阳 梅里斯 爱辉"
    " 昂昂溪 加格达奇 苏家屯 元宝山 科尔沁 云州 上党 榆次 尧都 临潼 鄠邑 陈仓 临渭 商州 琅琊 颍州 颍东 颍泉 埇桥 叶集 谯城"
    " 贾汪 萧山 定海 临川 黄陂 江夏 蔡甸 新洲 襄州 夷陵 郧阳 渌口 番禺 郫都 温江 新都 安州 播州 甘州 凉州 西峰 顺义 平谷"
    " 怀柔 房山 昌平 武清 宝坻 蓟州 万州 开州 青白江 海拉尔 扎赉诺尔 集宁 康巴什 塘沽 海淀 浦东".split()
)
# Names of districts that can be parts of any city.
_ANY_DISTRICT = frozenset("新市区 老城区 新城区 东市区 西市区 中市区 南郊区 东区 西区".split())


@dataclass(frozen=True, slots=True)
class Place:
    """A place name: its highest level (``PROVINCE`` … ``COUNTY``), and the provinces with such a place."""

    level: int
    provinces: frozenset[str]


@lru_cache(maxsize=1)
def gazetteer() -> dict[str, Place]:
    """Return every known name, long form and short form, with its :class:`Place`.

    Short forms that are everyday words as well, and Latin names, are left out.
    """
    found: dict[str, Place] = {}
    for division in divisions():
        for name in division.names:
            for form in () if name.isascii() else _forms(name, division):
                _add(found, form, division.level, division.location.province)
    return found


def _forms(name: str, division: Division) -> Iterator[str]:
    is_former_region = name.endswith("地区") and name != division.names[0]
    if name not in _ANY_DISTRICT and not is_former_region:
        yield name
    short = short_form(name, division)
    is_district = division.level == COUNTY and name.endswith("区")
    is_bare = not is_district or short in _BARE_DISTRICTS
    if short and is_bare and short not in everyday_words():
        yield short


def _add(found: dict[str, Place], name: str, level: int, province: str) -> None:
    known = found.get(name)
    provinces = frozenset({province}) | (known.provinces if known else frozenset())
    found[name] = _place(min(level, known.level) if known else level, provinces)


_place = lru_cache(maxsize=None)(Place)  # few differ
