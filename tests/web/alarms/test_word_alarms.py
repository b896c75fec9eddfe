"""Rules about words: what arrives is found once, in SQLite and MySQL, and told within bounds."""

from __future__ import annotations

import json
import re
from asyncio import CancelledError, gather
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from starlette.testclient import TestClient

from focuscrawl.items import FoundValue, Record
from focuscrawl.stores.database_urls import database_at
from focuscrawl.summary.report_mail import mail_target
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.alarms import alarm_runner, alarm_store, word_alarms
from focuscrawl.web.alarms.alarm_runner import look_for_words, watch
from focuscrawl.web.alarms.alarm_store import Alarm, StoredRule
from focuscrawl.web.alarms.word_alarms import SHOWN
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.web_site import WebSite
from tests.servers.mail_server import mail_server
from tests.stores.record_examples import (
    article,
    gone,
    incomplete,
    numbered,
    own,
    page,
    template_record,
)
from tests.web.alarms.test_alarm_pages import shown
from tests.web.conftest import add_users, client_of, fill, log_in, run_async, served, site_over

RULE = {"kind": "words", "words": "干旱 玉米"}
TEXT = "河南乾旱，玉米減產"
OLD = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WebSite]:
    """A site with users over a store with an old article that has the words, all in one kind of database."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/store.sqlite"
        fill(url, [article("old", text=TEXT)])
        site = site_over(url, tmp_path)
    else:
        url = request.getfixturevalue("mysql_url")
        fill(url, [article("old", text=TEXT)])
        database = WebDatabase(url)
        database.create()
        site = WebSite(database_at(url), url, database, tmp_path, is_alone=True)
    add_users(site)
    with closing(site.database):
        yield site


def make_rule(place: WebSite, **fields: Any) -> StoredRule:
    """Make a rule in the browser."""
    with client_of(place) as client:
        log_in(client, Role.OPERATOR)
        assert client.post("/alarms/rules", data=RULE | fields).status_code == 303
    return rules_of(place)[-1]


def rules_of(site: WebSite) -> list[StoredRule]:
    return site.database.run_now(alarm_store.all_rules)


def found(site: WebSite, *records: Record, rules: list[StoredRule] | None = None) -> list[Alarm]:
    """Write records and evaluate the rules."""
    if records:
        fill(site.store_url, records)

    async def work() -> list[Alarm]:
        await site.store.open()
        try:
            return await look_for_words(site, rules or rules_of(site))
        finally:
            await site.store.close()

    return run_async(work())


def names(alarms: list[Alarm]) -> list[tuple[int, list[str]]]:
    return [(one.rule, sorted(named["url"] for named in one.values["found"])) for one in alarms]


EVERY = [
    article("late", text=TEXT, fetched_at=OLD),
    numbered(7, body_text=TEXT, fetched_at=OLD),
    page(8, text=TEXT),
    own(9, item=json.dumps({"text": TEXT}, ensure_ascii=False)),
    template_record(4, title=TEXT),
]


def test_each_new_record_is_found_once_however_late_it_is_written(place: WebSite) -> None:
    make_rule(place)
    make_rule(place, kinds=["page", "item"])
    make_rule(place, site="n.example", words="旱 玉米")
    assert found(place) == []
    alarms = found(place, *EVERY, article("other"), numbered(3))
    assert names(alarms) == [
        (1, sorted(one.url for one in EVERY)),
        (2, sorted(one.url for one in EVERY[2:4])),
        (3, [EVERY[1].url]),
    ]
    assert found(place, *EVERY) == []
    assert found(place, article("gone", text=TEXT), gone("gone")) == []
    stored = place.database.run_now(alarm_store.newest_alarms, 9)
    assert [one.sent for one in stored] == [[], [], []]


def test_an_article_in_parts_is_found_when_its_words_are_there_and_once(place: WebSite) -> None:
    make_rule(place)
    assert found(place, incomplete("slow"), incomplete("titled", title=TEXT)) != []
    (alarm,) = found(place, article("slow", text=TEXT), article("titled", text=TEXT))
    assert names([alarm]) == [(1, [article("slow").url])]


def test_changed_records_count_if_the_rule_says_so(place: WebSite) -> None:
    make_rule(place)
    make_rule(place, with_changed="true")
    assert found(place, article(1), template_record(1)) == []
    later = datetime.now(UTC)
    value = FoundValue(field="name", title="名称", value=TEXT, raw=TEXT, confidence=0.9)
    of_record = {"values": [value], "region_md5": "b" * 32, "window": 2}
    changed = [article(1, text=TEXT, fetched_at=later), template_record(1, fetched_at=later, **of_record)]  # fmt: skip
    assert names(found(place, *changed)) == [(2, sorted(one.url for one in changed))]
    assert found(place, *changed) == []
    again = article(1, text=f"{TEXT}。", fetched_at=later + timedelta(days=1))
    assert names(found(place, again)) == [(2, [again.url])]


def test_a_kill_loses_nothing_and_two_servers_find_it_once(
    place: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = [make_rule(place)]
    with monkeypatch.context() as patch:
        patch.setattr(word_alarms, "add_alarms", Mock(side_effect=SystemExit))
        with pytest.raises(SystemExit):
            found(place, EVERY[0])
    assert place.database.run_now(alarm_store.newest_alarms, 9) == []
    # Another server has the same rule in hand; and has logged the same before it is done.
    last, known = place.database.run_now(word_alarms._logged)
    assert names(found(place, rules=stale)) == [(1, [EVERY[0].url])]
    assert found(place, rules=stale) == []
    assert found(place, EVERY[1], rules=stale) == []
    assert names(found(place)) == [(1, [EVERY[1].url])]
    assert place.database.run_now(word_alarms._log, last, [("page", bytes(16))]) is False
    assert known["article"].size == 3


def test_many_are_told_within_bounds(site: WebSite, store_url: str) -> None:
    add_users(site)
    site.address = "http://127.0.0.1:8000"
    rule = make_rule(site, words="Python", by_mail="true")
    hostile = numbered(99, title="<script>Python</script>\u202e\n" * 20, url="javascript:alert(1)")
    with mail_server() as mailbox:
        site.mail = mail_target(f"smtp://127.0.0.1:{mailbox.port}/?to=a@b.test&from=x@y.test", "")
        (alarm,) = found(site, *(numbered(n) for n in range(1, 44)), hostile)
    (mail,) = mailbox.mails
    text = mail.get_content()
    assert "新增 44 条含有“Python”的记录" in text
    assert text.count("http://n.example/article/") + text.count("javascript:") == SHOWN
    assert f"and {44 - SHOWN} more: http://127.0.0.1:8000/search?q=Python" in text
    with client_of(site) as client:
        log_in(client, Role.READER)
        html = client.get("/alarms").text
        assert f'<a href="/search?q=Python">另有 {44 - SHOWN} 条</a>' in html
        assert "<script>Python" not in html
        assert 'href="javascript:' not in html
        secret = re.findall(r"(/alarms/feed/[\w-]+\.xml)", client.post("/alarms/feed").text)[0]
        assert "/search?q=Python" in client.get(secret).text
    assert (rule.number, alarm.values["count"]) == (1, 44)


def test_words_are_looked_for_while_the_server_runs(
    site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_users(site)
    make_rule(site)
    fill(store_url, [EVERY[0]])
    site.tick_seconds = 0

    turns = Mock(side_effect=[[], [], CancelledError])
    monkeypatch.setattr(alarm_store, "give_up_unsent", Mock())
    monkeypatch.setattr(alarm_runner, "watched_runs", AsyncMock(side_effect=turns))

    async def watch_briefly() -> None:
        await site.store.open()
        await gather(watch(site), return_exceptions=True)
        await site.store.close()

    run_async(watch_briefly())
    (alarm,) = site.database.run_now(alarm_store.newest_alarms, 9)
    assert (alarm.subject, alarm.sent) == (RULE["words"], [])


def test_a_rule_is_previewed_made_changed_and_deleted(site: WebSite, client: TestClient) -> None:
    today = date.today()
    days = (0, 3, 20, 90)
    fill(site.store_url, [article(n, text=TEXT, published=today - timedelta(n)) for n in days])
    add_users(site)
    log_in(client, Role.OPERATOR)
    tried = client.post("/alarms/rules", data=RULE | {"preview": "1", "kinds": ["article", "page"]})
    assert "最近 7 天有 2 篇、最近 30 天有 3 篇" in tried.text
    assert tried.text.count(" checked") == 2
    assert f"<option>{article().site}</option>" in tried.text
    assert rules_of(site) == []
    assert client.post("/alarms/rules", data=RULE | {"kinds": "article"}).status_code == 303
    html = client.get("/alarms").text
    assert "新增含有“干旱 玉米”的记录</a> · 列表文章" in html
    path = "/alarms/rules/1"
    change = RULE | {"words": "大豆", "shown": shown(client.get(path).text)}
    # Meanwhile the rule has looked at what arrived.
    fill(site.store_url, [article("new", text=TEXT)])
    assert names(found(site)) == [(1, [article("new").url])]
    assert client.post(path, data=change | {"kind": "failed"}).status_code == 409
    assert client.post(path, data=change).status_code == 303
    assert rules_of(site)[0].words == "大豆"
    assert client.post(f"{path}/delete").status_code == 303
    # The next one has the number of this one, but finds for itself.
    make_rule(site)
    assert names(found(site, article("next", text=TEXT))) == [(1, [article("next").url])]


@pytest.mark.parametrize(
    "changes",
    [{"words": ""}, {"words": "！？"}, {"words": "长" * 501}, {"kinds": "page,nothing"},
     {"site": "http://demo.example/"}, {"site": "a b"}, {"position": "0"}],
)  # fmt: skip
def test_bad_values_are_refused(changes: dict[str, str], site: WebSite, client: TestClient) -> None:
    add_users(site)
    log_in(client, Role.OPERATOR)
    assert client.post("/alarms/rules", data=RULE | changes).status_code == 400
    assert rules_of(site) == []


def test_in_a_browser_without_javascript(site: WebSite, store_url: str, visit: Any) -> None:
    fill(store_url, [article(1, text=TEXT, published=date.today())])
    add_users(site)
    with served(site) as address:
        view = visit(
            f"{address}/login?next=/alarms/rules/new?kind=words", java_script_enabled=False
        )
        view.fill("[name=name]", "operator")
        view.fill("[name=password]", "correct horse battery")
        view.click("main button")
        view.fill("[name=words]", RULE["words"])
        view.check("[value=article]")
        view.click("text=试算")
        assert "最近 7 天有 1 篇" in view.text_content("[role=status]")
        view.click("text=保存")
        assert "干旱 玉米" in view.text_content("main table")
