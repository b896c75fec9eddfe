from __future__ import annotations

import pytest

from focuscrawl.prices import read_quotes


@pytest.mark.parametrize(
    ("text", "entity_type", "location"),
    [
        ("山东潍坊市寿光金玉米淀粉，价格0.849元/斤", "firm", "山东 潍坊 寿光"),
        ("平度市玉米价格1750元/吨", "place", "山东 青岛 平度"),
        ("青島玉米價格1750元/噸", "place", "山东 青岛 "),
        ("锦州港玉米平舱价2380元/吨", "port", "辽宁 锦州 "),
        ("鲅鱼圈玉米价格2380元/吨", "port", "辽宁 营口 "),
        ("中粮公主岭玉米价格2310元/吨", "firm", "吉林 长春 公主岭"),
        ("高品质黑玉米价格2310元/吨", "other", "  "),
        ("河南滑县这边玉米1块零4一斤", "place", "河南 安阳 滑县"),
        ("仙桃玉米价格2310元/吨", "place", "湖北 仙桃 "),
        ("海南临高玉米价格2310元/吨", "place", "海南 临高 "),
        ("内蒙古海拉尔玉米价格2310元/吨", "place", "内蒙古 呼伦贝尔 海拉尔区"),
        ("Bayuquan port corn 2,230 CNY/tonne", "port", "辽宁 营口 "),
        ("全国玉米均价2310元/吨", "average", "  "),
        ("山东玉米均价2310元/吨", "average", "山东  "),
        ("山东临沂地区饲料厂玉米收购价格1740元/吨", "other", "山东 临沂 "),
        ("吉林省：乾安玉米价格1400元/吨", "place", "吉林 松原 乾安"),
        ("长岭玉米已晒干安全水分1400元/吨", "place", "吉林 松原 长岭"),
        ("济宁任城玉米价格1740元/吨", "place", "山东 济宁 任城区"),
        ("广州黄埔玉米价格1740元/吨", "place", "广东 广州 黄埔区"),
        ("潍坊英轩玉米价格1740元/吨", "firm", "山东 潍坊 昌乐"),
        ("山东：鲁西南玉米价格1740元/吨", "place", "山东  "),
        ("寿光蔬菜批发市场玉米价格1740元/吨", "market", "山东 潍坊 寿光"),
    ],
)
def test_type_and_location(text: str, entity_type: str, location: str) -> None:
    (quote,) = read_quotes(text)
    assert quote.entity_type == entity_type
    assert [quote.province, quote.city, quote.county] == location.split(" ")
