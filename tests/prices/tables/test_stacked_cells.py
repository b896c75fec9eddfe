"""Tables with a cell in each line."""

from __future__ import annotations

import pytest

from focuscrawl.prices.tables.stacked_cells import with_rows
from tests.prices.rules_alone import quotes


def stacked(*rows: str) -> str:
    """Return rows with each cell in a line."""
    return "\n".join(cell for row in rows for cell in row.split()) + "\n"


def test_a_cell_merged_over_rows_is_printed_once() -> None:
    text = stacked(
        "区域 省市 今日均价 昨日均价 单位",
        "东北 辽宁省 13.86 13.71 元/KG",
        "吉林省 13.74 13.69 元/KG",
        "西南 重庆 13.95 14.08 元/KG",
        "云南省 13.66 13.70 元/KG",
    )
    assert quotes(text, "生猪价格") == [
        "辽宁省 13.86 kg",
        "吉林省 13.74 kg",
        "重庆 13.95 kg",
        "云南省 13.66 kg",
    ]


def test_an_empty_last_cell_may_be_missing() -> None:
    text = stacked(
        "企业 价格 涨跌 备注",
        "西王糖业 2268元/吨 +6 水分≤15%",
        "诸城兴贸 2286元/吨 0",
        "滨州中裕 2250元/吨 -10 霉变≤2%",
        "禹城保龄宝 2254元/吨 0",
        "德州福源 2262元/吨 +4",
    )
    assert quotes(text, "玉米价格") == [
        "西王糖业 2268 ton",
        "诸城兴贸 2286 ton",
        "滨州中裕 2250 ton",
        "禹城保龄宝 2254 ton",
        "德州福源 2262 ton",
    ]


def test_marks_stand_in_place_of_prices() -> None:
    text = stacked(
        "企业 干粮(元/吨) 潮粮30%(元/斤) 涨跌",
        "梅河阜康 2040 0.815 平",
        "公主岭中粮 2050 - +10",
        "松原嘉禾 停收 0.801 --",
    )
    found = [quote.split(" ", 1)[1] for quote in quotes(text)]
    assert found == ["2040 ton", "0.815 jin", "2050 ton", "0.801 jin"]


def test_figures_before_the_prices_are_none() -> None:
    text = stacked(
        "省份 级别 回潮率(%) 收购均价(元/公斤)", "安徽 328 11.9 8.16", "江西 429 12.6 7.94"
    )
    assert quotes(text, "籽棉价格") == ["安徽 8.16 kg", "江西 7.94 kg"]


def test_spaces_in_heads_and_a_line_at_the_end_of_cells() -> None:
    text = "品 名 |\n产 地 |\n价 格(元/斤) |\n玉米 |\n忻州 |\n1.13 |\n高粱 |\n晋中 |\n1.62 |\n"
    assert quotes(text, "粮油行情") == ["忻州 1.13 jin", "晋中 1.62 jin"]


def test_kinds_of_prices_of_several_goods_are_heads() -> None:
    text = stacked(
        "监测点 小麦收购 玉米收购 特一粉出厂", "滕州市 2.36 2.18 2.94", "山亭区 2.34 — 2.90"
    )
    assert quotes("（元/公斤）\n" + text, "粮油价格") == [
        "滕州市 2.36 kg",
        "滕州市 2.18 kg",
        "滕州市 2.94 kg",
        "山亭区 2.34 kg",
        "山亭区 2.9 kg",
    ]


def test_running_text_behind_the_last_row_is_no_row() -> None:
    text = stacked("地区 今日价 昨日价", "四平 2210 2200", "通化 2230 2225")
    assert quotes("（元/吨）\n" + text + "今日四平涨10元。\n辽源2215元/吨。\n") == [
        "四平 2210 ton",
        "通化 2230 ton",
        "辽源 2215 ton",
    ]


def test_numbers_of_rows_are_no_prices() -> None:
    text = stacked("序号 企业 报价(元/吨) 涨跌", "1 大成 2210 5", "2 嘉吉 2230 -")
    assert quotes(text) == ["大成 2210 ton", "嘉吉 2230 ton"]


def test_heads_may_stand_on_one_line() -> None:
    text = "市县 尿素 45%复合肥 钾肥\n" + stacked("东台 2380 2780 2650", "如皋 2420 2800 —")
    found = quotes(text + "注：单位 元/吨\n", "农资价格周报")
    assert found == [
        "东台 2380 ton",
        "东台 2780 ton",
        "东台 2650 ton",
        "如皋 2420 ton",
        "如皋 2800 ton",
    ]


def test_heads_run_together_are_no_cell_of_the_first_row() -> None:
    text = "地区外三元(元/公斤)内三元\n" + stacked(
        "莱州 17.60 17.20", "邓州 17.32 17.02", "桃源 17.8 17.3"
    )
    joined = "莱州\t17.60\t17.20\n邓州\t17.32\t17.02\n桃源\t17.8\t17.3"
    assert with_rows(text) == f"地区外三元(元/公斤)内三元\n{joined}\n"


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        # An empty line is an empty cell, in the middle of a row and at its end.
        ("厂名 玉米 小麦 丙 1 2 甲 2420  乙  2450", "厂名|玉米|小麦 丙|1|2 甲|2420| 乙||2450"),
        # Between all cells it only sets them apart: one more blank behind each.
        ("品名  价格  甲  1.2  乙  1.3", "品名|_价格  甲|_1.2  乙|_1.3"),
        # Times, days and units are no names.
        (
            "时间 企业 价格 07:50 甲 1.25 08:05 乙 1.26",
            "时间|企业|价格 07:50|甲|1.25 08:05|乙|1.26",
        ),
        (
            "作物 价格 单位 甘蓝 35 元/百斤 水芹 1.6 元/斤",
            "作物|价格|单位 甘蓝|35|元/百斤 水芹|1.6|元/斤",
        ),
        # A specification may look like a price.
        ("品名 规格 价格 甲 14-20 3520 乙 散装 3500", "品名|规格|价格 甲|14-20|3520 乙|散装|3500"),
        # No table: names and figures by turns, links, figures.
        ("首页 沈阳 7.1 铁岭 7.0", "首页 沈阳 7.1 铁岭 7.0"),
        ("首页 行情 供应 求购 7.1", "首页 行情 供应 求购 7.1"),
        ("1.1 1.2 1.3 1.4 1.5 1.6", "1.1 1.2 1.3 1.4 1.5 1.6"),
        # What stands around a table is not taken into its rows.
        (
            "首页 1 2 下一页 地区 价格 四平 2210 通化 2230",
            "首页 1 2 下一页 地区|价格 四平|2210 通化|2230",
        ),
        ("阅读 125 地区 价格 长春 2150 德惠 2157", "阅读 125 地区|价格 长春|2150 德惠|2157"),
        ("地区 价格 长春 2150 德惠 2157 收藏 赞", "地区|价格 长春|2150 德惠|2157 收藏 赞"),
        # Names of several rows stand alone.
        (
            "企业 价格 涨跌 玉米 甲 1.1 6 乙 1.2 0 小麦 丙 1.4 6",
            "企业|价格|涨跌 玉米 甲|1.1|6 乙|1.2|0 小麦 丙|1.4|6",
        ),
        (
            "玉米 地区 价格 甲 1 乙 2 豆粕 地区 价格 丙 3 丁 4",
            "玉米 地区|价格 甲|1 乙|2 豆粕 地区|价格 丙|3 丁|4",
        ),
        # Units and arrows below a head belong to it.
        ("地区 价格 (元/吨) 昨日 ↑ 甲 1 2 乙 3 4", "地区|价格_(元/吨)|昨日_↑ 甲|1|2 乙|3|4"),
        # Heads of buttons, and buttons without a head.
        ("品种 地区 价格 操作 麦 甲 1 麦 乙 2", "品种|地区|价格|操作 麦|甲|1 麦|乙|2"),
        ("品种 地区 价格 麦 甲 1 查看 麦 乙 2 查看", "品种|地区|价格 麦|甲|1 查看 麦|乙|2 查看"),
        # Prices of sentences, and figures that are no prices.
        ("四平2210元/吨 涨 10 通化2230元/吨 跌 5", "四平2210元/吨 涨 10 通化2230元/吨 跌 5"),
        ("张三 涨了 3 李四 没涨 2 王五 跌了 0", "张三 涨了 3 李四 没涨 2 王五 跌了 0"),
    ],
)
def test_rows_are_told_by_their_layout(cells: str, rows: str) -> None:
    as_text = str.maketrans(" |_", "\n\t ")
    assert with_rows(cells.translate(as_text)) == rows.translate(as_text)


def test_a_table_may_stand_far_below_the_links_of_a_page() -> None:
    text = "导航\n" * 90 + stacked("品名 价格", "白菜 1.2", "萝卜 1.3")
    assert with_rows(text).endswith("导航\n品名\t价格\n白菜\t1.2\n萝卜\t1.3\n")


def test_the_name_of_a_section_below_the_heads_is_none_of_them() -> None:
    text = stacked(
        "品名 规格 单位 3月4日 3月5日 涨幅",
        "一、叶菜类",
        "菠菜 一级 元/500克 2.10 2.30 9.52%",
        "生菜 一级 元/500克 1.80 1.70 -5.56%",
        "二、禽蛋类",
        "鸡蛋 新鲜 元/500克 4.90 4.95 1.02%",
    )
    assert quotes(text, "农副产品价格") == ["菠菜 2.3 jin", "生菜 1.7 jin", "鸡蛋 4.95 jin"]


@pytest.mark.parametrize("word", ["封盘", "检修", "停报", "面议", "断货", "暂缺"])
def test_words_for_no_price_stand_in_place_of_one(word: str) -> None:
    text = stacked(
        "企业 出厂价 工艺",
        "天业化工 4750 电石法",
        f"北元化工 {word} 电石法",
        "君正化工 4820 电石法",
        "中泰化学 4800 电石法",
    )
    assert [quote.split(" ", 1)[1] for quote in quotes("单位：元/吨\n" + text, "PVC价格")] == [
        "4750 ton",
        "4820 ton",
        "4800 ton",
    ]


def test_rows_without_heads_begin_below_the_name_of_a_section() -> None:
    rows = "一、水果类 鸭梨 6.99 河西市场 草莓 6.58 益民市场 红提 6.33 张苏滩市场 二、水产类 草鱼 14.52 海吉星市场"
    assert [
        line.split("\t")[0] for line in with_rows(stacked(rows)).split("\n") if "\t" in line
    ] == [
        "鸭梨",
        "草莓",
        "红提",
        "草鱼",
    ]


def test_the_first_row_may_have_no_price() -> None:
    text = stacked("品名 价格 市场", "猪肉 - 张苏滩市场", "牛肉 69.6 新发地", "羊肉 70.1 益民市场")
    assert with_rows(text).count("\t") == 8


@pytest.mark.parametrize(
    ("rows", "begins"),
    [
        (
            [
                "价格(元/斤) 涨跌 企业 地区",
                "1.335 -0.010 兴贸 潍坊",
                "1.342 0 金玉米 潍坊",
                "1.318 -0.006 西王 滨州",
            ],
            ["1.335", "1.342", "1.318"],
        ),
        (
            [
                "价格 商品 厂家 单位",
                "12200 豆油 益海 元/吨",
                "无货 豆油 石羊 元/吨",
                "15.6 菜油 汉中 元/公斤",
            ],
            ["12200", "无货", "15.6"],
        ),
    ],
)
def test_rows_may_begin_with_the_price(rows: list[str], begins: list[str]) -> None:
    lines = with_rows(stacked(*rows)).split("\n")
    assert [line.split("\t")[0] for line in lines if "\t" in line][1:] == begins


def test_sections_with_heads_of_their_own_are_tables_each() -> None:
    sections = [
        f"{name} 品名 昨日 今日 {a} 3.51 3.57 {b} 3.54 3.36 {c} 3.27 3.22"
        for name, a, b, c in (
            ("一、水果类", "草莓", "脐橙", "沃柑"),
            ("二、蔬菜类", "冬瓜", "茄子", "芹菜"),
            ("三、肉蛋类", "猪肉", "牛肉", "羊肉"),
        )
    ]
    text = "发布日期 字号 阅读\n" + stacked(*sections)
    assert [line.count("\t") for line in with_rows(text).split("\n") if "\t" in line] == [2] * 12


def test_a_first_mark_for_none_may_begin_the_rows() -> None:
    text = stacked(
        "3月12日 3月11日 备注 市场",
        "/ 20.9 含税 周谷堆",
        "21.6 21.2 到厂 海吉星",
        "23.0 23.4 自提 桥西",
    )
    assert quotes("单位：元/公斤\n" + text, "猪肉价格") == ["海吉星 21.6 kg", "桥西 23 kg"]
