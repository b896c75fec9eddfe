"""The first page of the prices, as a page and as data."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_store import AlarmRule, MoveUnit, RuleKind
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, client_of, fill, log_in
from tests.web.prices.conftest import FIRST, LAST, bulletin, weeks


def chart_of(client: TestClient, query: str) -> dict[str, Any]:
    found = re.search(r'id="prices-chart">(.*?)</script>', client.get(f"/prices?{query}").text)
    assert found
    chart: dict[str, Any] = json.loads(found[1])
    return chart


def days_of(client: TestClient, address: str) -> dict[str, dict[str, object]]:
    return {row["date"]: row for row in client.get(address).json()["days"]}


def test_shows_the_median_and_why_a_day_has_none(four_weeks: TestClient) -> None:
    answer = four_weeks.get("/prices")
    assert answer.status_code == 200
    days = days_of(four_weeks, "/prices.json")
    assert len(days) == 28
    assert days["2026-02-01"]["price"] == 2015
    assert days[str(LAST)] | {"quotes": ""} == {
        "date": str(LAST),
        "commodity": "玉米",
        "region": "",
        "entity": "",
        "price": 2042,
        "low": 2027,
        "high": 2057,
        "median": 2042,
        "lower_tenth": 2030,
        "upper_tenth": 2054,
        "entities": 4,
        "unit": "yuan/ton",
        "missing_because": "",
        "quotes": "",
    }
    causes = {day: row["missing_because"] for day, row in days.items() if row["price"] is None}
    assert causes == {
        "2026-02-06": "unknown",
        "2026-02-07": "incomplete",
        "2026-02-08": "flagged",
    }
    for text in ("有文章不完整", "报价均存疑", "原因不明", "2,042"):
        assert text in answer.text


def test_chooses_region_entity_days_and_unit(four_weeks: TestClient) -> None:
    address = "/prices.json?province=山东&city=潍坊&since=2026-02-10&until=2026-02-11&unit=jin"
    days = days_of(four_weeks, address)
    assert [(day, row["price"]) for day, row in sorted(days.items())] == [
        ("2026-02-10", 1.007),
        ("2026-02-11", 1.0075),
    ]
    own = days_of(four_weeks, "/prices.json?entity=长春&since=2026-02-10")
    assert own["2026-02-10"]["price"] == 2039
    assert own["2026-02-10"]["median"] == 2024
    assert "/prices/points" in str(own["2026-02-10"]["quotes"])


@pytest.mark.parametrize(
    ("choice", "heading", "price", "day"),
    [
        ("", "最新价", "2,042", "2026-02-28"),
        # Flagged, so that there is no price.
        ("until=2026-02-08", "期末价", "2,019", "2026-02-05"),
        ("until=2026-02-08&entity=寿光", "期末价", "2,004", "2026-02-05"),
        ("until=2026-02-10", "期末价", "2,024", "2026-02-10"),
        ("until=2030-01-01", "最新价", "2,042", "2026-02-28"),
    ],
)
def test_the_newest_price_and_the_changes_are_of_one_day(
    choice: str, heading: str, price: str, day: str, four_weeks: TestClient
) -> None:
    text = four_weeks.get(f"/prices?{choice}").text
    line = text.partition('class="newest"')[2].partition("</p>")[0]
    assert (heading in line, f"<strong>{price}</strong>" in line, day in line) == (True,) * 3


def test_csv_has_each_quote_with_its_article(four_weeks: TestClient) -> None:
    answer = four_weeks.get("/prices.csv?until=2026-02-02&entity=寿光")
    assert answer.headers["content-disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [(row["date"], row["price_low"]) for row in rows] == [
        ("2026-02-02", "2001.0"),
        ("2026-02-01", "2000.0"),
    ]
    first = bulletin(FIRST, [])
    assert rows[1]["article_url"] == first.url
    assert rows[1]["quote"] == f"http://127.0.0.1/prices/quotes/{first.url_md5}/0"


WRONG = (
    "since=2026-02-30",
    "since=1700000000",
    "until=x",
    "since=2026-03-02&until=2026-03-01",
    "unit=kg",
    "view=x",
    "page=0",
    "page=99999999999999999999",
    "entity=" + "x" * 300,
)


def test_wrong_values_give_one_line(four_weeks: TestClient) -> None:
    answers = {query: four_weeks.get(f"/prices?{query}") for query in WRONG}
    assert {query: one.status_code for query, one in answers.items()} == dict.fromkeys(WRONG, 400)
    assert all('class="reason"' in one.text for one in answers.values())


@pytest.mark.parametrize("choice", ["commodity=铁", "entity=无", "province=无", "since=2030-01-01"])
def test_an_unknown_choice_shows_that_there_is_nothing(four_weeks: TestClient, choice: str) -> None:
    answer = four_weeks.get(f"/prices?{choice}")
    assert answer.status_code == 200
    assert "没有" in answer.text
    assert four_weeks.get(f"/prices.json?{choice}").json()["days"] == []
    assert four_weeks.get(f"/prices.csv?{choice}").text.count("\n") == 1


def test_an_empty_store_says_so(client: TestClient) -> None:
    assert "还没有报价" in client.get("/prices").text
    assert client.get("/prices/quotes").status_code == 200


def test_readers_see_but_do_not_export(site: WebSite) -> None:
    fill(site.store_url, weeks(1))
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.READER)
        assert ".csv" not in client.get("/prices").text
        assert client.get("/prices.csv").status_code == 403
        log_in(client, Role.ANALYST)
        assert ".csv" in client.get("/prices").text


def test_the_thresholds_of_alarms_of_just_what_is_shown(site: WebSite) -> None:
    fill(site.store_url, weeks())
    about = {"kind": RuleKind.PRICE, "commodity": "玉米"}
    rules = [
        AlarmRule(**about, entity="寿光", amount=3),
        AlarmRule(**about, entity="诸城", amount=3),
        AlarmRule(**about, region="山东", amount=50, unit=MoveUnit.YUAN, days=2),
        AlarmRule(kind=RuleKind.FAILED),
    ]
    for rule in rules:
        site.database.run_now(alarm_store.add_rule, Author("test", ""), rule, "")
    with client_of(site) as client:
        # The last week goes from 2,021 to 2,027, the median of Shandong's last two days from 2,036 to 2,037.
        levels = [["预警 −3 %（7 天）", 1966.2], ["预警 +3 %（7 天）", 2081.6]]
        assert chart_of(client, "entity=寿光")["levels"] == levels
        half = [[name, value / 2000] for name, value in levels]
        assert chart_of(client, "entity=寿光&unit=jin")["levels"] == half
        names = ["预警 −50 元/吨（2 天）", "预警 +50 元/吨（2 天）"]
        assert chart_of(client, "province=山东")["levels"] == [[names[0], 1987], [names[1], 2086]]
        for query in ("", "entity=长春", "province=山东&kind=firm",
                      "entity=寿光&until=2026-02-20", "entity=寿光&view=years"):  # fmt: skip
            assert chart_of(client, query)["levels"] == [], query
        assert client.get("/prices.json?entity=寿光").json()["chart"]["levels"] == levels
        plain = client.get("/prices.png?entity=长春").content
        assert len(client.get("/prices.png?entity=寿光").content) > len(plain) / 2
        # Another rule is seen at once, also where the page is kept.
        site.database.run_now(alarm_store.add_rule, Author("test", ""), rules[0], "")
        assert len(chart_of(client, "entity=寿光")["levels"]) == 4
        beside = client.get("/prices/morning?entity=寿光").text
        assert "预警 −3 %（7 天）" in beside


def test_the_week_of_spring_festival_is_marked(four_weeks: TestClient) -> None:
    chart = chart_of(four_weeks, "")
    assert chart["holidays"] == [["2026-02-17", "2026-02-23", "春节"]]
    assert chart_of(four_weeks, "entity=寿光&entity=长春")["holidays"] == chart["holidays"]
    assert chart_of(four_weeks, "until=2026-02-10")["holidays"] == []
    assert chart_of(four_weeks, "view=festival")["holidays"] == []
