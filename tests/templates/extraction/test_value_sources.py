"""Pages that say the values of a record, and what other pages of the site say instead."""

from __future__ import annotations

from focuscrawl.items import PageValue
from focuscrawl.templates.extraction import PageValues, Value, combine, found_values
from focuscrawl.templates.template_model import load_template

FIELDS = load_template("contacts").fields
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
    found = found_values(combine(main, [home], FIELDS), {MAIN: main, HOME: home}, FIELDS)
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
    found = found_values(combine(main, [home], FIELDS), {MAIN: main, HOME: home}, FIELDS)
    assert [len(one.elsewhere) for one in found] == [5, 0]
    assert found[0].elsewhere[0] == PageValue(
        page=HOME, value="028-66660000", raw="028-66660000", confidence=0.9
    )


def test_the_name_of_the_owner_is_weighed_over_all_pages() -> None:
    main = reading(phone="028-85120001")
    named = {"name": (Value("甲公司", "甲公司", 0.9),)} | combine(main, [], FIELDS)
    found = found_values(named, {MAIN: main}, FIELDS)
    assert [one.page for one in found if one.field == "name"] == [""]
