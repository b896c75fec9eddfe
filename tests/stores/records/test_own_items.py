"""Any item of any class is JSON, or says why it cannot be."""

from __future__ import annotations

import dataclasses
import json
from collections import deque
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import numpy
import pydantic
import pytest
import scrapy
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import StoreError
from focuscrawl.items import Article, OwnItem
from focuscrawl.stores.records.own_items import known_record, own_fields, own_item, prepare_item
from tests.stores.record_examples import article, page


class Colour(Enum):
    RED = "red"


class Slotted:
    """No item."""


class Address(pydantic.BaseModel):
    home: pydantic.HttpUrl


@dataclasses.dataclass
class Firm:
    name: str
    at: Any = None


def stored(item: Any, **options: Any) -> OwnItem:
    found = own_item(item, crawl="c", page_url="http://x/", **options)
    assert found is not None
    return found


CYCLE: list[Any] = []
CYCLE.append({"a": CYCLE})
DEEP: Any = 1
for _ in range(60):
    DEEP = [DEEP]
BOMB: Any = ["x"]
for _ in range(40):
    BOMB = [BOMB, BOMB]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00Z"),
        (date(2026, 1, 2), "2026-01-02"),
        (time(3, 4), "03:04:00"),
        (timedelta(minutes=1), 60.0),
        (Decimal("1.50"), "1.50"),
        ({3, 1, 2}, [1, 2, 3]),
        (deque([(1,)]), [[1]]),
        (b"abc", "abc"),
        (b"\xff", "data:;base64,/w=="),
        (float("-inf"), "-Infinity"),
        ("\ud800\0", "\ufffd\0"),
        (Colour.RED, "red"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (numpy.float32(0.5), 0.5),
        (numpy.int64(7), 7),
        (numpy.array([[1, 2]]), [[1, 2]]),
        (Firm("a", Firm("b")), {"name": "a", "at": {"name": "b", "at": None}}),
        (Address(home="http://h.example/"), {"home": "http://h.example/"}),
        ({1: 2, None: 3, (1, 2): 4, True and "x": 5}, {"1": 2, "null": 3, "[1, 2]": 4, "x": 5}),
        (2**80, 2**80),
    ],
)  # fmt: skip
def test_values_have_a_json_form(value: Any, plain: Any) -> None:
    assert own_fields({"v": value}) == {"v": plain}


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"v": CYCLE}, "the field 'v' contains itself"),
        ({"v": DEEP}, "the field 'v' is nested deeper than 50 levels"),
        ({"v": BOMB}, "the field 'v' has more than 1,000,000 values"),
        ({"v": 10**5000}, "its fields cannot be read: Exceeds the limit (4300"),
        ({"v": {1: 2, "1": 3}}, "the field 'v' has two fields '1' once their names are texts"),
        ({1: 2, "1": 3}, "has two fields '1' once their names are texts"),
        ({"v": Slotted()}, "the field 'v' holds a Slotted"),
        ({"v": (n for n in [1])}, "the field 'v' holds a generator"),
        ("text", "of type str; yield a dict"),
        (Slotted(), "of type Slotted; yield a dict"),
    ],
)
def test_what_has_none_says_so(item: Any, reason: str) -> None:
    with pytest.raises(StoreError) as caught:
        stored(item)
    assert str(caught.value).startswith(reason)


def test_keys() -> None:
    assert stored({"sku": 1, "n": 2}, item_key="sku").key == stored({"sku": 1}, item_key="sku").key
    assert stored({"sku": 1}, item_key="sku").key != stored({"sku": "1"}, item_key="sku").key
    by_class = {"Firm": ("name", "at"), "dict": "sku"}
    assert stored(Firm("a", 2), item_key=by_class).item_key == '["a", 2]'
    assert stored({"sku": 0}, item_key=by_class).item_key == "[0]"
    assert stored({"a": 1, "b": 2}).key == stored({"b": 2, "a": 1}).key != stored({"a": 1}).key
    for item in ({"n": 1}, {"sku": ""}, {"sku": None}):
        with pytest.raises(StoreError, match="without a value in 'sku', which item_key"):
            stored(item, item_key=["sku"])
    with pytest.raises(StoreError, match="item_key of the spider is 5"):
        stored({"n": 1}, item_key=5)


def test_a_subclass_is_its_base_and_its_own_fields() -> None:
    class Plain(Article):
        """No dataclass; its instances have a ``__dict__``."""

    given = Plain(**{f.name: getattr(article(), f.name) for f in dataclasses.fields(Article)})
    given.views = 3
    record = known_record(given)
    assert record == article()
    assert record is not None
    own = own_item(given, crawl="c", page_url="")
    assert own is not None
    assert (own.class_name, own.url, own.item) == ("Plain", article().url, '{"views": 3}')
    assert own_item(page(), crawl="c", page_url="") is None
    assert known_record(scrapy.Item()) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary()
    | st.decimals() | st.dates() | st.timedeltas(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.text(st.characters()) | st.integers() | st.none(), inner, max_size=3
    ),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(st.characters()), anything, max_size=4))
def test_any_item_is_stored_as_utf8_json(item: dict[str, Any]) -> None:
    try:
        found = stored(item)
    except StoreError:
        return
    prepared = prepare_item(found)
    prepared.row["item"].encode()
    assert "\0" not in prepared.row["item"]
    assert own_fields(json.loads(prepared.row["item"])) == found.values
