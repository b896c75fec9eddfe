from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.prices import load_aliases, read_quotes
from focuscrawl.prices.names.firm_aliases import AliasTable

SAME_FIRM = [
    ("寿光金玉米淀粉", "寿光金玉米淀粉"),
    ("寿光金玉米", "寿光金玉米淀粉"),
    ("寿光金玉", "寿光金玉米淀粉"),
    ("寿 光 金 玉", "寿光金玉米淀粉"),
    ("潍坊市寿光金玉米淀粉", "寿光金玉米淀粉"),
    ("潍坊市寿光金玉米淀粉有限公司", "寿光金玉米淀粉"),
    ("壽光金玉米", "寿光金玉米淀粉"),
    ("英轩玉米", "昌乐英轩实业"),
    ("昌乐英轩实业有限公司", "昌乐英轩实业"),
    ("西王集团", "邹平西王"),
    ("沂水鲁州", "鲁洲集团山东公司"),
    ("沂水鲁洲", "鲁洲集团山东公司"),
    ("诸城兴茂", "诸城兴贸淀粉"),
    ("枣庄恒仁工贸有限公司", "恒仁工贸"),
]
TABLE = AliasTable({"甲乙丙丁淀粉": ["甲乙"], "甲乙丙戊": [], "天地生化": ["天地"]})


@pytest.mark.parametrize(("mention", "entity"), SAME_FIRM)
def test_own_table(mention: str, entity: str) -> None:
    assert load_aliases().entity(mention) == (entity, True)


@pytest.mark.parametrize("mention", ["某某新淀粉", "饲料厂", "玉米", "", " "])
def test_unknown_names_stay_as_printed(mention: str) -> None:
    assert load_aliases().entity(mention) == ("".join(mention.split()), False)


def test_a_truncated_name_matches_only_if_it_is_unambiguous() -> None:
    table = AliasTable({"华星玉米淀粉": [], "华星生物": [], "天地玉米开发": []})
    assert table.entity("天地玉米") == ("天地玉米开发", True)
    assert AliasTable({"华星玉米甲": [], "华星玉米乙": []}).entity("华星玉米") == (
        "华星玉米",
        False,
    )


def test_a_two_character_alias_matches_whole_mentions_only() -> None:
    assert TABLE.entity("天地") == ("天地生化", True)
    assert TABLE.entity("大天地面粉")[1] is False


def test_the_longest_name_inside_a_mention_wins() -> None:
    table = AliasTable({"大华": ["大华玉米"], "新大华玉米": []})
    assert table.entity("长春新大华玉米公司") == ("新大华玉米", True)


def test_own_file(tmp_path: Path) -> None:
    file = tmp_path / "firms.yaml"
    file.write_text("金穗一号: [村口金穗, 金穗粉业]\n", "utf-8")
    (quote,) = read_quotes("村口金穗玉米0.85元/斤", aliases=load_aliases(file))
    assert (quote.entity, quote.entity_is_known) == ("金穗一号", True)
    assert quote.mention == "村口金穗"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("- a\n- b\n", "is not a mapping"),
        ("a: [b\n", "is not valid YAML"),
        ("a: {b: c}\n", "needs a list"),
        ("1: [b]\n", "needs a list"),
        ("a: [b]\na: [c]\n", "the key a is twice in .*, lines 1 and 2; delete one"),
        ("a: [1]\n", "needs a list"),
        ("", "is not a mapping"),
    ],
)
def test_an_invalid_file_is_reported_in_one_line(
    tmp_path: Path, content: str, complaint: str
) -> None:
    file = tmp_path / "firms.yaml"
    file.write_text(content, "utf-8")
    with pytest.raises(ArgumentError, match=complaint) as caught:
        load_aliases(file)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="Cannot read the alias file"):
        load_aliases(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ArgumentError, match="not UTF-8"):
        load_aliases(tmp_path / "binary.yaml")


def test_counties_are_known_and_unnamed_buyers_get_their_region() -> None:
    county, buyer = read_quotes("山东沂水县玉米0.85元/斤；饲料企业0.88元/斤")
    assert (county.entity, county.entity_is_known) == ("沂水县", True)
    assert (buyer.mention, buyer.entity_is_known) == ("饲料企业", False)
    assert buyer.entity == "山东沂水县饲料企业"
