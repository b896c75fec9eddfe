"""Tables with a cell in each line."""

from __future__ import annotations

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
