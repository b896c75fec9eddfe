"""Extraction from any page with any template."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.items import PageValue
from focuscrawl.templates.extraction import PageValues, Value, combine, found_values, read_page
from focuscrawl.templates.template_model import ExtractionField, FieldType, load_template

CONTACTS = load_template("contacts").fields
PAGE = (
    "<html><head><title>联系我们-杭州文三机械有限公司</title></head><body><div class='nav'><a href='/'>首页</a>"
    "</div><div id='news'>{news}</div><h1>联系我们</h1><table><tr><td>电话：</td><td>0571-88001234</td></tr>"
    "<tr><td>传真</td><td>0571-88001235</td></tr></table><p>地址：杭州市西湖区文三路100号（310012）<br>邮箱:"
    "info#at#firm.cn</p><dl><dt>QQ</dt><dd>23456789</dd></dl><p>访问量：{visits}</p>"
    "<div class='footer'>© 2020 杭州文三机械有限公司 技术支持：某某网络</div></body></html>"
)
PIECES = ["<", ">", "</td>", "<table><tr>", "<!--", "\x00", "\ud800", "\ue900", "：", "电话", "（", ")", "@", "&#xD800;", "İ"]  # fmt: skip


def field(*keywords: str, type_: FieldType = FieldType.TEXT, many: bool = False) -> ExtractionField:
    return ExtractionField(keywords=keywords, type=type_, many=many)


def values(html: str, fields: dict[str, ExtractionField]) -> dict[str, list[str]]:
    record = combine(read_page(html, "", fields), [], fields)
    return {name: [value.value for value in found] for name, found in record.items()}


def test_reading_survives_json() -> None:
    reading = read_page(PAGE, "http://firm.test/", CONTACTS)
    assert reading.values
    assert reading.names
    assert PageValues.from_json(reading.to_json()) == reading


def test_value_as_printed_is_kept() -> None:
    (email,) = read_page(PAGE, "", CONTACTS).values["email"]
    assert email == Value("info@firm.cn", "info#at#firm.cn", email.confidence)
    assert 0.5 < email.confidence <= 1


def test_region_excludes_news_and_visitor_counts() -> None:
    one = read_page(PAGE.format(news="新闻一", visits=100), "", CONTACTS)
    other = read_page(PAGE.format(news="另一条新闻", visits=101), "", CONTACTS)
    moved = read_page(PAGE.replace("文三路100号", "文三路200号"), "", CONTACTS)
    assert "0571-88001234" in one.region
    assert one.region == other.region != moved.region


def test_template_of_any_fields() -> None:
    fields = {
        "buyer": field("收购单位", type_=FieldType.ORGANISATION),
        "price": field("收购价格", "价格"),
        "person": field("联系人"),
        "call": field("联系电话", type_=FieldType.PHONE, many=True),
    }
    html = (
        "<h1>玉米收购</h1><p>收购单位：吉林文三粮食有限公司</p><p>价格：2350元/吨，水分14%以内</p>"
        "<table><tr><td>联系人</td><td>王经理</td></tr></table><p>联系电话：0431-88001234 13800431234</p>"
        "<p>传真：0431-88001235</p><div>© 2020 某某粮食网有限公司</div>"
    )
    assert values(html, fields) == {
        "buyer": ["吉林文三粮食有限公司"],
        "price": ["2350元/吨，水分14%以内"],
        "person": ["王经理"],
        "call": ["0431-88001234", "13800431234"],
    }


def test_words_of_a_menu_have_no_values() -> None:
    fields = {
        "price": field("价格"),
        "company": field("公司名称", "公司", type_=FieldType.ORGANISATION),
    }
    assert values("<ul><li>价格</li><li>新闻</li><li>公司</li><li>产品</li></ul>", fields) == {}
    assert values("<dl><dt>价格</dt><dd>2350元</dd></dl>", fields) == {"price": ["2350元"]}


def test_only_the_best_value_without_many() -> None:
    fields = {"phone": field("电话", type_=FieldType.PHONE)}
    html = "<p>0571-88009999</p><p>电话：0571-88001234</p>"
    assert values(html, fields) == {"phone": ["0571-88001234"]}


def test_labels_of_another_language() -> None:
    fields = {"phone": field("Telefon", type_=FieldType.PHONE)}
    assert values("<p>Telefon: +49 30 1234567</p>", fields) == {"phone": ["+49301234567"]}


def test_structured_data_fills_in_for_missing_text() -> None:
    html = (
        '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization",'
        '"name":"杭州文三机械有限公司","telephone":"+86-571-88001234","faxNumber":"0571-88001235",'
        '"email":"info@firm.cn","address":{"@type":"PostalAddress","streetAddress":"文三路100号",'
        '"addressLocality":"杭州市","postalCode":"310012"}}</script><p>欢迎</p>'
    )
    found = values(html, CONTACTS)
    assert found["phone"] == ["+86-571-88001234"]
    assert found["fax"] == ["0571-88001235"]
    assert found["email"] == ["info@firm.cn"]
    assert found["address"] == ["杭州市文三路100号"]


def test_contact_page_takes_precedence_over_home_page() -> None:
    main = read_page("<p>电话：0571-88001234</p>", "", CONTACTS)
    home = read_page("<p>电话：0571-88009999 传真：0571-88001235</p>", "", CONTACTS)
    record = combine(main, [home], CONTACTS)
    assert [value.value for value in record["phone"]] == ["0571-88001234"]
    assert [value.value for value in record["fax"]] == ["0571-88001235"]


def test_name_is_weighed_over_all_pages() -> None:
    main = read_page("<title>联系我们</title><p>电话：0571-88001234</p>", "", CONTACTS)
    home = read_page("<title>杭州文三机械有限公司</title>", "", CONTACTS)
    assert combine(main, [home], CONTACTS)["name"][0].value == "杭州文三机械有限公司"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert PageValues.from_json(read_page(text, text, CONTACTS).to_json())


def test_broken_pages_can_be_read() -> None:
    chance = random.Random(6)
    for _ in range(300):
        page = PAGE
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(page) + 1)
            cut = chance.choice([0, 0, 1, 5, 40])
            page = page[:at] + chance.choice([*PIECES, ""]) + page[at + cut :]
        reading = read_page(page, "", CONTACTS)
        combine(reading, [reading], CONTACTS)


# Pages that say the values of a record, and what other pages of the site say instead.

MAIN, HOME = "http://a.example/contact", "http://a.example/"


def reading(**values: str | list[str]) -> PageValues:
    given = {name: [text] if isinstance(text, str) else text for name, text in values.items()}
    return PageValues(
        "",
        {name: tuple(Value(text, text, 0.9) for text in texts) for name, texts in given.items()},
        "",
    )


def values_of(main: PageValues, home: PageValues) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Return the page of the first value of each field, and the pages that say something else."""
    found = found_values(combine(main, [home], CONTACTS), {MAIN: main, HOME: home}, CONTACTS)
    return {
        one.field: (one.page, [(other.page, other.value) for other in one.elsewhere])
        for one in reversed(found)
    }


def test_what_two_pages_say_of_a_field_is_kept_with_its_page() -> None:
    main = reading(phone="028-85120001", fax="028-85120002", email="a@a.cn")
    home = reading(phone="028-66660001", fax="85120002", qq="23456789", email="a@a.cn")
    assert values_of(main, home) == {
        "phone": (MAIN, [(HOME, "028-66660001")]),
        "fax": (MAIN, []),
        "email": (MAIN, []),
        "qq": (HOME, []),
    }


def test_at_most_five_are_kept_at_the_first_value() -> None:
    main = reading(phone=["028-85120001", "028-85120002"])
    home = reading(phone=[f"028-6666000{n}" for n in range(9)])
    found = found_values(combine(main, [home], CONTACTS), {MAIN: main, HOME: home}, CONTACTS)
    assert [len(one.elsewhere) for one in found] == [5, 0]
    assert found[0].elsewhere[0] == PageValue(
        page=HOME, value="028-66660000", raw="028-66660000", confidence=0.9
    )


def test_the_name_of_the_owner_is_weighed_over_all_pages() -> None:
    main = reading(phone="028-85120001")
    named = {"name": (Value("甲公司", "甲公司", 0.9),)} | combine(main, [], CONTACTS)
    found = found_values(named, {MAIN: main}, CONTACTS)
    assert [one.page for one in found if one.field == "name"] == [""]
