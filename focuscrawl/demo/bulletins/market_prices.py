"""Prices of invented buyers: seasons, good and bad years, and small daily changes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from focuscrawl.demo.site_protocol import draw, noise

# Buyers of the bulletins and their places: counties are real, firms are invented.


@dataclass(frozen=True, slots=True)
class City:
    """A prefecture: its processors (county name first) and the counties of its price table."""

    name: str
    firms: tuple[str, ...]
    counties: tuple[str, ...]


def _city(name: str, firms: str, counties: str) -> City:
    return City(name, tuple(firms.split()), tuple(counties.split()))


SHANDONG = (
    _city(
        "潍坊", "寿光嘉穗淀粉 诸城丰岭淀粉 昌乐禾源生物 安丘润谷生化", "寿光市 诸城市 昌乐县 高密市"
    ),
    _city("滨州", "邹平鲁穗淀粉 博兴谷盛油脂 惠民沃禾生物", "邹平市 博兴县 惠民县 阳信县"),
    _city("德州", "平原泽禾生物 禹城穗安糖业 乐陵丰裕淀粉", "平原县 禹城市 乐陵市 齐河县"),
    _city("聊城", "临清金谷淀粉 莘县沃野饲料", "临清市 莘县 茌平区 阳谷县"),
    _city("临沂", "沂水恒穗淀粉 莒南绿禾饲料 费县润丰饲料", "沂水县 莒南县 费县 郯城县"),
    _city("菏泽", "成武沃土生化 巨野瑞禾淀粉", "成武县 巨野县 单县 鄄城县"),
    _city("济宁", "兖州穗丰生物 汶上嘉谷饲料", "兖州区 汶上县 梁山县 鱼台县"),
    _city("枣庄", "滕州恒谷淀粉 峄城禾润糖业", "滕州市 峄城区 山亭区 薛城区"),
)
"""The cities of Shandong, those of the shortest bulletin first."""

NEIGHBOURS = {
    "河北": (
        _city("石家庄", "藁城禾丰淀粉 晋州穗润饲料", "藁城区 晋州市 无极县 正定县"),
        _city("邢台", "宁晋沃谷淀粉 隆尧金禾饲料", "宁晋县 隆尧县 南宫市 巨鹿县"),
    ),
    "河南": (
        _city("周口", "沈丘谷润生物 太康嘉禾饲料", "沈丘县 太康县 西华县 淮阳区"),
        _city("鹤壁", "浚县丰泽淀粉 淇县穗盛饲料", "浚县 淇县"),
    ),
    "吉林": (
        _city("长春", "榆树穗源生化 农安黑土淀粉", "榆树市 农安县 德惠市"),
        _city("四平", "梨树沃穗淀粉", "梨树县 双辽市 伊通县"),
    ),
}
"""Provinces whose bulletins a title filter excludes."""

LATE_REPORTERS = ("莱阳麦田饲料", "平度胶禾饲料", "肥城岱谷饲料")
"""Firms that report two days late, in the correction of a bulletin."""

GBK_ONLY_FIRMS = ("高唐镕禾饲料", "东阿瑀丰饲料")
"""Firms with characters that are in GBK but not in GB2312."""

FEED_MILL_CITIES = ("潍坊", "临沂", "青岛")
TRADER_CITIES = ("德州", "聊城", "青岛", "菏泽")

TRADITIONAL_PORTS = ("青島港", "煙台港", "日照港", "龍口港")
"""Ports in the spelling of the edition in traditional characters (Big5)."""


BASE_PRICES = {"玉米": 1160, "小麦": 1240}
"""The long-term mean of each commodity in 厘 (0.001 yuan) per jin."""

_DEAREST_DAY_OF_YEAR = 220
_SHARE_OF_DAYS_WITH_A_MOVE = 0.45


@dataclass(frozen=True, slots=True)
class Market:
    """Prices paid by the buyers of one commodity, by day.

    Every day is computed independently, so that prices do not depend on the size of the web.
    """

    seed: int
    commodity: str

    def price(self, buyer: str, day: date) -> int:
        """Return the price of ``buyer`` on ``day``, in 厘 per jin (1 厘 per jin is 2 yuan per ton)."""
        day_of_last_move = day
        while draw(self.seed, buyer, "moves", day_of_last_move) > _SHARE_OF_DAYS_WITH_A_MOVE:
            day_of_last_move -= timedelta(days=1)
        return round(
            _level(self.seed, self.commodity, day_of_last_move)
            * self._premium(buyer, day_of_last_move)
        )

    def change(self, buyer: str, day: date) -> int:
        """Return the change of the price since the day before, in 厘 per jin."""
        return self.price(buyer, day) - self.price(buyer, day - timedelta(days=1))

    def _premium(self, buyer: str, day: date) -> float:
        own = 0.02 * (2 * draw(self.seed, buyer, "premium") - 1)
        return 1 + own + 0.01 * noise(day.toordinal() / 20, self.seed, buyer)


# Cached, since all buyers of a day share it and hashing is slow.
@lru_cache(maxsize=4096)
def _level(seed: int, commodity: str, day: date) -> float:
    ordinal = day.toordinal()
    angle = 2 * math.pi * (day.timetuple().tm_yday - _DEAREST_DAY_OF_YEAR) / 365.25
    level = (
        1
        + 0.030 * math.cos(angle)
        + 0.080 * noise(ordinal / 400, seed, commodity, "years")
        + 0.020 * noise(ordinal / 45, seed, commodity, "weeks")
        + 0.008 * noise(ordinal / 9, seed, commodity, "days")
    )
    return BASE_PRICES[commodity] * level
