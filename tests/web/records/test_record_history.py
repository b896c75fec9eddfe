"""History of a template record."""

from __future__ import annotations

from datetime import timedelta

from focuscrawl.items import FoundValue
from focuscrawl.stored_records import KeptRecord, RecordRevision
from focuscrawl.web.records.record_pages import FieldChange, changes_between, history_of
from tests.stores.record_examples import NOW, template_record

DAY = timedelta(days=1)


def value(field: str, text: str) -> FoundValue:
    return FoundValue(field=field, title=field, value=text, raw=text, confidence=0.9)


A, B, C = value("phone", "1"), value("phone", "2"), value("fax", "3")


def test_changes_name_what_went_and_what_came() -> None:
    assert changes_between([A, C], [B, A]) == [
        FieldChange("phone", [], ["2"]),
        FieldChange("fax", ["3"], []),
    ]
    assert changes_between([A, B], [B, A]) == []


def test_versions_follow_one_another() -> None:
    record = template_record(window=9, values=[B], fetched_at=NOW)
    revisions = [
        RecordRevision(record_key=record.key, window=2, next_window=4, replaced_at=NOW - 2 * DAY,
            gone_at=NOW - 3 * DAY, values=[A]),
        RecordRevision(record_key=record.key, window=5, next_window=6, replaced_at=NOW - DAY,
            gone_at=None, values=[A, C]),
    ]  # fmt: skip
    found = history_of(
        KeptRecord(key=record.key, record=record, first_seen=NOW - 9 * DAY, gone_at=None), revisions
    )
    assert [(one.first, one.last, one.since, one.gone_at) for one in found] == [
        (6, 9, NOW - DAY, None),
        (4, 5, NOW - 2 * DAY, None),
        (None, 2, None, NOW - 3 * DAY),
    ]
    assert found[0].changes == [FieldChange("phone", ["1"], ["2"]), FieldChange("fax", ["3"], [])]
    assert (found[1].changes, found[2].changes) == ([FieldChange("fax", [], ["3"])], [])


def test_the_first_window_is_known_to_be_the_first() -> None:
    record = template_record(window=1)
    (only,) = history_of(
        KeptRecord(key=record.key, record=record, first_seen=NOW, gone_at=None), []
    )
    assert (only.first, only.last) == (1, 1)
