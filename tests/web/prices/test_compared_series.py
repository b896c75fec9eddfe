"""Several series in one chart: what is compared, in all forms, and bad choices."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from urllib.parse import quote

import pytest
from openpyxl import load_workbook
from starlette.testclient import TestClient

from focuscrawl.web.query_values import with_query
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import client_of, fill
from tests.web.prices.conftest import FIRST, LAST, bulletin, priced, weeks

TWO = "entity=寿光&entity=长春"


def rows_of(client: TestClient, query: str) -> dict[tuple[str, str], float]:
    text = client.get(f"/prices.csv?{query}").content.decode("utf-8-sig")
    return {
        (row["series"], row["date"]): float(row["value"])
        for row in csv.DictReader(io.StringIO(text))
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (TWO, {"寿光": 2027, "长春": 2057}),
        (f"{TWO}&province=山东", {"寿光": 2027, "长春": 2057, "山东": 2037}),
        ("province=山东&province=吉林", {"山东": 2037, "吉林": 2057}),
        ("city=潍坊&city=滨州", {"潍坊": 2032, "滨州": 2047}),
        (f"{TWO}&compare=difference", {"长春 − 寿光": 30}),
        (f"{TWO}&compare=ratio", {"长春 ÷ 寿光": 1.0148}),
        (f"{TWO}&compare=index&since=2026-02-01", {"寿光": 101.35, "长春": 101.33}),
        (f"{TWO}&unit=jin&compare=difference", {"长春 − 寿光": 0.015}),
    ],
)
def test_each_value_of_the_address_is_a_series(
    query: str, expected: dict[str, float], four_weeks: TestClient
) -> None:
    rows = rows_of(four_weeks, query)
    assert {name: value for (name, day), value in rows.items() if day == str(LAST)} == expected
    found = four_weeks.get(f"/prices.json?{query}").json()
    assert {(row["series"], row["date"]): row["value"] for row in found["days"]} == rows
    lines = found["chart"]["lines"]
    assert sum(value is not None for line in lines for value in line["values"]) == len(rows)
    assert four_weeks.get(f"/prices.png?{query}").content[:4] == b"\x89PNG"
    assert four_weeks.get(f"/prices.xlsx?{query}").content[:2] == b"PK"
    page = four_weeks.get(f"/prices?{query}").text
    assert all(name in page for name in expected)


def test_wet_and_dry_goods_share_no_median(site: WebSite) -> None:
    quotes = [
        priced(name, FIRST, price, moisture=moisture)
        for name, price, moisture in (
            ("寿光", 2000, "30%"),
            ("诸城", 2200, "14%以内"),
            ("邹平", 2100, ""),
        )
    ]
    fill(site.store_url, [bulletin(FIRST, quotes)])
    with client_of(site) as client:
        both = rows_of(client, "moisture=wet&moisture=dry")
        assert sorted(both.values()) == [2000, 2200]
        assert client.get("/prices.json?moisture=dry").json()["days"][0]["price"] == 2200
        rows = client.get("/prices/morning.csv?moisture=wet").text.splitlines()
        assert len(rows) == 2
        assert "寿光" in rows[1]
        assert client.get("/prices/quotes.json?moisture=wet").json()["provenance"]["count"] == 1
        for page in ("/prices", "/prices/quotes"):
            table = io.StringIO(client.get(f"{page}.csv").content.decode("utf-8-sig"))
            told = {row["entity"]: row["moisture"] for row in csv.DictReader(table)}
            assert told == {"寿光": "wet", "诸城": "dry", "邹平": ""}, page
            book = load_workbook(io.BytesIO(client.get(f"{page}.xlsx").content))
            sheet = book.worksheets[0]
            assert "moisture" in [cell.value for cell in sheet[1]], page


@pytest.mark.parametrize(
    ("moisture", "condition", "classes"),
    [
        ("14%–30%", "", ""),
        ("14%–30%", "潮粮", "wet"),
        ("", "水运", ""),
        ("", "干净，毛猪", ""),
        ("", "毛粮", "wet"),
    ],
)
def test_what_says_no_moisture_is_in_no_class(
    moisture: str, condition: str, classes: str, site: WebSite
) -> None:
    quote = priced("寿光", FIRST, 2000, moisture=moisture, goods_condition=condition)
    fill(site.store_url, [bulletin(FIRST, [quote])])
    with client_of(site) as client:
        for name in ("dry", "wet"):
            found = client.get(f"/prices.json?moisture={name}").json()["days"]
            assert len(found) == (name == classes), name
        assert client.get("/prices/morning.json").json()["rows"][0]["moisture"] == classes


def test_the_basis_of_a_port_against_a_futures_contract(site: WebSite) -> None:
    quotes = [
        priced("锦州港", FIRST, 2300, entity_type="port"),
        priced("1301合约", FIRST, 2250, entity_type="other"),
        priced("地区饲料厂", FIRST, 2400, entity_type="other"),
    ]
    fill(site.store_url, [bulletin(FIRST, quotes)])
    with client_of(site) as client:
        # It is left out of the region, but found by its group and by its name.
        assert client.get("/prices.json").json()["days"][0]["price"] == 2300
        rows = client.get("/prices/morning.json?group=futures").json()["rows"]
        assert [(row["entity"], row["group"]) for row in rows] == [("1301合约", "futures")]
        assert "期货" in client.get("/prices/suggest?find=130&at=/prices").text
        basis = "entity=1301合约&entity=锦州港&compare=difference"
        assert rows_of(client, basis) == {("锦州港 − 期货 1301合约", str(FIRST)): 50}
        english = client.get("/prices?entity=1301合约", headers={"Accept-Language": "en"}).text
        assert "<h1>Futures 1301合约 玉米</h1>" in english


def test_a_series_without_prices_is_named(four_weeks: TestClient) -> None:
    page = four_weeks.get("/prices?entity=寿光&entity=无此主体").text
    assert "所选日期内没有价格：无此主体" in page
    nothing = four_weeks.get("/prices?entity=无&entity=没有")
    assert (nothing.status_code, "没有报价" in nothing.text) == (200, True)
    assert four_weeks.get("/prices.png?entity=无&entity=没有").status_code == 200


def test_sixty_series_and_too_many(site: WebSite) -> None:
    names = [f"第{number}厂" for number in range(60)]
    day = FIRST + timedelta(days=1)
    fill(site.store_url, [bulletin(day, [priced(n, day, 2000 + i) for i, n in enumerate(names)])])
    many = "&".join(f"entity={name}" for name in names)
    with client_of(site) as client:
        assert len(rows_of(client, many)) == 60
        assert len(rows_of(client, f"{many}&compare=difference")) == 59
        assert client.get(f"/prices.png?{many}").status_code == 200
        # Each address is written once, not once for every other one.
        assert len(client.get(f"/prices?{many}").content) < 60_000
        refused = client.get(f"/prices?{many}&moisture=wet&moisture=dry")
        assert (refused.status_code, "120 个序列" in refused.text) == (400, True)


@pytest.mark.parametrize("page", ["matrix", "quotes", "morning", "matrix.csv", "morning.json"])
def test_other_pages_refuse_what_they_do_not_compare(page: str, four_weeks: TestClient) -> None:
    answer = four_weeks.get(f"/prices/{page}?{TWO}")
    assert (answer.status_code, "entity 给了不止一次" in answer.text) == (400, True)


@pytest.mark.parametrize("query", ["", TWO, "entity=寿光", "province=a&province=b"])
def test_an_empty_store_has_nothing_to_compare(query: str, client: TestClient) -> None:
    for page in ("/prices", "/prices.json", "/prices.png", "/prices.csv"):
        assert client.get(f"{page}?{query}").status_code == 200, page
    assert "还没有报价" in client.get("/prices/morning").text


def test_one_quote_is_a_chart(site: WebSite) -> None:
    fill(site.store_url, [bulletin(FIRST, [priced("寿光", FIRST, 2000)])])
    with client_of(site) as client:
        assert rows_of(client, "entity=寿光&entity=无") == {("寿光", str(FIRST)): 2000}
        assert rows_of(client, "entity=寿光&entity=无&compare=difference") == {}
        for page in ("/prices", "/prices.png", "/prices/morning", "/prices/morning.json"):
            assert client.get(page).status_code == 200


def test_the_search_box_adds_what_it_finds(site: WebSite) -> None:
    port = [priced("青島港", FIRST, 2100, entity_type="port", province="山东", city="青岛")]
    fill(site.store_url, [*weeks(1), bulletin(FIRST + timedelta(days=99), port)])
    with client_of(site) as client:
        # The only one of the name is added at once, also without JavaScript.
        for text in ("青岛港", "qdg"):
            answer = client.get(f"/prices?entity=寿光&find={text}")
            wanted = f"/prices?entity={quote('寿光')}&entity={quote('青島港')}"
            assert (answer.status_code, answer.headers["location"]) == (303, wanted)
        # Without a choice of its own, a name in the other script is the same one.
        assert "青島港" in client.get("/prices?entity=青岛港").text
        several = client.get("/prices/suggest?find=c&at=/prices/quotes&entity=寿光").text
        assert f"/prices/quotes?entity={quote('长春')}" in several
        assert "<html" not in several
        assert client.get("/prices/suggest?find=&at=//evil").text.count("href") == 0


def test_the_search_box_says_what_it_does_not_find(four_weeks: TestClient) -> None:
    for page in ("/prices?", f"/prices?{TWO}&", "/prices/matrix?", "/prices/quotes?"):
        assert "没有找到“&lt;无&gt;”" in four_weeks.get(f"{page}find=<无>").text, page
        assert "没有找到" not in four_weeks.get(f"{page}find=+").text, page
    typed = "/prices/suggest?at=/prices"
    assert "没有找到“&lt;无&gt;”" in four_weeks.get(f"{typed}&find=<无>").text
    for text in ("", " ", "长"):
        assert "没有找到" not in four_weeks.get(f"{typed}&find={text}").text, text


def test_addresses_keep_repeated_values() -> None:
    here = "/prices?entity=a&entity=b&unit=jin"
    assert with_query(here, unit=None, page=2) == "/prices?entity=a&entity=b&page=2"
    assert with_query(here, entity=["b"]) == "/prices?entity=b&unit=jin"
