"""Two servers that change the same at once in MySQL: one of them is told so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, select
from starlette.exceptions import HTTPException

from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_rules import AlarmRule, RuleKind
from focuscrawl.web.articles.article_edits import NONE, Correction, correct
from focuscrawl.web.crawls.operation import process_store, schedule_store
from focuscrawl.web.crawls.operation.process_store import BusyError
from focuscrawl.web.crawls.operation.schedule_store import SchedulePlan
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.database.web_tables import changes
from tests.conftest import mysql_connection

pytestmark = pytest.mark.server
AUTHOR = Author("test", "")
PLAN = SchedulePlan(spider="maize", arguments={}, cron="0 1 * * *")
Work = Callable[[Connection], Any]


@pytest.fixture
def database(mysql_url: str) -> Iterator[WebDatabase]:
    """A database in MySQL."""
    with mysql_connection(mysql_url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {mysql_url.rpartition('/')[2]}")
    with closing(WebDatabase(mysql_url)) as database:
        database.create()
        yield database


def check_the_second_is_refused(
    database: WebDatabase, url: str, work: Work, error: type[Exception]
) -> None:
    """Do the same at another server before the transaction of the first one ends."""

    def elsewhere() -> None:
        with closing(WebDatabase(url)) as other:
            other.run_now(work)

    def both(connection: Connection) -> Future[None]:
        work(connection)
        other = worker.submit(elsewhere)
        # If nothing held it up, it would end meanwhile.
        wait([other], 1)
        return other

    with ThreadPoolExecutor(1) as worker:
        second = database.run_now(both)
        with pytest.raises(error):
            second.result()


def test_a_correction(database: WebDatabase, mysql_url: str) -> None:
    key, first = "a" * 32, Correction(title="first")
    database.run_now(correct, AUTHOR, key, "url", NONE.state, first)

    def work(connection: Connection) -> None:
        correct(connection, AUTHOR, key, "url", first.state, Correction(title="second"))

    check_the_second_is_refused(database, mysql_url, work, HTTPException)
    logged = database.run_now(lambda one: one.scalars(select(changes.c.action)).all())
    assert len(logged) == 2


def test_a_schedule(database: WebDatabase, mysql_url: str) -> None:
    database.run_now(schedule_store.add_schedule, AUTHOR, PLAN)
    (old,) = database.run_now(schedule_store.all_schedules)

    def work(connection: Connection) -> None:
        schedule_store.change_schedule(connection, AUTHOR, old, replace(PLAN, cron="0 2 * * *"))

    check_the_second_is_refused(database, mysql_url, work, HTTPException)


def test_a_rule(database: WebDatabase, mysql_url: str) -> None:
    rule = AlarmRule(kind=RuleKind.FAILED, crawl="one")
    database.run_now(alarm_store.add_rule, AUTHOR, rule, "")
    (old,) = database.run_now(alarm_store.all_rules)
    other = AlarmRule(kind=RuleKind.FAILED, crawl="two")

    def work(connection: Connection) -> None:
        alarm_store.change_rule(connection, AUTHOR, old, other, "")

    check_the_second_is_refused(database, mysql_url, work, HTTPException)


def test_a_crawl(database: WebDatabase, mysql_url: str) -> None:
    database.run_now(process_store.begin, AUTHOR, "list", {})

    def work(connection: Connection) -> None:
        process_store.begin(connection, AUTHOR, "maize", {})

    check_the_second_is_refused(database, mysql_url, work, BusyError)
