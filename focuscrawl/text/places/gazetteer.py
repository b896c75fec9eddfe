"""Gazetteer of China: the names by which places are read in running text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from focuscrawl.text.places.divisions import (
    CITY,
    COUNTY,
    PROVINCE,
    Division,
    divisions,
    everyday_words,
    short_form,
)

__all__ = ["CITY", "COUNTY", "PROVINCE", "Place", "gazetteer"]

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
    found[name] = Place(min(level, known.level) if known else level, provinces)
