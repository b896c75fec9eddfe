"""Heads of tables: two lines, days, places, goods, and heads beside each other."""

from __future__ import annotations

import pytest

from focuscrawl.prices import read_quotes
from tests.prices.rules_alone import RULES, quotes


def test_a_group_of_columns_is_named_in_the_line_above() -> None:
    text = (
        "地区\t收购价\t\t车板价\n\t30%水潮粮\t15%水烘干粮\t\n"
        "公主岭\t1510\t2020\t2075\n农安\t1495\t2005-2015\t--\n"
    )
    assert quotes("单位：元/吨\n" + text) == [
        "公主岭 1510 ton",
        "公主岭 2020 ton",
        "公主岭 2075 ton",
        "农安 1495 ton",
        "农安 2005-2015 ton",
    ]


def test_a_line_with_a_name_below_a_head_is_a_row() -> None:
    text = "地区\t收购价\t涨跌\n吉林\t\t\n农安\t2050\t5\n"
    assert quotes("单位：元/吨\n" + text) == ["农安 2050 ton"]


def test_only_the_last_of_the_days_has_todays_price() -> None:
    text = "元/斤\n企业 | 7.8 | 7.9 | 7.10\n德州福源 | 1.202 | 1.198 | 1.193\n齐河汇丰 | 1.21 | 1.2 | 停收\n"
    assert quotes(text) == ["德州福源 1.193 jin"]


def test_heads_may_begin_with_the_last_day() -> None:
    text = "地区\t11.15\t11.14\n四平\t2230\t2220\n通化\t2240\t2250\n"
    assert quotes("单位：元/吨\n" + text) == ["四平 2230 ton", "通化 2240 ton"]


def test_prices_below_a_name_are_no_days() -> None:
    text = "单位：元/斤\n四平\t3.10\t3.15\n"
    assert len(quotes(text, "鸡蛋价格")) > 0


def test_rows_of_moves_are_no_prices_of_the_places_above() -> None:
    text = "（元/吨）\n| 规格 | 锦州港 | 鲅鱼圈港 |\n| 二等 | 2260 | 2255 |\n| 涨跌 | -20 | 15 |\n| 三等 | 2230 | 2225 |\n"
    assert quotes(text) == [
        "锦州港 2260 ton",
        "鲅鱼圈港 2255 ton",
        "锦州港 2230 ton",
        "鲅鱼圈港 2225 ton",
    ]


def test_origin_and_destination_have_a_price_each() -> None:
    text = "到站价 单位：元/吨\n发站\\到站 | 昆明东 | 贵阳南\n白城 | 2640 | 2585\n通辽 | 2610 | —\n"
    assert quotes(text) == ["白城 2640 ton", "白城 2585 ton", "通辽 2610 ton"]


def test_the_same_heads_beside_each_other_are_two_tables() -> None:
    text = "地市\t价格\t涨跌\t地市\t价格\t涨跌\n安庆\t2330\t0\t滁州\t2315\t-5\n宿州\t2300\t10\t池州\t缺\t—\n"
    assert quotes("（元/吨）\n" + text) == ["安庆 2330 ton", "滁州 2315 ton", "宿州 2300 ton"]


def test_percentages_of_goods_are_no_column_of_percentages() -> None:
    text = "企业\t干粮(元/吨)\t潮粮30%(元/斤)\t涨幅%\n梅河阜康\t2050\t0.81\t0.5\n"
    assert quotes(text) == ["梅河阜康 2050 ton", "梅河阜康 0.81 jin"]


def test_premiums_and_bags_are_no_prices() -> None:
    text = "地区|均价|溢价|零售(元/袋)\n安徽|2262|+52|88\n湖北|2281|31|90\n"
    assert quotes("（元/吨）\n" + text) == ["安徽 2262 ton", "湖北 2281 ton"]


def test_an_origin_behind_the_prices_is_no_market() -> None:
    text = "品名\t最低价\t最高价\t产地\n尖椒\t3.1\t3.9\t张北\n土豆\t1.4\t1.8\t滕州\n"
    assert quotes("单位：元/公斤\n" + text, "蔬菜价格") == [
        "尖椒 3.1 kg",
        "尖椒 3.9 kg",
        "土豆 1.4 kg",
        "土豆 1.8 kg",
    ]


def test_a_weight_alone_is_the_unit_of_its_row() -> None:
    text = "品名 最低价 最高价 单位\n菠菜 2.20 2.60 公斤\n毛葱 1.10 1.30 斤\n"
    found = quotes(text, "蔬菜价格")
    assert found == ["菠菜 2.2 kg", "菠菜 2.6 kg", "毛葱 1.1 jin", "毛葱 1.3 jin"]


def test_a_day_and_a_time_are_one_cell() -> None:
    text = "序号 企业 品种 挂牌价 发布时间\n1 双辽金谷粮贸 玉米 1.98 11-20 08:10\n2 农安德丰粮贸 玉米 1.96 11-20 09:02\n"
    found = [quote.split()[1] for quote in quotes("单位：元/公斤\n" + text)]
    assert found == ["1.98", "1.96"]


def test_a_mark_between_two_cells_makes_no_range() -> None:
    text = "企业 报价 涨跌 潮粮(元/斤)\n长春大合 2230 ↓10 0.885\n松原嘉禾 2240 — 0.89\n"
    found = [quote.split(" ", 1)[1] for quote in quotes("（元/吨）\n" + text)]
    assert found == ["2230 ton", "0.885 jin", "2240 ton", "0.89 jin"]


def test_a_move_has_the_unit_of_its_prices() -> None:
    text = "级别\t均价（万元/吨）\t涨跌\n3128B\t1.478\t+0.004\n2227B\t1.365\t+30\n"
    found = read_quotes(text, title="棉花价格", threshold=0, model=RULES)
    assert [quote.price_change for quote in found] == [40, 30]


def test_the_same_price_as_yesterday_stands_once() -> None:
    text = "地区，今日，昨日\n四平，2210，2210\n通化，2230，2225\n"
    assert quotes("（元/吨）\n" + text) == ["四平 2210 ton", "通化 2230 ton"]


def test_only_the_last_of_the_months_has_the_price() -> None:
    text = "品种\t单位\t9月\t10月\n玉米\t元/吨\t2200\t2210\n小麦\t元/吨\t2400\t2450\n"
    assert quotes(text, "粮价") == ["玉米 2210 ton", "小麦 2450 ton"]


def test_the_main_price_is_a_price() -> None:
    text = "地区\t最低\t最高\t主流\n四平\t2200\t2220\t2215\n"
    assert quotes("（元/吨）\n" + text) == ["四平 2200 ton", "四平 2220 ton", "四平 2215 ton"]


def test_only_the_last_year_has_the_price_and_crops_of_years_have_one_each() -> None:
    text = "地区\t2026年\t2025年\n四平\t2210\t2300\n"
    assert quotes("（元/吨）\n" + text) == ["四平 2210 ton"]
    crops = "地区\t2025年产价格\t2024年产价格\n四平\t2210\t2300\n"
    assert quotes("（元/吨）\n" + crops) == ["四平 2210 ton", "四平 2300 ton"]


def test_several_markets_beside_each_other_have_a_price_each() -> None:
    text = "品名\t等级\t东门市场\t惠民超市\n粳米\t二级\t2.80\t2.98\n猪肉\t鲜\t13.00\t12.80\n"
    assert quotes("单位：元/斤\n" + text, "价格监测") == [
        "东门市场 2.8 jin",
        "惠民超市 2.98 jin",
        "东门市场 13 jin",
        "惠民超市 12.8 jin",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "单位：万元/吨\n电池级碳酸锂\t10.05-10.2\n",
        "产品\t价格(万元/吨)\t涨跌\n电池级碳酸锂\t10.05-10.2\t-0.1\n",
        "产品\t均价\t单位\n电池级碳酸锂\t10.05-10.2\t万元/吨\n六氟磷酸锂\t66500\t元/吨\n",
        "电池级碳酸锂报10.05-10.2万元/吨。\n",
        "电池级碳酸锂报10.05万-10.2万元/吨。\n",
        "电池级碳酸锂报100500-102000元/吨，合10.05-10.2万元/吨。\n",
    ],
)
def test_prices_in_ten_thousands_of_yuan_are_in_yuan(text: str) -> None:
    assert quotes(text, "碳酸锂价格")[0] == "电池级碳酸锂 100500-102000 ton"


@pytest.mark.parametrize(
    "head",
    [
        "厂家\t3月11日(元/吨)\t3月12日(元/吨)",
        "供应商\t3.11\t3.12",
        "品牌\t11日\t12日",
        "报价单位\t2024-03-11(元/吨)\t2024-03-12(元/吨)",
    ],
)
def test_days_with_units_or_of_no_month_are_days(head: str) -> None:
    text = f"{head}\n湖北宜化\t1840\t1860\n鲁西化工\t1890\t-\n"
    assert quotes("单位：元/吨\n" + text, "尿素价格") == ["湖北宜化 1860 ton"]


def test_the_first_days_of_a_month_are_later_than_the_last_ones() -> None:
    text = "厂家\t31日\t1日\n湖北宜化\t1840\t1860\n"
    assert quotes("单位：元/吨\n" + text, "尿素价格") == ["湖北宜化 1860 ton"]


def test_heads_beside_shops_are_shops() -> None:
    text = "品名|大润发|惠民超市|东门菜市场\n西兰花|1.91|1.81|1.92\n"
    assert quotes("单位：元/斤\n" + text, "蔬菜价格") == [
        "大润发 1.91 jin",
        "惠民超市 1.81 jin",
        "东门菜市场 1.92 jin",
    ]


def test_a_row_with_a_mark_for_none_is_no_head() -> None:
    text = "品名\t价格\t市场\n猪肉\t-\t张苏滩市场\n牛肉\t69.6\t益民市场\n"
    assert quotes("单位：元/公斤\n" + text, "肉类价格") == ["益民市场 69.6 kg"]


def test_a_price_that_is_converted_counts_where_there_is_no_other_per_weight() -> None:
    text = "品名\t参考价(元/件)\t折合(元/斤)\n山竹\t165\t9.7\n"
    assert quotes(text, "水果价格") == ["山竹 9.7 jin"]


def test_heads_that_begin_with_a_place_are_owners() -> None:
    text = "品种|广东南储|上海物贸|涨跌\n1#铜|79430|79390|+650\n1#镍|—|133900|-350\n"
    assert quotes("单位：元/吨\n" + text, "有色金属价格") == [
        "广东南储 79430 ton",
        "上海物贸 79390 ton",
        "上海物贸 133900 ton",
    ]


def test_latin_heads_are_no_owners() -> None:
    text = "Item            Range       Origin\nLong eggplant   1.60-2.20   Shouguang\n"
    assert [q.split()[0] for q in quotes("yuan per jin\n" + text, "Vegetables")] != ["Range"]


@pytest.mark.parametrize("mark", [",", "，", "， ", " / "])
def test_places_are_heads_beside_any_mark(mark: str) -> None:
    rows = [["原料", "天津", "日照"], ["43%豆粕", "3020", "2990"], ["菜粕", "—", "2640"]]
    text = "\n".join(mark.join(row) for row in rows)
    assert quotes("单位：元/吨\n" + text, "饲料原料") == [
        "天津 3020 ton",
        "日照 2990 ton",
        "日照 2640 ton",
    ]


def test_a_weight_behind_a_price_word_is_its_unit() -> None:
    text = "产地 / 品名 / 批发价（公斤）\n榆中 菜花 2.40元\n武山 韭菜 2.80元\n"
    assert [quote.split()[-1] for quote in quotes(text, "蔬菜行情")] == ["kg", "kg"]


@pytest.mark.parametrize("head", ["生产企业", "材质/钢厂", "面粉厂", "来源市场", "材质规格"])
def test_days_stand_behind_any_head_of_subjects(head: str) -> None:
    text = f"{head}|3.11(元/吨)|3.12(元/吨)|涨跌\n鲁西化工|1840|1860|20\n湖北宜化|1890|1880|-10\n"
    assert [quote.split(" ", 1)[1] for quote in quotes(text, "尿素价格")] == [
        "1860 ton",
        "1880 ton",
    ]


def test_a_row_with_a_cell_for_each_head_is_no_list() -> None:
    text = (
        "序号|3.12|企业|3.11\n1|69090元/吨|株冶集团|69120元/吨\n2|68380元/吨|江西铜业|68350元/吨\n"
    )
    assert [quote.split()[1] for quote in quotes(text, "1#电解铜价格")] == ["69090", "68380"]


def test_the_name_of_a_group_may_stand_below_heads_with_commas() -> None:
    text = "名称,昨日,今日\n麸皮类\n石家庄,1700,1680\n绥化,1700,1720\n豆粕类\n宿州,2230,2190\n"
    assert quotes("单位：元/吨\n" + text, "粮油价格") == [
        "石家庄 1680 ton",
        "绥化 1720 ton",
        "宿州 2190 ton",
    ]
