"""Pages of template records, and their exports."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from starlette.testclient import TestClient

from focuscrawl.items import FoundValue, GoneRecord, PageValue, TemplateRecord
from focuscrawl.stored_records import KeptRecord, RecordRevision
from focuscrawl.web import record_pages
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import NOW, seed, template_record
from tests.web.conftest import add_users, client_of, fill, log_in, site_over

HOSTILE = "<script>alert(1)</script>\u202e=1+1"
SECOND = "template-x"


def value(field: str, text: str, confidence: float = 0.9) -> FoundValue:
    return FoundValue(field=field, title=field, value=text, raw=f"{text}。", confidence=confidence)


def record(number: int, *values: FoundValue, **fields: Any) -> TemplateRecord:
    return template_record(number, values=list(values), **fields)


RECORDS = [
    record(1, value("name", "甲公司"), value("address", "四川省成都市天府大道1号"),
        value("phone", "028-1", 0.6), value("phone", "028-2", 0.95)),
    record(2, value("name", "乙公司"), value("address", "成都市高新区2号"), value("phone", "028-3")),
    record(3, value("name", "丙公司", 0.4), value("address", "山东省潍坊市3号")),
    record(4, value("name", "丁公司")),
    record(5, value("name", "外公司"), crawl=SECOND, template="x"),
]  # fmt: skip
LOST = GoneRecord(crawl=RECORDS[3].crawl, url=RECORDS[3].url, gone_at=NOW)


def write(url: str) -> None:
    fill(url, RECORDS)
    fill(url, [LOST, seed(1, query="四川<b>", state="useful")])


def names(text: str) -> str:
    return "".join(sorted(set(re.findall("[甲乙丙丁外](?=公司)", text))))


CHOICES: tuple[tuple[dict[str, str], str], ...] = (
    ({}, "丙乙甲"),
    ({"region": "成都"}, "乙甲"),
    ({"region": "四川"}, "乙甲"),
    ({"region": "四川省成都市"}, "乙甲"),
    ({"region": "火星"}, ""),
    ({"field": "phone"}, "乙甲"),
    ({"field": "phone", "confidence": "0.95"}, "甲"),
    ({"confidence": "0.5"}, "丙乙甲"),
    ({"field": "name", "confidence": "0.5"}, "乙甲"),
    ({"text": "028-3"}, "乙"),
    ({"text": "FIRM2.example"}, "乙"),
    ({"text": "028-3", "field": "name"}, ""),
    ({"state": "gone"}, "丁"),
    ({"state": "all"}, "丁丙乙甲"),
    ({"state": "new"}, ""),
    ({"conflicts": "true"}, "甲"),
    ({"conflicts": "true", "field": "name"}, ""),
    ({"crawl": SECOND}, "外"),
    ({"crawl": "unknown"}, ""),
    ({"utm_source": "x", "text": ""}, "丙乙甲"),
)
BAD = (
    {"confidence": "2"},
    {"confidence": "nan"},
    {"confidence": "x"},
    {"state": "x"},
    {"text": "x" * 201},
    {"conflicts": "maybe"},
)


def test_records_are_chosen_and_bad_choices_refused(store_url: str, client: TestClient) -> None:
    write(store_url)
    for query, found in CHOICES:
        # The earlier address of the list, of which an export has the first crawl without a choice.
        whole = {"crawl": RECORDS[0].crawl} | query
        answer = client.get("/records", params=whole, follow_redirects=True)
        assert answer.status_code == 200, query
        assert names(answer.text) == "".join(sorted(found)), query
        exported = client.get("/records.json", params=query).json()
        assert names(str(exported)) == "".join(sorted(found)), query
    for query in BAD:
        for path in ("/records", "/records.csv"):
            answer = client.get(path, params=query, follow_redirects=True)
            assert answer.status_code == 400, query


def test_records_are_listed_page_by_page(store_url: str, client: TestClient) -> None:
    fill(store_url, [record(number, value("name", f"第{number}公司")) for number in range(60)])
    found: list[str] = []
    path = "/search?kind=record&text=公司"
    while path:
        text = client.get(path).text
        # Title and summary of a record have its name.
        found += dict.fromkeys(re.findall(r"><bdi>.*?第(\d+)公司", text))
        following = re.search(r'rel="next" href="([^"]+)"', text)
        path = following[1].replace("&amp;", "&") if following else ""
    assert sorted(map(int, found)) == list(range(60))


def test_without_records(client: TestClient) -> None:
    assert "没有符合条件的内容" in client.get("/records", follow_redirects=True).text
    assert client.get("/records.json").json() == []
    unknown = ("/records.exe", *(f"/records/{key}" for key in ("0" * 32, "x", "A" * 32, "%00")))
    assert {path: client.get(path).status_code for path in unknown} == dict.fromkeys(unknown, 404)


def test_a_record_shows_its_values_and_where_they_are_from(
    store_url: str, site: WebSite, client: TestClient
) -> None:
    write(store_url)
    text = client.get(f"/records/{RECORDS[0].key}").text
    for words in ("2 个不同的值", "028-1。", "95%", "四川&lt;b&gt;", "有用", "窗口 1"):
        assert words in text
    assert f'href="{RECORDS[0].url}" rel="noopener noreferrer"' in text
    assert "已消失" in client.get(f"/records/{RECORDS[3].key}").text
    listed = f"/search?kind=record&series={RECORDS[0].crawl}"
    assert f"/records.csv?crawl={RECORDS[0].crawl}" in client.get(listed).text
    add_users(site)
    log_in(client, Role.READER)
    assert "records.csv" not in client.get(listed).text


def test_a_record_shows_which_window_saw_which_value(store_url: str, client: TestClient) -> None:
    first = record(1, value("name", "甲公司"), value("phone", "028-1"), value("fax", "<028-9>"))
    second = record(1, value("name", "甲公司"), value("phone", "028-2"), window=3,
        fetched_at=NOW + timedelta(days=2))  # fmt: skip
    fill(store_url, [first])
    path = f"/records/{first.key}"
    assert "<del>" not in client.get(path).text
    fill(store_url, [second])
    fill(store_url, [GoneRecord(crawl=first.crawl, url=first.url, gone_at=NOW + timedelta(days=9))])
    text = client.get(path).text
    rows = re.findall(r'<tr><td class="day">([^<]*)</td>', text)
    assert rows == ["窗口 3", "窗口 1"]
    assert re.findall("<(del|ins)>([^<]*)</", text) == [
        ("del", "028-1"), ("ins", "028-2"), ("del", "&lt;028-9&gt;")
    ]  # fmt: skip
    assert "<div>传真：&lt;028-9&gt;</div>" in text
    gone = (NOW + timedelta(days=9)).astimezone().strftime("%Y-%m-%d %H:%M")
    assert f"{gone} 起消失" in text


def test_versions_of_a_record_follow_one_another() -> None:
    phone, new_phone, fax = value("phone", "1"), value("phone", "2"), value("fax", "3")
    record = template_record(window=9, values=[new_phone], fetched_at=NOW)
    revisions = [
        RecordRevision(record_key=record.key, window=2, next_window=4, replaced_at=NOW - timedelta(2),
            gone_at=NOW - timedelta(3), values=[phone]),
        RecordRevision(record_key=record.key, window=5, next_window=6, replaced_at=NOW - timedelta(1),
            gone_at=None, values=[phone, fax]),
    ]  # fmt: skip
    found = record_pages.history_of(
        KeptRecord(key=record.key, record=record, first_seen=NOW - timedelta(9), gone_at=None),
        revisions,
    )
    assert [(one.first, one.last, one.since, one.gone_at) for one in found] == [
        (6, 9, NOW - timedelta(1), None),
        (4, 5, NOW - timedelta(2), None),
        (None, 2, None, NOW - timedelta(3)),
    ]
    assert found[0].changes == [
        record_pages.FieldChange("phone", ["1"], ["2"]),
        record_pages.FieldChange("fax", ["3"], []),
    ]
    assert (found[1].changes, found[2].changes) == (
        [record_pages.FieldChange("fax", [], ["3"])],
        [],
    )


def test_a_record_shows_which_page_said_what(store_url: str, client: TestClient) -> None:
    home = "http://firm1.example/"
    other = PageValue(page=home, value="028-7", raw="<7>", confidence=0.7)
    bad = replace(other, page="javascript:1", value="028-8")
    phone = replace(value("phone", "028-1"), page=template_record(1).url, elsewhere=(other, bad))
    given = record(1, value("name", "甲公司"), phone, replace(value("fax", "028-9"), page=home))
    fill(store_url, [given, record(2, value("name", "乙公司"))])
    text = client.get(f"/records/{given.key}").text
    for words in ("本页", "028-7", "&lt;7&gt;", "70%", "028-8", "3 个不同的值"):
        assert words in text
    assert re.search('href="/help#quotations.confidence"[^>]*>可信度<', text)
    assert text.count("他页另说") == 2
    assert text.count(f'<td><a href="{home}" rel="noopener noreferrer">') == 2
    assert 'href="javascript' not in text
    assert names(client.get("/search?kind=record&conflicts=true").text) == "甲"


def test_hostile_values_are_escaped(store_url: str, client: TestClient) -> None:
    bad = record(
        1, value("name", HOSTILE), FoundValue(field=HOSTILE, title=HOSTILE, value=HOSTILE, raw=HOSTILE,
        confidence=0.5), crawl=HOSTILE, template=HOSTILE, url="javascript:1", seed="javascript:2",
        title=HOSTILE, site=HOSTILE,
    )  # fmt: skip
    long = record(2, value("name", "长" * 2**20), crawl=HOSTILE, template=HOSTILE)
    fill(store_url, [bad, long])
    for path in ("/search?kind=record", f"/records/{bad.key}", f"/records/{long.key}"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert 'href="javascript' not in answer.text


def test_exports_have_all_fields_and_no_formulas(store_url: str, client: TestClient) -> None:
    fill(store_url, [record(1, value("name", "=1+1"), value("phone", "+86"), value("phone", "2"))])
    answer = client.get("/records.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="records.csv"'
    assert answer.content.startswith(b"\xef\xbb\xbf")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (row["name"], row["phone"], row["address"]) == ("'=1+1", "'+86; 2", "")
    workbook = openpyxl.load_workbook(io.BytesIO(client.get("/records.xlsx").content))
    titles, cells = workbook["records"].iter_rows()
    cell = cells[[title.value for title in titles].index("name")]
    assert (cell.value, cell.data_type) == ("=1+1", "s")
    (found,) = client.get("/records.json").json()
    assert found["name"] == "=1+1"
    assert found["fetched_at"] == NOW.isoformat()


def test_records_of_several_parts_are_exported(
    store_url: str, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_pages, "_TOGETHER", 3)
    fill(store_url, [record(number, value("name", "公司")) for number in range(10)])
    rows = list(csv.reader(io.StringIO(client.get("/records.csv").content.decode("utf-8-sig"))))
    assert len(rows) == 11
    assert {len(row) for row in rows} == {len(rows[0])}


def test_an_export_ends_where_a_key_is_damaged(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    fill(url, RECORDS)
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        # Above all others, while that of its crawl and link is not.
        connection.execute(
            "UPDATE template_records SET key = X'7A' WHERE url = ?", [RECORDS[0].url]
        )
    with client_of(site_over(url, tmp_path)) as client:
        found = client.get("/records.json").json()
    assert sorted(one["url"] for one in found) == sorted(one.url for one in RECORDS[:4])
