"""The table of the morning: what it has, its order, pinned rows, saved views, and doubtful prices."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

import pytest
from starlette.testclient import TestClient

from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.prices import own_views
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, client_of, fill, log_in
from tests.web.prices.conftest import FIRST, LAST, PLACES, bulletin, priced, weeks


def names_of(client: TestClient, query: str = "") -> list[str]:
    text = client.get(f"/prices/morning?{query}").text
    return re.findall(r">([^<>]+)</a></th>", text.partition("<tbody>")[2])


def test_shows_the_newest_day_and_who_is_missing(site: WebSite) -> None:
    after = LAST + timedelta(days=1)
    newest = [priced("寿光", after, 2037), priced("锦州港", after, 2300, entity_type="port")]
    fill(site.store_url, [*weeks(), bulletin(after, newest)])
    with client_of(site) as client:
        assert names_of(client) == ["长春", "邹平", "寿光", "诸城", "锦州港"]
        text = client.get("/prices/morning?since=2026-02-01").text
        assert text.count('class="dim">未报') == 3
        own = text.partition(">寿光</a>")[2].partition("</tr>")[0]
        assert re.findall(r">([0-9,▲+▼− ]+)</", own)[:4] == ["2,027", "2,037", "▲ +10", "▲ +16"]
        table = client.get("/prices/morning.csv").content.decode("utf-8-sig")
        rows = {row["entity"]: row for row in csv.DictReader(io.StringIO(table))}
        assert (rows["寿光"]["previous"], rows["寿光"]["price"]) == ("2027.0", "2037.0")
        assert rows["诸城"]["date"] == str(LAST)
        found = client.get("/prices/morning.json?sort=-price").json()["rows"]
        assert [row["entity"] for row in found][:2] == ["锦州港", "长春"]
        assert names_of(client, "group=port") == ["锦州港"]
        assert names_of(client, "find=jzg") == ["锦州港"]


def test_changes_up_to_an_older_day_are_told_and_sorted_last(site: WebSite) -> None:
    """They stood among the changes of the newest day, and 前价 was in the file only."""
    after = LAST + timedelta(days=1)
    fill(site.store_url, [*weeks(), bulletin(after, [priced("寿光", after, 2037)])])
    with client_of(site) as client:
        for sort in ("day", "-day", "week", "-week", "year", "-year"):
            assert names_of(client, f"sort={sort}")[0] == "寿光", sort
            (found, *_) = client.get(f"/prices/morning.json?sort={sort}").json()["rows"]
            assert found["entity"] == "寿光", sort
        text = client.get("/prices/morning").text
        table = client.get("/prices/morning.csv").content.decode("utf-8-sig")
        for row in csv.DictReader(io.StringIO(table)):
            own = text.partition(f">{row['entity']}</a>")[2].partition("</tr>")[0]
            previous = re.search(r'<td class="n[^>]*>([0-9,.]+)</td>', own)
            assert previous
            assert float(previous[1].replace(",", "")) == float(row["previous"])
            told = own.count(f'class="n missing" title="{row["date"]}"')
            assert told == (0 if row["date"] == str(after) else 5), row


def test_the_largest_changes_of_both_directions_come_first(site: WebSite) -> None:
    """An order by signed changes has the largest falls and rises at two ends."""
    after = LAST + timedelta(days=1)
    moved = zip(PLACES, (2, -50, 30, -4), strict=True)
    prices = [
        priced(entity, after, 2027 + 10 * rank + by) for rank, (entity, by) in enumerate(moved)
    ]
    fill(site.store_url, [*weeks(), bulletin(after, prices)])
    with client_of(site) as client:
        for column in ("day", "week"):
            orders = []
            text = client.get("/prices/morning").text
            for _ in range(3):
                link = re.search(rf'href="([^"]*sort=-?{column}(?:_size)?)"', text)
                assert link
                text = client.get(link[1]).text
                orders.append(re.findall(r">([^<>]+)</a></th>", text.partition("<tbody>")[2]))
                (told,) = re.findall('aria-sort="(.*?)"', text)
                assert told == ("other", "descending", "ascending")[len(orders) - 1]
            assert orders[0] == ["诸城", "邹平", *orders[0][2:]]
            assert orders[1] == ["邹平", "寿光", "长春", "诸城"] == orders[2][::-1]
        rows = client.get("/prices/morning.json?sort=day_size").json()["rows"]
        assert [row["day_change"] for row in rows] == [2, -4, 30, -50]


@pytest.mark.parametrize(
    ("sort", "first"),
    [("price", "寿光"), ("-price", "长春"), ("place", "长春"), ("-name", "长春"), ("year", "长春")],
)
def test_each_head_sorts(sort: str, first: str, four_weeks: TestClient) -> None:
    assert names_of(four_weeks, f"sort={sort}")[0] == first
    assert 'aria-sort="' in four_weeks.get(f"/prices/morning?sort={sort}").text


def test_a_wrong_order_is_refused(four_weeks: TestClient) -> None:
    for query in ("sort=drop", "sort=--day", "group=x", "page=0"):
        assert four_weeks.get(f"/prices/morning?{query}").status_code == 400, query
    assert "没有报价" in four_weeks.get("/prices/morning?find=无此名").text


def test_the_chart_of_a_row_is_beside_the_table(four_weeks: TestClient) -> None:
    text = four_weeks.get("/prices/morning?entity=长春&sort=-day").text
    assert names_of(four_weeks, "entity=长春") == names_of(four_weeks)
    assert ">长春 玉米</a></h2>" in text.partition('id="beside"')[2]


def test_users_pin_rows_and_save_views(site: WebSite, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(site.store_url, weeks())
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.READER)
        # Twice, as from two tabs.
        for _ in range(2):
            data = {"entity": "长春", "pinned": "1", "next": "/prices/morning?sort=price"}
            answer = client.post("/prices/kept", data=data)
            assert answer.headers["location"] == "/prices/morning?sort=price"
        view = {"title": "<b>干</b>", "address": "/prices?moisture=dry", "next": "//evil"}
        assert client.post("/prices/kept", data=view).headers["location"] == "/"
        assert names_of(client, "sort=price")[0] == "长春"
        assert "&lt;b&gt;干" in client.get("/prices/morning").text
        evil = view | {"title": "x", "address": "//evil.example/"}
        client.post("/prices/kept", data=evil)
        assert "evil.example" not in client.get("/prices/morning").text
        monkeypatch.setattr(own_views, "MOST", 1)
        assert (
            client.post("/prices/kept", data={"entity": "寿光", "pinned": "1"}).status_code == 400
        )
        log_in(client, Role.ANALYST)
        assert "&lt;b&gt;干" not in client.get("/prices/morning").text
        # Another user's view of the same title stays.
        client.post("/prices/kept", data={"title": "<b>干</b>"})
        log_in(client, Role.READER)
        assert "&lt;b&gt;干" in client.get("/prices/morning").text
        client.post("/prices/kept", data={"entity": "长春", "pinned": "0"})
        assert names_of(client, "sort=price")[0] == "寿光"


def test_doubtful_prices_of_today_are_marked_until_decided(site: WebSite) -> None:
    after = LAST + timedelta(days=1)
    odd = [
        priced("寿光", after, 4500),
        priced("诸城", after, 2100, flag="odd"),
        priced("邹平", after, 2050),
    ]
    fill(site.store_url, [*weeks(), bulletin(after, odd)])
    add_users(site)
    with client_of(site) as client:
        log_in(client, Role.EDITOR)
        paths = re.findall(r'class="flag" href="([^"]+)"', client.get("/prices/morning").text)
        article = bulletin(after, []).url_md5
        assert sorted(paths) == [f"/prices/quotes/{article}/0", f"/prices/quotes/{article}/1"]
        page = client.get(paths[0]).text
        shown = re.search(r'name="shown" value="([^"]*)"', page)
        assert shown
        verdict = {"verdict": "confirmed", "shown": shown[1]}
        assert client.post(paths[0], data=verdict).status_code == 303
        left = re.findall(r'class="flag" href="([^"]+)"', client.get("/prices/morning").text)
        assert left == paths[1:]


def test_a_day_with_one_series(site: WebSite) -> None:
    fill(site.store_url, [bulletin(FIRST, [priced("寿光", FIRST, 2000)])])
    with client_of(site) as client:
        assert names_of(client, "find=s&sort=-week") == ["寿光"]
        assert client.get("/prices/morning?page=99").status_code == 200
