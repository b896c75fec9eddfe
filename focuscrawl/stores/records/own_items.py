"""Conversion between items of a spider of one's own and the rows that all stores share."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields
from datetime import UTC, datetime
from itertools import count
from math import isfinite
from pathlib import PurePath
from typing import Any, get_args

from focuscrawl.errors import StoreError
from focuscrawl.items import OwnItem, Record, check_code
from focuscrawl.stores.records.batch_changes import ITEMS, Prepared, Row, instant
from focuscrawl.stores.records.numbered_rows import whole_text

_RECORDS: tuple[type[Record], ...] = get_args(Record)
_TEXTS = ("crawl", "class_name", "item_key", "url", "item")
_LONGEST_NAME = 255
_DEEPEST, _MOST = 50, 1_000_000


# itemadapter and pydantic are imported late: those who only read the rows need neither them nor Scrapy.


def known_record(item: object) -> Record | None:
    """Return an item as a record that the stores know: a subclass as its base; None for other items."""
    if type(item) in _RECORDS:
        return item  # type: ignore[return-value]
    for base in type(item).__mro__:
        if base in _RECORDS:
            return base(**{entry.name: getattr(item, entry.name) for entry in fields(base)})
    return None


def own_item(item: object, *, crawl: str, page_url: str, item_key: object = None) -> OwnItem | None:
    """Return what :func:`known_record` leaves out of an item, None if that is nothing.

    ``page_url`` is the page that it was found on, unless it has a text ``url``. ``item_key`` names the
    field or the fields that identify it, or has them by the names of classes. Raises StoreError for an
    item that cannot be stored.
    """
    class_name = whole_text(type(item).__name__)[:_LONGEST_NAME]
    record, values = known_record(item), own_fields(item)
    if record is not None:
        if not values:
            return None
        # The record's own key: an article's link, a page's topic and link.
        key: list[Any] = [getattr(record, "key", "") or check_code(record.url)]
        url: Any = record.url
    else:
        named = item_key.get(class_name) if isinstance(item_key, Mapping) else item_key
        key, url = _key_of(values, named), values.get("url")
    return OwnItem(
        crawl=whole_text(crawl)[:_LONGEST_NAME],
        class_name=class_name,
        item_key=json.dumps(key, ensure_ascii=False) if key else "",
        url=whole_text(url if url and isinstance(url, str) else page_url),
        item=json.dumps(values, ensure_ascii=False),
        fetched_at=datetime.now(UTC),
    )


def _key_of(values: Mapping[str, Any], item_key: object) -> list[Any]:
    names = [item_key] if isinstance(item_key, str) else item_key or []
    if not isinstance(names, Sequence):
        raise StoreError(f"item_key of the spider is {item_key!r}; name a field, or several")
    for name in names:
        if values.get(name) in (None, "", [], {}):
            raise StoreError(f"without a value in {name!r}, which item_key of the spider names")
    return [values[name] for name in names]


def own_fields(item: object) -> dict[str, Any]:
    """Return the fields of an item as JSON values; of a record, only those that a subclass adds.

    Raises StoreError for an item that has no JSON form; it names the field.
    """
    from itemadapter import ItemAdapter

    known = {
        entry.name for base in type(item).__mro__ if base in _RECORDS for entry in fields(base)
    }
    budget, values = count(), dict[str, Any]()
    try:
        for name, value in _entries(item):
            if name in known:
                continue
            field = _name(name, values, budget)
            try:
                values[field] = _plain(value, (), budget)
            except StoreError as error:
                raise StoreError(f"the field {field[:40]!r} {error}") from None
        # Python writes no number of more than 4,300 digits.
        json.dumps(values)
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        if ItemAdapter.is_item(item):
            raise StoreError(f"its fields cannot be read: {error}") from error
        what = "yield a dict, a dataclass, or an attrs, pydantic or Scrapy item"
        raise StoreError(f"of type {type(item).__name__}; {what}") from error
    return values


def plain_value(value: Any) -> Any:
    """Return a value as JSON values; raises StoreError for one that has no JSON form."""
    return _plain(value, (), count())


def _entries(item: object) -> list[tuple[Any, Any]]:
    from itemadapter import ItemAdapter

    # Not for the adapter: what pydantic allows without a name, and attributes of a record's subclass
    # that is no dataclass.
    is_model, is_record = hasattr(type(item), "model_fields"), isinstance(item, Record)
    more = getattr(item, "model_extra" if is_model else "__dict__", None)
    known = dict(ItemAdapter(item).items())
    return [*(known | (more or {}) if is_model or is_record else known).items()]


def _plain(value: Any, within: tuple[int, ...], budget: count[int]) -> Any:
    """Return a value as JSON values; ``within`` has the ids of the containers around it."""
    from itemadapter import ItemAdapter

    if next(budget) > _MOST:
        raise StoreError(f"has more than {_MOST:,} values")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _text_of(bytes(value))
    if isinstance(value, PurePath):
        value = str(value)
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        value = value.tolist()
    is_list = isinstance(value, (Sequence, Set)) and not isinstance(value, str)
    if not is_list and not isinstance(value, Mapping) and not ItemAdapter.is_item(value):
        return _plain_scalar(value)
    if id(value) in within:
        raise StoreError("contains itself")
    if len(within) == _DEEPEST:
        raise StoreError(f"is nested deeper than {_DEEPEST} levels")
    within = (*within, id(value))
    if is_list:
        plain = [_plain(one, within, budget) for one in value]
        # Python's order of a set differs from run to run.
        return sorted(plain, key=json.dumps) if isinstance(value, Set) else plain
    values: dict[str, Any] = {}
    for name, one in value.items() if isinstance(value, Mapping) else _entries(value):
        values[_name(name, values, budget)] = _plain(one, within, budget)
    return values


def _plain_scalar(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    try:
        # An iterator would be used up here.
        plain = (
            None
            if isinstance(value, Iterator)
            else to_jsonable_python(value, timedelta_mode="float")
        )
    except ValueError:
        plain = None
    if plain is None and value is not None:
        what = f"holds a {type(value).__name__}, which has no JSON form"
        raise StoreError(f"{what}; yield its text or number") from None
    # JSON has no NaN and no infinity.
    if isinstance(plain, float) and not isfinite(plain):
        return json.dumps(plain)
    return whole_text(plain) if isinstance(plain, str) else plain


def _name(name: Any, values: Mapping[str, Any], budget: count[int]) -> str:
    """Return the name of a field as text: JSON has no other ones."""
    plain = _plain(name, (), budget)
    text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    if text in values:
        raise StoreError(f"has two fields {text[:40]!r} once their names are texts")
    return text


def _text_of(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return f"data:;base64,{base64.b64encode(value).decode()}"


def prepare_item(item: OwnItem) -> Prepared:
    """Convert an item of one's own to the row that is stored."""
    row: Row = {name: whole_text(getattr(item, name)) for name in _TEXTS}
    row |= {"key": item.key, "content_md5": item.content_md5}
    row |= dict.fromkeys(("fetched_at", "first_seen"), instant(item.fetched_at))
    return Prepared(ITEMS, item.key, item.url, row)


def stored_item(row: Mapping[str, Any]) -> OwnItem:
    """Build an item of one's own from its row."""
    return OwnItem(**{name: row[name] for name in (*_TEXTS, "fetched_at")})
