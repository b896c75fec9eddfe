"""Rules evaluated over stores, and what is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from focuscrawl.stores.database_urls import Database
from focuscrawl.summary.report_mail import mail_target
from focuscrawl.summary.report_webhook import WebhookTarget
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.alarms import alarm_runner, alarm_store
from focuscrawl.web.alarms.alarm_runner import RUNS, Attention, evaluate, watch, watched_runs
from focuscrawl.web.alarms.alarm_store import Alarm, AlarmRule
from focuscrawl.web.crawls.run_facts import RunFacts
from focuscrawl.web.prices.price_snapshots import read_prices
from focuscrawl.web.web_site import WebSite
from tests.servers.mail_server import mail_server
from tests.servers.webhook_server import Webhook, webhook_server
from tests.stores.record_examples import article, quote
from tests.web.conftest import fill, run_async
from tests.web.crawls.run_examples import details, fill_runs, run_of

AUTHOR = Author("operator", "")


def add_rule(site: WebSite, url: str = "", **fields: Any) -> None:
    site.database.run_now(alarm_store.add_rule, AUTHOR, AlarmRule(**fields), url)


def evaluated(site: WebSite, *, with_prices: bool = True) -> list[Alarm]:
    async def work() -> list[Alarm]:
        store: Database = site.store
        await store.open()
        try:
            rules = site.database.run_now(alarm_store.all_rules)
            runs = await watched_runs(site)
            table = await read_prices(store) if with_prices else None
            return await evaluate(site, rules, runs, table)
        finally:
            await store.close()

    return run_async(work())


def prices(ago_to_yuan: dict[int, int]) -> list[Any]:
    today = date.today()
    return [
        article(ago, quotes=[
            quote(entity=entity, date=today - timedelta(days=ago),
                  price_yuan_per_ton_low=Decimal(yuan), price_yuan_per_ton_high=Decimal(yuan))
            for entity in "甲乙丙"
        ])
        for ago, yuan in ago_to_yuan.items()
    ]  # fmt: skip


def test_alarms_come_once_per_event(site: WebSite, store_url: str) -> None:
    add_rule(site, kind="price", commodity="玉米", region="山东")
    add_rule(site, kind="failed")
    add_rule(site, kind="drift", crawl="maize-demo")
    add_rule(site, kind="drift", crawl="other")
    now = datetime.now(UTC)
    fill(store_url, prices({6: 2000, 1: 2100}))
    old = [run_of(number, days=number) for number in range(6)]
    low = run_of(9, began_at=now, details=details(200, 20))
    killed = run_of(8, crawl="tunnel-x", ended=False, began_at=now - timedelta(hours=1))
    fill_runs(store_url, [*old, killed])
    assert evaluated(site, with_prices=False) == []
    # It was killed before the rule was made.
    assert [one.kind for one in evaluated(site)] == ["price"]
    fill_runs(store_url, [low, run_of(10, began_at=now, crawl="x", exit_code=2, reason="error")])
    found = evaluated(site)
    assert [(one.rule, one.kind, one.subject) for one in found] == [
        (2, "failed", "x"),
        (3, "low_harvest", "maize-demo"),
    ]
    assert evaluated(site) == []
    assert len(site.database.run_now(alarm_store.newest_alarms, 9)) == 3


@pytest.fixture
def hook() -> Iterator[Webhook]:
    """A webhook that answers as the chat services do."""
    with webhook_server() as hook:
        hook.answer = b'{"errcode": 0, "errmsg": "ok"}'
        yield hook


def fail_one(store_url: str, number: int = 1) -> None:
    now = datetime.now(UTC)
    fill_runs(store_url, [run_of(number, began_at=now, exit_code=2, reason="error")])


@pytest.mark.parametrize(
    ("form", "place"),
    [
        ("dingtalk", ("text", "content")),
        ("wecom", ("text", "content")),
        ("feishu", ("content", "text")),
        ("json", ("text",)),
    ],
)
def test_webhooks_have_the_format_of_their_service(
    form: str, place: tuple[str, ...], site: WebSite, store_url: str, hook: Webhook
) -> None:
    add_rule(site, hook.url, kind="failed", webhook=form)
    fail_one(store_url)
    evaluated(site)
    (path,), (sent,) = hook.requests, hook.bodies
    assert hook.url.endswith(path.removeprefix("POST "))
    for name in place:
        sent = sent[name]
    assert "运行失败（退出码 2）" in str(sent)
    assert site.database.run_now(alarm_store.newest_alarms, 1)[0].sent == []


def test_what_was_not_sent_is_shown_without_the_address(
    site: WebSite, store_url: str, hook: Webhook
) -> None:
    add_rule(site, kind="failed", webhook="json", by_mail=True)
    fail_one(store_url)
    (alarm,) = evaluated(site)
    stored = site.database.run_now(alarm_store.newest_alarms, 1)[0]
    assert stored.number == alarm.number
    assert "FOCUSCRAWL_MAIL is not set" in str(stored.sent)
    assert "FOCUSCRAWL_WEBHOOK is not set" in str(stored.sent)
    hook.answer = b'{"errcode": 310000, "errmsg": "keywords not in content"}'
    site.webhook = WebhookTarget(hook.url, "")
    add_rule(site, kind="failed", webhook="dingtalk")
    add_rule(site, "http://127.0.0.1:9/geheimnis", kind="failed", webhook="json")
    fail_one(store_url)
    evaluated(site)
    second, first = site.database.run_now(alarm_store.newest_alarms, 2)
    assert "310000 keywords not in content" in str(first.sent)
    assert "connection refused" in str(second.sent)
    assert "geheimnis" not in f"{first.sent}{second.sent}"


def test_mails_are_sent(site: WebSite, store_url: str) -> None:
    add_rule(site, kind="failed", by_mail=True)
    fail_one(store_url)
    with mail_server() as mailbox:
        site.mail = mail_target(f"smtp://127.0.0.1:{mailbox.port}/?to=a@b.test&from=x@y.test", "")
        evaluated(site)
    (mail,) = mailbox.mails
    assert mail["Subject"] == "预警：maize-demo"
    assert "运行失败（退出码 2）" in mail.get_content()
    assert "The run failed" in mail.get_content()


def test_an_alarm_that_was_being_sent_is_not_shown_as_sent(site: WebSite) -> None:
    event = alarm_store.Event(key="failed 1", kind="failed", subject="x", values={})
    site.database.run_now(alarm_store.add_alarms, 1, [event])
    site.tick_seconds = 0.01

    async def watch_briefly() -> None:
        task = asyncio.create_task(watch(site))
        for _ in range(3000):
            await asyncio.sleep(0.01)
            if site.database.run_now(alarm_store.newest_alarms, 1)[0].sent is not None:
                break
        task.cancel()

    run_async(watch_briefly())
    (alarm,) = site.database.run_now(alarm_store.newest_alarms, 1)
    assert alarm.sent == ["the server ended meanwhile"]


def test_a_long_run_that_fails_after_many_others_have_begun(site: WebSite, store_url: str) -> None:
    add_rule(site, kind="failed")
    now = datetime.now(UTC)
    long = run_of(1, began_at=now - timedelta(hours=5), updated_at=now, ended_at=now, exit_code=2,
                  reason="error")  # fmt: skip
    begun = [now - timedelta(hours=4, seconds=n) for n in range(RUNS)]
    fill_runs(store_url, [long, *(run_of(n + 2, began_at=at) for n, at in enumerate(begun))])
    assert [one.run for one in evaluated(site)] == [long.key]


@pytest.mark.parametrize("lasts", [False, True])
def test_runs_get_time_for_a_sign_of_life_after_the_database_was_away(
    lasts: bool, site: WebSite, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_rule(site, kind="failed")
    silent = run_of(1, ended=False, began_at=datetime.now(UTC) - timedelta(hours=1))
    fill_runs(store_url, [silent])
    looked_at: list[list[str]] = []
    monkeypatch.setattr(Attention, "lasts", lambda *_: lasts)
    site.tick_seconds = 0

    async def evaluate(_: WebSite, _rules: Any, runs: list[RunFacts], _prices: Any) -> None:
        looked_at.append([run.run.key for run in runs])
        raise asyncio.CancelledError

    async def watch_once() -> None:
        await site.store.open()
        await asyncio.gather(watch(site), return_exceptions=True)
        await site.store.close()

    monkeypatch.setattr(alarm_runner, "evaluate", evaluate)
    run_async(watch_once())
    assert looked_at == [[silent.key] if lasts else []]


def test_attention_begins_again_after_a_gap() -> None:
    attention, start = Attention(), datetime(2026, 3, 5, tzinfo=UTC)
    steps = [15.0 * n for n in range(8)]
    assert [attention.lasts(start + timedelta(seconds=s)) for s in steps] == [False] * 7 + [True]
    # Three minutes without an answer, then a clock that is set back by a year.
    assert not attention.lasts(start + timedelta(seconds=285))
    assert not attention.lasts(start - timedelta(days=365))
