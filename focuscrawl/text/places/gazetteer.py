"""Gazetteer of China: the provinces, prefectures and counties of ``places.txt``, by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

PROVINCE, CITY, COUNTY = range(3)

# Cities (and regions) that are provinces themselves, and have no prefectures.
MUNICIPALITIES = ("北京市", "天津市", "上海市", "重庆市", "香港", "澳门")
_PROVINCE_ENDS = ("维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "省", "市")
_ENDS = ("地区", "市", "县", "盟", "州", "旗")
# Short forms that are everyday words or parts of firms' names: only accepted with their 县 or 市.
_WORDS_TOO = frozenset(
    "方正 友谊 公安 无极 大名 大厂 长子 滨海 响水 明光 东方 农垦 大方 高台 白水 温泉 同心 民乐 太湖 通海 永安 南部"
    " 石门 大新 平安 安居 三台 大竹 大英 广水 利川 建水 富源 江川 武山 会东 新建 上高 永新 安龙 长顺 全州 平果"
    " 宁国 广德 和顺 古县 平江 玉山 兴国 崇信 新化 长安 沙市 玉门 渠县 万年 金沙 天柱 长兴 开化 德清"
    " 阜康 永兴 永康 永修 泰和 长宁 兴安 兴仁 德兴 瑞昌 嘉禾 崇仁 安吉 宁远 惠安 同安 恩平 信宜 信丰 吉水 德昌"
    " 富顺 金堂 金塔 临海 东阳 惠农 大悟 新源 兴山 德江 罗江 龙海".split()
)
# Short forms of districts that are directions, everyday words, firms or shared with larger places.
_DISTRICT_WORDS = frozenset(
    "市中 市南 市北 城区 郊区 东城 西城 新城 城中 城北 城东 城西 天桥 河口 河东 东港 海港 东营 泰山 牡丹 建安"
    " 北林 宝山 松山 双城 双阳 长寿 大兴 通州 开发 高新 新华 和平 朝阳 永年 南沙 滨城 任城 丰南 源汇 梁园 六合".split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place name: its highest level (``PROVINCE`` … ``COUNTY``), and the provinces with such a place."""

    level: int
    provinces: frozenset[str]


@lru_cache(maxsize=1)
def gazetteer() -> dict[str, Place]:
    """Return every known name, long form and short form, with its :class:`Place`."""
    found: dict[str, Place] = {}
    for long_name, prefectures in provinces().items():
        province = short_province(long_name)
        _add(found, long_name, PROVINCE, province)
        _add(found, province, PROVINCE, province)
        for names in prefectures:
            for rank, name in enumerate(names):
                is_city = rank == 0 and name.endswith(("市", "盟", "州", "地区"))
                for form in _forms(name):
                    _add(found, form, CITY if is_city else COUNTY, province)
    return found


def provinces() -> dict[str, list[list[str]]]:
    """Return the prefectures by the long name of their province, each followed by its counties."""
    text = (files("focuscrawl.text.places") / "places.txt").read_text("utf-8")
    found: dict[str, list[list[str]]] = {}
    prefectures: list[list[str]] = []
    for names in (line.split() for line in text.splitlines() if not line.startswith("#")):
        is_province = len(names) == 1 and names[0].endswith(("省", "自治区", *MUNICIPALITIES))
        if is_province:
            prefectures = found.setdefault(names[0], [])
        elif names:
            prefectures.append(names)
    return found


def short_province(long_name: str) -> str:
    """Return 山东 for 山东省, 内蒙古 for 内蒙古自治区."""
    for end in _PROVINCE_ENDS:
        if long_name.endswith(end):
            return long_name.removesuffix(end)
    return long_name


def _forms(name: str) -> list[str]:
    if name.endswith("区"):
        has_short = not name.endswith("新区") and name[:-1] not in _DISTRICT_WORDS
        return [name, name[:-1]] if len(name) > 2 and has_short else [name]
    for end in _ENDS:
        short = name.removesuffix(end)
        if short != name:
            return [name] if len(short) < 2 or short in _WORDS_TOO else [name, short]
    return [name]


def _add(found: dict[str, Place], name: str, level: int, province: str) -> None:
    known = found.get(name)
    provinces = frozenset({province}) | (known.provinces if known else frozenset())
    found[name] = Place(min(level, known.level) if known else level, provinces)
