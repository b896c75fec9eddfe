"""Two servers, or tabs, that change the same at once: one of them is told so, or both are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event
from starlette.exceptions import HTTPException

from focuscrawl.errors import ArgumentError
from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.accounts import account_store
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_store import AlarmRule, RuleKind
from focuscrawl.web.articles.article_edits import NONE, Correction, correct
from focuscrawl.web.crawls import crawl_processes, schedule_store
from focuscrawl.web.crawls.crawl_processes import BusyError
from focuscrawl.web.crawls.schedule_pages import SchedulePlan
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.prices.own_views import OwnViews, own_views, set_pin, set_view

AUTHOR = Author("test", "")
PLAN = SchedulePlan(spider="maize", arguments={}, cron="0 1 * * *")
Work = Callable[[Connection], Any]
Works = tuple[Work, Work]


def two_corrections(connection: Connection) -> Works:
    """Return two corrections of the same one."""
    old, first, second = (Correction(title=title) for title in ("old", "first", "second"))
    correct(connection, AUTHOR, "a" * 32, "url", NONE.state, old)

    def correction(new: Correction) -> Work:
        return lambda one: correct(one, AUTHOR, "a" * 32, "url", old.state, new)

    return correction(first), correction(second)


def two_changes_of_a_schedule(connection: Connection) -> Works:
    """Return a change of a schedule, and one of the schedule before it."""
    schedule_store.add_schedule(connection, AUTHOR, PLAN)
    (old,) = schedule_store.all_schedules(connection)

    def change(cron: str) -> Work:
        plan = replace(PLAN, cron=cron)
        return lambda one: schedule_store.change_schedule(one, AUTHOR, old, plan)

    return change("0 2 * * *"), change("0 3 * * *")


def change_and_deletion_of_a_schedule(connection: Connection) -> Works:
    """Return a change of a schedule, and the deletion of the schedule before it."""
    first, _ = two_changes_of_a_schedule(connection)
    (old,) = schedule_store.all_schedules(connection)
    return first, lambda one: schedule_store.delete_schedule(one, AUTHOR, old)


def two_changes_of_a_rule(connection: Connection) -> Works:
    """Return a change of a rule, and one of the rule before it."""
    old_rule, first, second = (
        AlarmRule(kind=RuleKind.FAILED, crawl=crawl) for crawl in ("old", "first", "second")
    )
    alarm_store.add_rule(connection, AUTHOR, old_rule, "")
    (old,) = alarm_store.all_rules(connection)

    def change(rule: AlarmRule) -> Work:
        return lambda one: alarm_store.change_rule(one, AUTHOR, old, rule, "")

    return change(first), change(second)


def change_and_deletion_of_a_rule(connection: Connection) -> Works:
    """Return a change of a rule, and the deletion of the rule before it."""
    first, _ = two_changes_of_a_rule(connection)
    (old,) = alarm_store.all_rules(connection)
    return first, lambda one: alarm_store.delete_rule(one, AUTHOR, old)


def two_starts_of_a_crawl(connection: Connection) -> Works:
    """Return the start of a crawl, twice, while another one is running."""
    crawl_processes.begin(connection, AUTHOR, "list", {})

    def start(one: Connection) -> None:
        crawl_processes.begin(one, AUTHOR, "maize", {})

    return start, start


def two_administrators(connection: Connection) -> Works:
    """Return the removals of the last two administrators."""
    for name in ("one", "other"):
        account_store.add_user(connection, AUTHOR, name, Role.ADMINISTRATOR, "hash")

    def removal(name: str) -> Work:
        return lambda one: account_store.set_disabled(one, AUTHOR, name, True)

    return removal("one"), removal("other")


@pytest.mark.server
@pytest.mark.parametrize(
    ("works", "error", "message"),
    [
        (two_corrections, HTTPException, "409"),
        (two_changes_of_a_schedule, HTTPException, "409"),
        (change_and_deletion_of_a_schedule, HTTPException, "409"),
        (two_changes_of_a_rule, HTTPException, "409"),
        (change_and_deletion_of_a_rule, HTTPException, "409"),
        (two_starts_of_a_crawl, BusyError, "is running"),
        (two_administrators, ArgumentError, "last administrator"),
    ],
)
def test_the_second_is_refused(
    works: Callable[[Connection], Works], error: type[Exception], message: str, mysql_web_url: str
) -> None:
    with two_at_once(works, mysql_web_url) as (running, _), pytest.raises(error, match=message):
        running.result()


@contextmanager
def two_at_once(
    works: Callable[[Connection], Works], url: str, *, is_midway: bool = False
) -> Iterator[tuple[Future[None], WebDatabase]]:
    """Do the second at another server before the transaction of the first one ends, or after its first statement."""
    with (
        closing(WebDatabase(url)) as database,
        closing(WebDatabase(url)) as elsewhere,
        ThreadPoolExecutor(1) as worker,
    ):
        database.create()
        first, second = database.run_now(works)

        def both(connection: Connection) -> Future[None]:
            others: list[Future[None]] = []

            def begin(*_: object) -> None:
                if not others:
                    others.append(worker.submit(elsewhere.run_now, second))
                    # If nothing held it up, it would end meanwhile.
                    wait(others, 1)

            if is_midway:
                event.listen(connection, "after_cursor_execute", begin)
            first(connection)
            begin()
            return others[0]

        yield database.run_now(both), database


def keeping(*works: Work) -> Callable[[Connection], Works]:
    """Return two works of a user, who is added."""

    def make(connection: Connection) -> Works:
        account_store.add_user(connection, AUTHOR, "one", Role.ADMINISTRATOR, "hash")
        first, second = works
        return first, second

    return make


def pin(entity: str) -> Work:
    return lambda one: set_pin(one, "one", entity, True)


def view(title: str, address: str) -> Work:
    return lambda one: set_view(one, "one", title, address)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
@pytest.mark.parametrize(
    ("works", "kept"),
    [
        (keeping(pin("长春"), pin("长春")), OwnViews(frozenset({"长春"}))),
        (keeping(pin("长春"), pin("寿光")), OwnViews(frozenset({"长春", "寿光"}))),
        (keeping(view("干", "/a"), view("干", "/b")), OwnViews(views=(("干", "/b"),))),
        (keeping(view("干", "/a"), view("湿", "/b")), OwnViews(views=(("干", "/a"), ("湿", "/b")))),
        (keeping(view("干", "/a"), view("干", "")), OwnViews()),
    ],
)
def test_two_tabs_that_pin_and_save_lose_nothing(
    works: Callable[[Connection], Works],
    kept: OwnViews,
    kind: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    url = sqlite_url(tmp_path / "web.sqlite")
    if kind == "mysql":
        url = request.getfixturevalue("mysql_web_url")
    with two_at_once(works, url, is_midway=True) as (running, database):
        running.result()
        assert database.run_now(own_views, "one") == kept
        assert database.run_now(own_views, "other") == OwnViews()
