"""The matrix, the table of the morning, and the table of quotes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from html import unescape

import pytest
from openpyxl import load_workbook
from starlette.testclient import TestClient

from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.prices import quote_pages
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import client_of, fill, site_over
from tests.web.prices.conftest import FIRST, LAST, bulletin, priced


def rows_of(client: TestClient, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).content.decode("utf-8-sig"))))


def test_the_matrix_has_a_row_an_entity_and_a_column_a_day(four_weeks: TestClient) -> None:
    rows = rows_of(four_weeks, "/prices/matrix.csv?since=2026-02-01")
    assert [row["entity"] for row in rows] == ["长春", "邹平", "寿光", "诸城"]
    assert list(rows[0])[3:5] == [str(LAST), str(LAST - timedelta(days=1))]
    assert (rows[2]["2026-02-01"], rows[2]["2026-02-07"], rows[2][str(LAST)]) == (
        "2000.0",
        "",
        "2027.0",
    )
    text = four_weeks.get("/prices/matrix?since=2026-02-01").text
    # Not by colour alone.
    assert "rise1" in text
    assert "▲1" in text
    # After three days without a price it is not the day before that a price is compared with.
    assert "▲4" in text
    assert "较上次报价的涨跌" in text
    english = four_weeks.get("/prices/matrix", headers={"Accept-Language": "en"}).text
    assert "changes against the last price before" in english
    book = load_workbook(io.BytesIO(four_weeks.get("/prices/matrix.xlsx?province=吉林").content))
    assert [row[0].value for row in book.active.iter_rows()] == ["entity", "长春"]


def test_the_morning_is_sorted_by_a_column(site: WebSite) -> None:
    second = FIRST + timedelta(days=1)
    fill(
        site.store_url,
        [
            bulletin(FIRST, [priced(n, FIRST, p) for n, p in (("寿光", 2000), ("诸城", 2000))]),
            bulletin(
                second,
                [priced(n, second, p) for n, p in (("寿光", 2010), ("诸城", 1950), ("邹平", 2000))],
            ),
        ],
    )
    with client_of(site) as client:
        rows = rows_of(client, "/prices/morning.csv?sort=day")
        assert [(row["entity"], row["day_change"]) for row in rows] == [
            ("诸城", "-50.0"),
            ("寿光", "10.0"),
            ("邹平", ""),
        ]


def test_the_table_of_quotes_filters_and_pages(four_weeks: TestClient) -> None:
    assert "共 104 条" in four_weeks.get("/prices/quotes").text
    second = four_weeks.get("/prices/quotes?page=2").text
    assert second.count('<td class="d"') == 4
    assert "2026-02-01" in second
    assert four_weeks.get("/prices/quotes?page=9").status_code == 200
    assert len(rows_of(four_weeks, "/prices/quotes.csv?flag=flagged")) == 4
    assert len(rows_of(four_weeks, "/prices/quotes.csv?province=山东&city=滨州")) == 26
    # The quote of an article that is gone is nowhere.
    assert all(row["price_low"] != "9999.0" for row in rows_of(four_weeks, "/prices/quotes.csv"))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a site with two goods and an average, each with two flagged quotes, one of an old day."""
    kinds = {"寿光": {}, "山东均价": {"entity_type": "average"}, "邹平": {"commodity": "小麦"}}
    flags = {0: "", -1: "odd", -399: "odd", -400: ""}
    days = {FIRST + timedelta(days=place): flag for place, flag in flags.items()}
    quotes = {
        day: [priced(name, day, 2000, flag=flag, **more) for name, more in kinds.items()]
        for day, flag in days.items()
    }
    folder = tmp_path_factory.mktemp("mixed")
    url = sqlite_url(folder / "store.sqlite")
    fill(url, [bulletin(day, found) for day, found in quotes.items()])
    site = site_over(url, folder)
    with closing(site.database), client_of(site) as client:
        yield client


@pytest.mark.parametrize(
    ("choice", "count", "commodity", "kind"),
    [
        ("", 8, "全部品种", "不含均价与分组"),
        ("commodity=all&kind=all", 12, "全部品种", "全部类型"),
        ("commodity=小麦", 4, "小麦", "不含均价与分组"),
        ("commodity=玉米&kind=average&flag=flagged", 2, "玉米", "均价"),
        ("entity=山东均价", 4, "全部品种", "不含均价与分组"),
    ],
)
def test_the_form_names_what_the_table_of_quotes_has(
    choice: str, count: int, commodity: str, kind: str, mixed: TestClient
) -> None:
    text = mixed.get(f"/prices/quotes?{choice}").text
    assert f"共 {count} 条" in text
    assert re.findall(r" selected>([^<]+)</option>", text)[0] == commodity
    assert f" selected>{kind}</option>" in text
    assert commodity in re.search("<h1>(.*)</h1>", text)[1]  # type: ignore[index]
    assert len(rows_of(mixed, f"/prices/quotes.csv?{choice}")) == count


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("", 1), ("kind=all", 2), ("entity=寿光&province=吉林", 1), ("since=2020-01-01", 2)],
)
def test_the_flagged_quotes_are_as_many_as_said(
    choice: str, expected: int, mixed: TestClient
) -> None:
    text = mixed.get(f"/prices?commodity=玉米&{choice}").text
    link, share, whole = re.search(  # type: ignore[union-attr]
        'class="flag" href="([^"]*)">([^<]*)%</a> \\(共 (\\d+) 条', text
    ).groups()
    flagged = round(float(share) * int(whole) / 100)
    assert f"共 {flagged} 条" in mixed.get(unescape(link)).text
    assert flagged == expected


def test_the_quotes_of_the_provenance_are_in_its_file(four_weeks: TestClient) -> None:
    for page in ("/prices", "/prices/matrix", "/prices/morning"):
        found = four_weeks.get(f"{page}.json").json()["provenance"]
        assert len(rows_of(four_weeks, found["quotes_csv"])) == found["quotes"], page


def test_json_has_sentences_and_provenance(four_weeks: TestClient) -> None:
    found = four_weeks.get("/prices/quotes.json?entity=长春&since=2026-02-27").json()
    assert [row["span"] for row in found["quotes"]] == ["长春2057元/吨", "长春2056元/吨"]
    assert found["provenance"]["count"] == 2
    assert found["provenance"]["filters"] == {"entity": "长春", "since": "2026-02-27"}
    assert found["quotes"][0]["article_url"].startswith("http://demo.example/")
    whole = four_weeks.get("/prices.json?entity=长春").json()["provenance"]
    assert whole["sites"] == ["demo"]
    assert whole["snapshot"]


def test_a_point_with_several_quotes_leads_to_all_of_them(site: WebSite) -> None:
    quotes = [priced("寿光", FIRST, 2000), priced("寿光", FIRST, 2020), priced("诸城", FIRST, 1990)]
    fill(site.store_url, [bulletin(FIRST, quotes)])
    with client_of(site) as client:
        one = client.get(f"/prices/points?commodity=玉米&entity=诸城&day={FIRST}")
        assert one.headers["location"] == f"/prices/quotes/{bulletin(FIRST, []).url_md5}/2"
        several = client.get(f"/prices/points?commodity=玉米&entity=寿光&day={FIRST}")
        assert len(client.get(several.headers["location"]).text.split('<td class="d"')) == 3
        assert client.get("/prices/points?entity=寿光&day=2026-02-30").status_code == 400


def test_an_export_of_several_parts(
    four_weeks: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quote_pages, "AT_ONCE", 50)
    found = four_weeks.get("/prices/quotes.json").json()["quotes"]
    expected = rows_of(four_weeks, "/prices/quotes.csv")
    assert [row["quote"] for row in found] == [row["quote"] for row in expected]
    assert len(found) == 104
