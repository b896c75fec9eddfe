"""Rows of tables: the roles of their columns."""

from __future__ import annotations

from decimal import Decimal

import pytest

from focuscrawl.prices.names.firm_aliases import load_aliases
from focuscrawl.prices.quote_reader import read_document, read_quotes
from tests.prices.rules_alone import quotes


def roles(text: str, title: str = "玉米价格") -> dict[str, str]:
    """Return the roles of the columns of the figures of a text; a figure stands once in it."""
    document = read_document(text, title, load_aliases().names)
    words = {start: document.plain[start:].split()[0] for start in document.columns}
    found = {words[start]: role for start, role in document.columns.items()}
    return {word: role for word, role in found.items() if any(map(str.isdigit, word))}


def test_each_figure_of_a_row_has_the_role_of_its_column() -> None:
    text = "地区\t水分\t今日价\t昨日价\t涨跌\t成交量\n四平\t14%\t2210\t2200\t10\t350\n"
    assert roles(text) == {
        "14%": "moisture",
        "2210": "price",
        "2200": "old",
        "10": "change",
        "350": "skip",
    }


def test_figures_of_a_row_without_a_head_have_no_known_role() -> None:
    assert roles("四平\t2210\t16\n") == {"2210": "unknown", "16": "unknown"}


def test_figures_of_heads_are_no_prices() -> None:
    assert roles("地区\t15水潮粮\n四平\t1650\n") == {"15水潮粮": "head", "1650": "price"}


def test_figures_of_running_text_have_no_column() -> None:
    assert roles("今日四平玉米2210元/吨，比昨日涨10元。") == {}


def test_a_row_of_old_prices_has_old_prices() -> None:
    text = "四平\t2210元/吨\n去年同期\t2105元/吨\n"
    assert roles(text) == {"2210元/吨": "unknown", "2105元/吨": "old"}


def test_stacked_cells_have_the_roles_of_their_columns() -> None:
    text = "地区\n今日价\n昨日价\n四平\n2210\n2200\n通化\n2230\n2225\n"
    assert roles(text) == {"2210": "price", "2200": "old", "2230": "price", "2225": "old"}


def changes(text: str, title: str = "玉米价格") -> dict[str, str]:
    """Return the change of each price of the rules as printed, "" for none."""
    drafts = read_document(text, title, load_aliases().names).drafts
    return {
        f"{draft.figure.low:f}": "" if draft.change is None else f"{draft.change[0]:+f}"
        for draft in drafts
    }


@pytest.mark.parametrize(
    ("head", "move", "change"),
    [
        ("涨跌(分)", "-0.5", "-0.005"),
        ("涨跌（厘）", "+5", "+0.005"),
        ("涨跌(毛/斤)", "0.1", "+0.01"),
        ("涨跌(元/吨)", "+10", "+0.005"),
        ("涨跌", "+0.01", "+0.01"),
    ],
)
def test_a_change_is_in_the_unit_of_its_head(head: str, move: str, change: str) -> None:
    text = f"企业\t今日价(元/斤)\t{head}\n寿光金玉米\t1.15\t{move}\n诸城兴贸\t1.16\t0\n"
    assert float(changes(text)["1.15"]) == float(change)


def test_each_price_has_the_change_behind_it() -> None:
    text = "地区\t小麦价\t涨跌\t玉米价\t涨跌\n商水县\t122\t0\t110\t-1\n太康县\t123\t+2\t111\t0\n"
    assert changes(text, "粮价 元/50公斤") == {"122": "", "110": "-1", "123": "+2", "111": ""}


def test_as_many_changes_as_prices_are_in_their_order() -> None:
    text = "地区\t一等价\t二等价\t一等涨跌\t二等涨跌\n四平\t2210\t2190\t+10\t+5\n通辽\t2230\t2200\t-5\t-8\n"
    assert changes(text) == {"2210": "+10", "2190": "+5", "2230": "-5", "2200": "-8"}


def test_of_several_prices_the_first_or_the_average_has_the_only_change() -> None:
    text = "市场\t最低价\t最高价\t平均价\t涨跌\n四平\t2190\t2230\t2210\t+10\n"
    assert changes(text) == {"2190": "", "2230": "", "2210": "+10"}


def test_a_change_in_brackets_is_that_of_its_cell() -> None:
    text = "品种\t价格\n金鲳鱼\t12.8(-1.0)\n花蛤\t4.2(+0.2)\n"
    assert changes(text, "水产价格 元/斤") == {"12.8": "-1.0", "4.2": "+0.2"}


@pytest.mark.parametrize("today", ["0", "平", "-", "持平", ""])
@pytest.mark.parametrize("longer", ["周涨跌", "月涨跌", "同比", "年涨跌"])
def test_no_change_of_today_is_not_that_of_a_longer_time(today: str, longer: str) -> None:
    text = f"地区\t价格(元/吨)\t日涨跌\t{longer}\n四平\t2210\t{today}\t-30\n通辽\t2230\t-5\t-80\n"
    assert changes(text) == {"2210": "", "2230": "-5"}
    swapped = (
        f"地区\t价格(元/吨)\t{longer}\t日涨跌\n四平\t2210\t-30\t{today}\n通辽\t2230\t-80\t-5\n"
    )
    assert changes(swapped) == {"2210": "", "2230": "-5"}


@pytest.mark.parametrize(("cell", "change"), [("20↓", "-20"), ("30▼", "-30"), ("↑5", "+5")])
def test_an_arrow_stands_before_or_behind_its_number(cell: str, change: str) -> None:
    text = f"地区\t价格(元/吨)\t涨跌\n四平\t2210\t{cell}\n通辽\t2230\t0\n"
    assert changes(text) == {"2210": change, "2230": ""}


def test_a_share_without_a_sign_is_no_change() -> None:
    text = "品种\t价格(元/吨)\t涨幅\n尿素\t1850\t0.54\n甲醇\t2350\t-1.26\n"
    assert changes(text) == {"1850": "", "2350": ""}


@pytest.mark.parametrize(
    ("move", "change"), [("+0.5", 0.005), ("-1", -0.01), ("-10", -0.005), ("0.02", 0.02)]
)
def test_a_bare_change_of_grain_per_jin(move: str, change: float) -> None:
    text = f"企业\t今日价(元/斤)\t涨跌\n寿光金玉米\t1.19\t{move}\n诸城兴贸\t1.16\t0\n"
    assert float(changes(text)["1.19"]) == change


@pytest.mark.parametrize(
    ("move", "change"), [("-0.1", -1000.0), ("-1.2", -12_000.0), ("-1000", -1000.0)]
)
def test_a_change_of_ten_thousands_is_in_yuan(move: str, change: float) -> None:
    (quote,) = read_quotes(
        f"产品\t价格(万元/吨)\t涨跌\n电池级碳酸锂\t10.05\t{move}\n", title="锂价"
    )
    assert (float(quote.price_low), float(quote.price_change or 0)) == (100_500.0, change)


def test_a_mark_for_none_between_prices_is_no_range_before_a_unit_either() -> None:
    text = "品种 华东 华南 华北 单位\n甲醇 2790-2810 2800 2560 元/吨\n纯苯 9850 - 9700 元/吨\n"
    assert quotes(text)[3:] == ["华东 9850 ton", "华北 9700 ton"]


def test_slashes_stand_between_cells() -> None:
    text = (
        "价格(元/公斤) / 市场 / 涨跌\n23.60 / 正阳生猪交易市场 / -0.20\n24.10 / 兰山生猪市场 / 平\n"
    )
    assert quotes(text, "生猪价格") == ["正阳生猪交易市场 23.6 kg", "兰山生猪市场 24.1 kg"]


def test_names_and_prices_in_turn_are_a_list() -> None:
    text = "白条猪出厂价(元/公斤)\n北京\t22.6\t上海\t23.4\n沈阳\t22.0\t南京\t—\n"
    assert quotes(text, "猪肉价格") == ["北京 22.6 kg", "上海 23.4 kg", "沈阳 22 kg"]


@pytest.mark.parametrize("heading", ["二、鸭苗(元/羽)", "鸭苗 单位：元/只"])
def test_prices_per_head_are_none_until_the_next_heading(heading: str) -> None:
    text = f"一、毛鸭(元/斤)\n潍坊 4.15\n{heading}\n大厂 3.2-3.5\n小厂 2.8\n三、鸭肉(元/吨)\n六和 21500\n"
    assert quotes(text, "鸭价") == ["潍坊 4.15 jin", "六和 21500 ton"]


def test_units_of_volume_in_their_column_are_none_of_weight() -> None:
    text = "材料\t单位\t价格\n螺纹钢\tt\t3620\n商品混凝土\tm³\t405\n石膏板\t㎡\t12\n"
    assert quotes(text) == ["螺纹钢 3620 ton"]


@pytest.mark.parametrize(
    "market", ["安徽合肥周谷堆农产品批发市场", "河北石家庄桥西蔬菜中心批发市场"]
)
def test_an_owner_behind_the_price_has_its_whole_name(market: str) -> None:
    (quote,) = read_quotes(f"品种\t价格\t市场\n大蒜\t8.00元/公斤\t{market}\n")
    assert quote.mention.endswith("批发市场")
    assert len(quote.mention) > len("中心批发市场")
    assert quote.commodity == "大蒜"


def test_a_wide_gap_stands_between_two_names() -> None:
    assert quotes("鸭肉(元/吨)\n胸脯  六和8900  新希望9000\n") == [
        "六和 8900 ton",
        "新希望 9000 ton",
    ]


def test_numbers_of_a_list_are_no_prices() -> None:
    text = "水泥砂石参考价（元/吨）\n01 P.O42.5散装水泥 295\n02 P.O52.5水泥 325\n"
    assert [quote.split(" ", 1)[1] for quote in quotes(text)] == ["295 ton", "325 ton"]


def test_names_and_prices_in_turn_may_have_heads() -> None:
    text = "产区  元/斤  销区  元/斤\n馆陶  3.00   北京  3.20\n东光  3.10   上海  3.25\n"
    assert quotes(text, "鸡蛋价格") == [
        "馆陶 3 jin",
        "北京 3.2 jin",
        "东光 3.1 jin",
        "上海 3.25 jin",
    ]


def test_a_contract_behind_the_price_is_no_owner() -> None:
    text = "品种\t现货(元/吨)\t主力合约\t合约价\n玉米\t2110(锦州)\tC2505\t2280\n"
    assert [quote.mention for quote in read_quotes(text)] != ["C2505", "C2505"]


@pytest.mark.parametrize("head", ["地区", "城市", "县市", "省份"])
def test_a_place_behind_the_price_is_its_owner(head: str) -> None:
    text = f"品种|收购价|{head}\n玉米|2.25元/公斤|菏泽\n面粉|3.02元/公斤|沧州\n"
    assert [quote.mention for quote in read_quotes(text)] == ["菏泽", "沧州"]


def test_an_origin_behind_the_price_is_no_owner() -> None:
    text = (
        "分类\t品名\t均价\t产地\t单位\n水果\t巨峰葡萄\t3.0\t冀\t斤\n水果\t阳光玫瑰\t5.5\t鲁\t斤\n"
    )
    assert [quote.mention for quote in read_quotes(text)] == ["巨峰葡萄", "阳光玫瑰"]


def test_the_unit_of_the_row_wins() -> None:
    text = "品名\t价格\t单位\n鸡蛋\t4.3\t元/斤\n猪肉\t21.8\t元/公斤\n菠菜\t3.4\t元/斤\n"
    found = read_quotes(text, title="农产品价格")
    assert [quote.unit for quote in found] == ["yuan/jin", "yuan/kg", "yuan/jin"]


@pytest.mark.parametrize("head", ["品名,最低价,最高价", "地区,玉米,小麦"])
def test_a_comma_between_cells_is_none_of_a_number(head: str) -> None:
    assert quotes(f"单位：元/公斤\n{head}\n三七,120,125\n党参,98,105\n", "药材价格")[0].endswith(
        " 120 kg"
    )


def test_a_last_row_may_be_shorter() -> None:
    text = (
        "地区,昨日,今日,地区,昨日,今日\n鲁西,1750,1780,润银,1760,1790\n"
        "平原,1820,1850,美丰,1880,1870\n晋开,1910,1920\n"
    )
    prices = [quote.split()[1] for quote in quotes("单位：元/吨\n" + text, "尿素价格")]
    assert prices == ["1780", "1790", "1850", "1870", "1920"]


def test_commas_of_sentences_are_left_alone() -> None:
    text = "今日企业收购价,市场购销,产区走货\n较昨日上涨,德州2300元/吨,莘县2310元/吨\n"
    assert [quote.split()[1] for quote in quotes(text)] == ["2300", "2310"]


def test_numbers_with_a_point_before_rows_are_no_sentences() -> None:
    text = "序号  报价单位  昨日价  今日价  单位\n1.  河西市场  1.87  1.84  元/斤\n2.  哈达市场  1.80  1.89  元/斤\n"
    assert quotes(text, "大白菜价格") == ["河西市场 1.84 jin", "哈达市场 1.89 jin"]


@pytest.mark.parametrize("unit", ["元/升", "元/立方米", "元/m³", "元/张"])
@pytest.mark.parametrize("heading", ["【板材】{}", "板材（{}）", "板材 单位：{}"])
def test_prices_of_volumes_are_none_of_weights(unit: str, heading: str) -> None:
    text = f"大米（元/公斤）\n早籼米  4.1\n{heading.format(unit)}\n杉木  1161\n"
    assert quotes(text, "市场价格") == ["早籼米 4.1 kg"]


def test_a_firm_may_have_a_syllable_of_profit() -> None:
    text = "厂家|价格\n鲁西化工|1840\n安阳中盈|1850\n"
    assert quotes("单位：元/吨\n" + text, "尿素价格")[1].endswith(" 1850 ton")


def test_a_sentence_below_a_table_has_commas_of_its_own() -> None:
    text = (
        "地区,玉米,小麦\n河南,2810,3130\n安徽,-,3120\n"
        "注:德州2300元/吨,莘县2310元/吨,其余未动。\n郓城2330元/吨,巨野2340元/吨,成武未报。\n"
    )
    prices = [quote.split()[1] for quote in quotes("单位：元/吨\n" + text, "粮价")]
    assert prices == ["2810", "3130", "3120", "2300", "2310", "2330", "2340"]


def test_prices_per_head_in_a_row_are_none() -> None:
    rows = "潍坊  大厂  3.2  3.5\n临沂  小厂  2.8  3.0\n"
    assert read_quotes(f"鸭苗(元/羽)\n{rows}", title="鸭价") == []
    assert read_quotes(f"毛鸭(元/斤)\n{rows}", title="鸭价") != []


def test_a_last_head_of_prices_per_head_is_no_heading() -> None:
    heads = "省份\t外三元(kg)\t内三元(kg)\t15公斤仔猪(元/头)\n"
    rows = "湖南\t14.60元\t14.20元\t560\n江西\t14.40元\t14.00元\t545\n"
    prices = {quote.price_low for quote in read_quotes(heads + rows, title="生猪价格")}
    assert {Decimal("14.6"), Decimal("14.4")} <= prices
